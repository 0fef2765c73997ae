// SPDX-License-Identifier: LGPL-2.1-or-later
/* Options of "model=", and refused ones. MODEL is the path of the plugin. */
#include "plugin/source-bed.h"

static const struct {
	const char *options;
	size_t pmus, nodes;
	int counters;
	const char *what;
} good[] = {
	{ "steady.scenario", 10, 2, 6, "a Superchip with the scenario's sockets" },
	{ "idle.scenario", 5, 1, 6, "one socket if the scenario names none" },
	{ "idle.scenario,sockets=2", 10, 2, 6, "the given number of sockets" },
	{ "guide-gpu-read.scenario", 4, 1, 6, "a Grace Hopper if the scenario has a GPU, without CNVLink if alone" },
	{ "guide-gpu-read.scenario,sockets=2", 10, 2, 6, "two Grace Hoppers with CNVLink" },
	{ "guide-gpu-read.scenario,sockets=4,counters=1", 20, 4, 1, "four Grace Hoppers with one counter each" },
	{ "steady.scenario,chip=gracehopper", 10, 2, 6, "the given chip, Grace Hopper" },
	{ "idle.scenario,chip=superchip,counters=256", 5, 1, 256, "256 counters per PMU" },
	{ "idle.scenario,scenario=" SCENARIOS "steady.scenario", 10, 2, 6, "a second scenario" },
	{ "steady.scenario,sockets=2,sockets=1,sockets=2", 10, 2, 6, "the last of equal options" },
};

static const struct {
	const char *options;
	size_t offset;
	int number;
	const char *message;
} bad[] = {
	{ "", 0, EINVAL,
	  "expected model=FILE[,scenario=FILE][,chip=superchip|gracehopper][,sockets=N][,counters=N]" },
	{ ",sockets=2", 0, EINVAL, "expected model=FILE[,scenario=FILE][,chip=superchip|gracehopper]"
	  "[,sockets=N][,counters=N]" },
	{ "none.scenario", 0, ENOENT, "none.scenario: No such file or directory" },
	{ SCENARIOS, 0, EISDIR, SCENARIOS ": Is a directory" },
	{ "README.md", 0, EINVAL, "README.md:1: expected flow or clock, found \"<!--\"" },
	{ SCENARIOS "idle.scenario,steady", 46, EINVAL,
	  "expected model=FILE[,scenario=FILE][,chip=superchip|gracehopper][,sockets=N][,counters=N], "
	  "found \"steady\"" },
	{ SCENARIOS "idle.scenario,chips=superchip", 46, EINVAL,
	  "expected scenario=, chip=, sockets= or counters=, found \"chips=\"" },
	{ SCENARIOS "idle.scenario,", 46, EINVAL,
	  "expected model=FILE[,scenario=FILE][,chip=superchip|gracehopper][,sockets=N][,counters=N], "
	  "found \"\"" },
	{ SCENARIOS "idle.scenario,chip=hopper", 46, EINVAL,
	  "chip: expected superchip or gracehopper, found \"hopper\"" },
	{ SCENARIOS "idle.scenario,sockets=0", 46, EINVAL,
	  "sockets: expected a number from 1 to 4, found \"0\"" },
	{ SCENARIOS "idle.scenario,sockets=5", 46, EINVAL,
	  "sockets: expected a number from 1 to 4, found \"5\"" },
	{ SCENARIOS "idle.scenario,sockets=", 46, EINVAL,
	  "sockets: expected a number from 1 to 4, found \"\"" },
	{ SCENARIOS "idle.scenario,sockets=3", 0, EINVAL,
	  "sockets: expected 1 or 2 for superchip, found 3" },
	{ SCENARIOS "idle.scenario,sockets=3,chip=gracehopper", 0, EINVAL,
	  "sockets: expected 1, 2 or 4 for gracehopper, found 3" },
	{ SCENARIOS "idle.scenario,counters=257", 46, EINVAL,
	  "counters: expected a number from 1 to 256, found \"257\"" },
	{ SCENARIOS "idle.scenario,counters=-1", 46, EINVAL,
	  "counters: expected a number from 1 to 256, found \"-1\"" },
	{ SCENARIOS "idle.scenario,scenario=none", 46, ENOENT, "none: No such file or directory" },
	{ SCENARIOS "steady.scenario,sockets=1", 0, EINVAL,
	  SCENARIOS "steady.scenario:19: expected a socket below 1, the number of sockets" },
	{ SCENARIOS "guide-gpu-read.scenario,chip=superchip", 0, EINVAL,
	  SCENARIOS "guide-gpu-read.scenario:14: expected no gpu and no gmem: superchip has none" },
};

static void taken(void)
{
	const struct gpmu_pmu *pmu;
	struct bed bed;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		size_t pmus = 0, nodes = 0;
		int counters = 0;

		bed_init(&bed, good[i].options);
		for (size_t k = 0; (pmu = gpmu_machine_pmu(bed.machine, k)); k++) {
			pmus += gpmu_pmu_source(pmu) != NULL;
			counters = gpmu_pmu_source(pmu) ? gpmu_pmu_counter_count(pmu) : counters;
		}
		while (gpmu_machine_node(bed.machine, nodes))
			nodes++;
		if (!ok(pmus == good[i].pmus && nodes == good[i].nodes && counters == good[i].counters,
			"source model: the options %s mean %s", good[i].options, good[i].what))
			diag("%zu PMUs, %zu nodes, %d counters", pmus, nodes, counters);
		bed_release(&bed);
	}
}

static void refused(void)
{
	const size_t begin = strlen(MODEL "=");
	struct gpmu_source *source;
	struct gpmu_error error = { .size = sizeof(error) };
	char spec[800];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		error = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
		errno = 0;
		snprintf(spec, sizeof(spec), "%s=%s", MODEL, bad[i].options);
		source = gpmu_source_new(spec, &error);
		ok(!source && errno == bad[i].number,
		   "source model: the options %s are refused", bad[i].options);
		is_str(error.text, bad[i].message,
		       "source model: a refused option has its message");
		is_u64(error.offset, begin + bad[i].offset,
		       "source model: a refused option has its offset");
		gpmu_source_put(source);
	}
}

/* A path too long for a message is cut at its begin. */
static void long_paths(void)
{
	char folder[230], name[300], spec[800];
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *source;
	struct sysroot root;

	sysroot_init(&root);
	memset(folder, 'd', sizeof(folder) - 1);
	folder[sizeof(folder) - 1] = '\0';
	snprintf(name, sizeof(name), "%s/x.scenario", folder);
	sysroot_put(&root, name, "\n\nflow to nowhere\n");
	snprintf(spec, sizeof(spec), "%s=%s/%s", MODEL, root.path, name);
	source = gpmu_source_new(spec, &error);
	ok(!source && !strncmp(error.text, "/x.scenario:3: expected ", 24),
	   "source model: a long path's error has the file and the line");
	gpmu_source_put(source);
	sysroot_put(&root, name, "\n\n\nflow cpu:1 -> cmem:0 rd rate=1GB/s\n");
	snprintf(spec, sizeof(spec), "%s=%s/%s,sockets=1", MODEL, root.path, name);
	source = gpmu_source_new(spec, &error);
	ok(!source && !strncmp(error.text, "/x.scenario:4: expected ", 24),
	   "source model: a long path's error of a scenario that does not fit has the file and the line");
	gpmu_source_put(source);
	sysroot_release(&root);
}

static void many_scenarios(void)
{
	char spec[4000];
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *source;
	int len = snprintf(spec, sizeof(spec), "%s=" SCENARIOS "idle.scenario", MODEL);

	for (int i = 0; i < 31; i++)
		len += snprintf(spec + len, sizeof(spec) - (size_t)len, ",scenario=" SCENARIOS
				"idle.scenario");
	source = gpmu_source_new(spec, &error);
	ok(source != NULL, "source model: 32 scenarios run side by side");
	gpmu_source_put(source);
	snprintf(spec + len, sizeof(spec) - (size_t)len, ",scenario=x");
	source = gpmu_source_new(spec, &error);
	ok(!source && !strcmp(error.text, "expected at most 32 scenarios"),
	   "source model: a 33rd scenario is refused");
	gpmu_source_put(source);
}

int main(void)
{
	taken();
	refused();
	long_paths();
	many_scenarios();
	return done_testing();
}
