// SPDX-License-Identifier: LGPL-2.1-or-later
/* The plugin without a GPU: events and questions of a chip, and what is missing */
#include <errno.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cupti-test.h"
#include "gpmu-source.h"

static const struct gpmu_source_plugin *plugin = &gpmu_source_plugin;

static void *open_source(const char *options)
{
	struct gpmu_error error = { 0 };
	void *source = NULL;

	if (!plugin->open(&source, options, &error))
		return source;
	printf("Bail out! %s: %s\n", options, error.text);
	exit(1);
}

static void table(void)
{
	is_u64(plugin->size, sizeof(*plugin), "the table has its size");
	is_u64(plugin->abi, GPMU_SOURCE_ABI, "... and its ABI");
	is_str(plugin->name, "cupti", "... and its name");
	is_u64(plugin->event_size, sizeof(struct gpmu_source_event), "... the size of events");
	is_u64(plugin->count_size, sizeof(struct gpmu_source_count), "... and of counts");
}

/* A file of the name that is no library stands for one that is not there. */
static void missing(const char *name, const char *options, const char *want)
{
	struct gpmu_error error = { 0 };
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
	ok(ret == -ENODEV && strstr(error.text, want), "without %s \"%s\" is not to be had: %s", name,
	   options, error.text);
	unsetenv("GPMU_CUDA");
	unlink(path);
	rmdir(folder);
}

static void pmu(void *source)
{
	const struct gpmu_source_pmu *shown = plugin->pmu(source, 0);

	is_str(shown->name, "nvidia_gpu_0", "a chip is a PMU");
	is_str(shown->identifier, "GH100", "... whose identifier it is");
	ok(!shown->gpu && shown->node == -1, "... of no GPU and no node");
	is_str(shown->formats[1], "config:0-31", "... whose events have numbers");
	ok(!plugin->pmu(source, 1), "it is the only one");
	ok(!plugin->message(source), "there is nothing to be said");
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
	ok(info && !plugin->event(source, 0, 1279), "1279 events are listed");
	ok(counts > 40 && counts < length, "counts and others");
	is_u64(unnamed, 0, "each has a suffix and terms");
	is_u64(again, 0, "each is found by its name, and is the same");
	ok(!plugin->event(source, 1, 0), "there are none of a PMU that is not there");
	ok(!plugin->event_find(source, 1, "dram__bytes_read.sum"), "... and none is found");
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

		ok(info != NULL, "%s is found", found[i].name);
		if (!info)
			continue;
		if (found[i].unit)
			is_str(info->unit, found[i].unit, "... its unit");
		else
			ok(!info->unit, "... it is a number");
		ok(info->scale >= found[i].scale && info->scale <= found[i].scale, "... its scale");
		is_u64((uint64_t)info->mean, (uint64_t)found[i].mean, "... whether it is a mean");
		is_u64((uint64_t)info->passes, (uint64_t)found[i].passes, "... its passes");
		ok(plugin->event_find(source, 0, found[i].name) == info, "... the same again");
	}
	ok(!plugin->event_find(source, 0, "dram__bytes_read"), "one without a suffix is none");
	ok(!plugin->event_find(source, 0, "none.sum"), "one that is not there is none");
}

static void nothing_counts(void *source)
{
	const struct gpmu_source_event event = { 0 };
	struct gpmu_error error = { 0 };
	void *group = NULL;

	ok(plugin->group_open(source, 0, &event, 1, &group, &error) == -ENODEV, "a chip cannot be counted: %s",
	   error.text);
}

static json_t *ask(void *source, const char *question)
{
	struct gpmu_error error = { 0 };
	char *answer = NULL;
	json_t *json = NULL;

	if (!plugin->query(source, question, &answer, &error))
		json = json_loads(answer, 0, NULL);
	ok(json != NULL, "\"%s\" has an answer in JSON", question);
	free(answer);
	return json;
}

static void questions(void *source)
{
	struct gpmu_error error = { 0 };
	json_t *answer, *metric;
	char *text = NULL;

	answer = ask(source, "chips");
	ok(json_array_size(answer) >= 30, "... chips");
	json_decref(answer);
	answer = ask(source, "sampling");
	is_u64(json_array_size(answer), 0, "... nothing was sampled");
	json_decref(answer);
	answer = ask(source, "metrics");
	is_u64(json_array_size(answer), 1279, "... all metrics");
	metric = json_array_get(answer, 0);
	is_str(json_string_value(json_object_get(metric, "name")), "CTC.TriageCompute.ctc__rx_bytes",
	       "... their names");
	is_str(json_string_value(json_object_get(metric, "type")), "counter", "... types");
	is_str(json_string_value(json_object_get(metric, "hw_unit")), "ctc", "... units of the GPU");
	is_str(json_string_value(json_object_get(metric, "unit")), "byte", "... units");
	is_str(json_string_value(json_object_get(metric, "event")), "CTC.TriageCompute.ctc__rx_bytes.sum",
	       "... the event that is listed");
	is_u64(json_array_size(json_object_get(metric, "sub_metrics")), 44, "... and all suffixes");
	json_decref(answer);
	ok(plugin->query(source, "", &text, &error) == -ENOENT &&
	   plugin->query(source, "metric", &text, &error) == -ENOENT && !text, "others have none: %s",
	   error.text);
}

int main(void)
{
	struct library library;
	struct gpmu_error error = { 0 };
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
	ok(plugin->open(&source, "chip=GH1000", &error) == -EINVAL, "a chip that is none is refused: %s",
	   error.text);
	return done_testing();
}
