// SPDX-License-Identifier: LGPL-2.1-or-later
/* The plugin without a GPU: the events and queries of a chip, and the errors without CUDA or CUPTI */
#include <errno.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cupti-test.h"
#include "gpmu-source.h"

static const struct gpmu_source_plugin *plugin = &gpmu_source_plugin;

static void *open_source(const char *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	void *source = NULL;

	if (!plugin->open(&source, options, &error))
		return source;
	printf("Bail out! %s: %s\n", options, error.text);
	exit(1);
}

static void table(void)
{
	is_u64(plugin->size, sizeof(*plugin), "the plugin table has its size");
	is_u64(plugin->abi, GPMU_SOURCE_ABI, "the plugin table has its ABI version");
	is_str(plugin->name, "cupti", "the plugin's name is cupti");
	is_u64(plugin->event_size, sizeof(struct gpmu_source_event),
	       "the plugin table has the size of events");
	is_u64(plugin->count_size, sizeof(struct gpmu_source_count),
	       "the plugin table has the size of counts");
}

/* An empty file with the library's name replaces the library, so that an installed one is not found. */
static void missing(const char *name, const char *options, const char *want)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char folder[] = "/tmp/cupti-XXXXXX", path[64];
	void *source = NULL;
	FILE *file;
	int ret;

	if (!mkdtemp(folder))
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	if (file)
		fclose(file);
	setenv("GPMU_CUDA", folder, 1);
	ret = plugin->open(&source, options, &error);
	ok(ret == -ENODEV && strstr(error.text, want),
	   "without %s the options \"%s\" are refused: %s", name,
	   options, error.text);
	unsetenv("GPMU_CUDA");
	unlink(path);
	rmdir(folder);
}

static void pmu(void *source)
{
	const struct gpmu_source_pmu *shown = plugin->pmu(source, 0);

	is_str(shown->name, "nvidia_gpu_0", "chip=GH100: the chip's PMU is nvidia_gpu_0");
	is_str(shown->identifier, "GH100", "chip=GH100: the PMU's identifier is the chip");
	ok(!shown->gpu && shown->node == -1, "chip=GH100: the PMU has no GPU and no node");
	is_str(shown->formats[1], "config:0-31", "chip=GH100: events have a number in config");
	ok(!plugin->pmu(source, 1), "chip=GH100: the chip is the only PMU");
	ok(!plugin->message(source), "chip=GH100: the plugin has no message");
}

static void listed(void *source)
{
	const struct gpmu_source_event_info *info;
	size_t length = 0, counts = 0, unnamed = 0, again = 0;

	while ((info = plugin->event(source, 0, length))) {
		counts += !info->mean;
		unnamed += !info->terms || !strchr(info->name, '.');
		again += plugin->event_find(source, 0, info->name) != info;
		length++;
		if (length > 40 && length < 1200)	/* each search takes a while */
			length += 37;
	}
	info = plugin->event(source, 0, 1278);
	ok(info && !plugin->event(source, 0, 1279), "chip=GH100: 1279 events are listed");
	ok(counts > 40 && counts < length,
	   "chip=GH100: some listed events are counts and some are means");
	is_u64(unnamed, 0, "each listed event has a suffix and terms");
	is_u64(again, 0, "each listed event is found by its name as the same event");
	ok(!plugin->event(source, 1, 0), "an absent PMU lists no event");
	ok(!plugin->event_find(source, 1, "dram__bytes_read.sum"),
	   "no event of an absent PMU is found");
}

static const struct {
	const char *name, *unit;
	double scale;
	int mean, passes;
} found[] = {
	{ "dram__bytes_read.sum", "B", 1, 0, 1 },
	{ "dram__bytes_read.sum.per_second", "B/s", 1e9, 1, 1 },
	{ "dram__bytes_read.avg", "B", 1e3, 1, 1 },
	{ "dram__bytes_read.sum.pct_of_peak_sustained_elapsed", "%", 1, 1, 1 },
	{ "dram__bytes_read.sum.peak_sustained_elapsed.per_second", "B/s", 1e9, 1, 1 },
	{ "sm__cycles_active.avg.per_cycle_elapsed", "gpc_cycle/cycle", 1, 1, 1 },
	{ "gpu__time_duration.sum", "ns", 1, 0, 1 },
	{ "lts__average_t_sector_aperture_device.pct", "%", 1, 1, 1 },
	{ "lts__average_t_sector_aperture_device.ratio", NULL, 1, 1, 1 },
	{ "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 1, 1, 1 },
	{ "sm__inst_executed_pipe_adu.sum", "instruction", 1, 0, 2 },
};

static void by_name(void *source)
{
	for (size_t i = 0; i < TEST_LENGTH(found); i++) {
		const struct gpmu_source_event_info *info = plugin->event_find(source, 0, found[i].name);

		ok(info != NULL, "the event %s is found", found[i].name);
		if (!info)
			continue;
		if (found[i].unit)
			is_str(info->unit, found[i].unit, "the event has its unit");
		else
			ok(!info->unit, "a ratio has no unit");
		ok(info->scale >= found[i].scale && info->scale <= found[i].scale,
		   "the event has its scale");
		is_u64((uint64_t)info->mean, (uint64_t)found[i].mean,
		       "the event is a mean or a count");
		is_u64((uint64_t)info->passes, (uint64_t)found[i].passes,
		       "the event has its passes");
		ok(plugin->event_find(source, 0, found[i].name) == info,
		   "a second search finds the same event");
	}
	ok(!plugin->event_find(source, 0, "dram__bytes_read"),
	   "a metric without a suffix is no event");
	ok(!plugin->event_find(source, 0, "none.sum"), "an unknown metric is no event");
}

static void nothing_counts(void *source)
{
	const struct gpmu_source_event event = { 0 };
	struct gpmu_error error = { .size = sizeof(error) };
	void *group = NULL;

	ok(plugin->group_open(source, 0, &event, 1, &group, &error) == -ENODEV,
	   "a chip without a GPU cannot be counted: %s",
	   error.text);
}

static json_t *ask(void *source, const char *question)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char *answer = NULL;
	json_t *json = NULL;

	if (!plugin->query(source, question, &answer, &error))
		json = json_loads(answer, 0, NULL);
	ok(json != NULL, "the query \"%s\" has an answer in JSON", question);
	free(answer);
	return json;
}

static void questions(void *source)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *answer, *metric;
	char *text = NULL;

	answer = ask(source, "chips");
	ok(json_array_size(answer) >= 30, "the answer to \"chips\" has at least 30 chips");
	json_decref(answer);
	answer = ask(source, "sampling");
	is_u64(json_array_size(answer), 0, "the answer to \"sampling\" is empty before sampling");
	json_decref(answer);
	answer = ask(source, "metrics");
	is_u64(json_array_size(answer), 1279, "the answer to \"metrics\" has all metrics");
	metric = json_array_get(answer, 0);
	is_str(json_string_value(json_object_get(metric, "name")), "CTC.TriageCompute.ctc__rx_bytes",
	       "the answer to \"metrics\" has names");
	is_str(json_string_value(json_object_get(metric, "type")), "counter",
	       "the answer to \"metrics\" has types");
	is_str(json_string_value(json_object_get(metric, "hw_unit")), "ctc",
	       "the answer to \"metrics\" has hardware units");
	is_str(json_string_value(json_object_get(metric, "unit")), "byte",
	       "the answer to \"metrics\" has units");
	is_str(json_string_value(json_object_get(metric, "event")), "CTC.TriageCompute.ctc__rx_bytes.sum",
	       "the answer to \"metrics\" has the listed event of each metric");
	is_u64(json_array_size(json_object_get(metric, "sub_metrics")), 44,
	       "the answer to \"metrics\" has all suffixes");
	json_decref(answer);
	ok(plugin->query(source, "", &text, &error) == -ENOENT &&
	   plugin->query(source, "metric", &text, &error) == -ENOENT && !text,
	   "an unknown query is refused: %s", error.text);
}

int main(void)
{
	struct library library;
	struct gpmu_error error = { .size = sizeof(error) };
	void *source = NULL;

	table();
	missing("libcuda.so.1", "", "no CUDA driver");
	missing("libcuda.so.1", "list", "no CUDA driver");
	missing("libcupti.so.13", "chip=GH100", "libcupti.so.13");
	test_library(&library);
	library_close(&library);
	source = open_source("chip=GH100");
	pmu(source);
	listed(source);
	by_name(source);
	nothing_counts(source);
	questions(source);
	plugin->close(source);
	ok(plugin->open(&source, "chip=GH1000", &error) == -EINVAL,
	   "an unknown chip is refused: %s",
	   error.text);
	return done_testing();
}
