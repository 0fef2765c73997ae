// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contract of the plugin nvml on any machine with a GPU. It runs on the fake, or with GPMU_CUDA= on the system's
 * NVML.
 */
#include "nvml-test.h"

#define OPENED_MAX	512

struct opened {
	void *group;
	size_t pmu;
	const struct gpmu_source_event_info *info;
	struct gpmu_source_count first, second;
};

static struct opened opened[OPENED_MAX];
static size_t opened_count;

static void check_pmu(const struct gpmu_source_pmu *pmu, size_t number)
{
	const struct gpmu_source_gpu *gpu = pmu->gpu;

	ok(!strncmp(pmu->name, "nvidia_nvml_", 12) || !strncmp(pmu->name, "nvidia_gpu_", 11),
	   "PMU %zu has a known name: %s", number, pmu->name);
	ok(gpu && gpu->uuid && !strncmp(gpu->uuid, "GPU-", 4), "%s: its GPU has a UUID", pmu->name);
	ok(gpu && gpu->name && *gpu->name, "%s: its GPU has a name", pmu->name);
	ok(gpu && gpu->pci && strlen(gpu->pci) == strlen("0009:01:00.0"), "%s: its GPU has a PCI address: %s",
	   pmu->name, gpu && gpu->pci ? gpu->pci : "none");
}

/* Opens all listed events. Each has what a table of events shows. */
static void open_all(void *source, size_t pmu)
{
	const char *name = plugin->pmu(source, pmu)->name;
	const struct gpmu_source_event_info *info;
	bool is_complete = true, is_found = true, has_all = true;
	size_t i;

	for (i = 0; (info = plugin->event(source, pmu, i)) && opened_count < OPENED_MAX; i++) {
		struct opened *entry = &opened[opened_count];

		is_complete = is_complete && info->unit && info->description;
		is_found = is_found && plugin->event_find(source, pmu, info->name) == info;
		entry->info = info;
		entry->pmu = pmu;
		if (open_event(source, pmu, info->name, &entry->group)) {
			diag("%s: %s", info->name, failure.text);
			has_all = false;
			continue;
		}
		opened_count++;
	}
	ok(i > 0, "%s: %zu events are listed", name, i);
	ok(is_complete, "%s: each event has a unit and a description", name);
	ok(is_found, "%s: each event is found by its name", name);
	ok(has_all, "%s: each event can be opened", name);
	ok(!plugin->event_find(source, pmu, "no_such_event"), "%s: an unknown event is not found", name);
}

static void check_counts(uint64_t first_ns, uint64_t second_ns)
{
	bool is_bounded = true, is_growing = true, is_sane = true, is_mostly_running = true;

	for (size_t i = 0; i < opened_count; i++) {
		const struct opened *entry = &opened[i];
		const char *name = entry->info->name, *unit = entry->info->unit;
		double value = mean(entry->second, entry->info->scale);

		if (entry->first.enabled != first_ns || entry->second.enabled != second_ns ||
		    entry->first.running > first_ns || entry->second.running > second_ns) {
			diag("%s: enabled %" PRIu64 ", running %" PRIu64, name, entry->second.enabled,
			     entry->second.running);
			is_bounded = false;
		}
		if (entry->second.raw < entry->first.raw || entry->second.running < entry->first.running) {
			diag("%s: %" PRIu64 " then %" PRIu64, name, entry->first.raw, entry->second.raw);
			is_growing = false;
		}
		if (entry->second.running < second_ns / 2) {
			diag("%s: running %" PRIu64 " of %" PRIu64, name, entry->second.running, second_ns);
			is_mostly_running = false;
		}
		if (entry->info->mean && ((!strcmp(unit, "%") && value > 101) ||
					  (!strcmp(unit, "C") && (value < 5 || value > 120)) ||
					  (!strcmp(unit, "MHz") && (value < 100 || value > 10000)) ||
					  (!strcmp(unit, "W") && (value < 1 || value > 3000)))) {
			diag("%s: %g %s", name, value, unit);
			is_sane = false;
		}
	}
	ok(is_bounded, "enabled is the elapsed time and running is no longer");
	ok(is_mostly_running, "running is at least half of the elapsed time");
	ok(is_growing, "no count falls between two reads");
	ok(is_sane, "shares, temperatures, clocks and power are plausible");
}

static void count(void *source)
{
	uint64_t begin, first, second;
	struct gpmu_source_count after;
	int ret = 0, read = 0;

	is_u64((uint64_t)-plugin->prepare(source, &failure), 0, "prepare() of the source succeeds");
	begin = clock_now();
	ret = plugin->enable(source, begin);
	ok(!ret, "enable() of the source succeeds");
	usleep(250000);
	first = clock_now();
	for (size_t i = 0; i < opened_count; i++) {
		opened[i].first = read_count(source, opened[i].group, first, &ret);
		read |= ret;
	}
	usleep(250000);
	second = clock_now();
	ok(!plugin->disable(source, second), "disable() of the source succeeds");
	for (size_t i = 0; i < opened_count; i++) {
		opened[i].second = read_count(source, opened[i].group, second, &ret);
		read |= ret;
	}
	ok(!read, "all groups can be read");
	check_counts(first - begin, second - begin);
	usleep(20000);
	after = read_count(source, opened[0].group, clock_now(), &ret);
	ok(after.raw == opened[0].second.raw && after.enabled == opened[0].second.enabled,
	   "a disabled group does not count");
	begin = clock_now();
	ok(!plugin->enable(source, begin), "the source can be enabled again");
	usleep(20000);
	first = clock_now();
	after = read_count(source, opened[0].group, first, &ret);
	is_u64(after.enabled, opened[0].second.enabled + first - begin, "enabled goes on from the first period");
	ok(!plugin->disable(source, first), "the source can be disabled again");
}

static void check_queries(void *source)
{
	static const char *const questions[] = { "gpus", "accounting", "vgpu" };

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		json_t *answer = ask(source, questions[i]), *gpu = NULL;

		gpu = json_array_get(json_object_get(answer, "gpus"), 0);
		ok(json_string_value(json_object_get(answer, "driver")) != NULL,
		   "the answer to \"%s\" is JSON with the driver", questions[i]);
		ok(json_string_value(json_object_get(gpu, "uuid")) != NULL, "the answer to \"%s\" has GPUs", questions[i]);
		json_decref(answer);
	}
	ok(!ask(source, "weather") && strstr(failure.text, "expected gpus"), "an unknown query is refused");
}

static void run(void)
{
	void *source = open_source("");
	const struct gpmu_source_pmu *pmu;
	const char *message;
	size_t pmus;

	if (!source) {
		printf("ok %u - the plugin opens NVML and a GPU # SKIP %s\n", ++tap_run, failure.text);
		return;
	}
	for (pmus = 0; (pmu = plugin->pmu(source, pmus)); pmus++)
		check_pmu(pmu, pmus);
	ok(pmus > 0 && !plugin->pmu(source, pmus + 7), "the source has PMUs: %zu", pmus);
	for (size_t i = 0; i < pmus; i++)
		open_all(source, i);
	count(source);
	for (size_t i = 0; i < opened_count; i++)
		plugin->group_close(source, opened[i].group);
	check_queries(source);
	while ((message = plugin->message(source)))
		diag("message: %s", message);
	plugin->close(source);
	opened_count = 0;
}

int main(void)
{
	static const char *const scenarios[] = { "h200", "gh200", "a100" };

	if (!load_plugin())
		return 1;
	if (getenv("GPMU_CUDA")) {
		run();
		return done_testing();
	}
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		diag("%s", scenarios[i]);
		use_scenario(scenarios[i]);
		run();
	}
	ok(open_error("period=5") == -22 && strstr(failure.text, "from 10 to 10000"),
	   "a period out of range is refused");
	ok(open_error("speed=5") == -22, "an unknown option is refused");
	ok(open_error("period=5,check") == -22 && open_error("check,speed=5") == -22 &&
	   open_error("check,") == -22 && failure.offset == 5, "an invalid option among several is refused");
	ok(!open_error("check,period=50"), "two options separated by a comma are accepted");
	ok(dlopen(FAKE "libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL,
	   "NVML stays loaded, because its threads run its code");
	return done_testing();
}
