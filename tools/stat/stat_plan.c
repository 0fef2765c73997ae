// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stat/stat_plan.h"
#include "stat/stat_sections.h"

/* Events without -e and -M, as in perf: after the clock of the CPUs, or of tasks */
static const char system_events[] =
	"cpu-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";
const char stat_default_events[] =
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";

/* Events added by each -d, as in perf */
static const char *const detailed_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Metrics added by -a, if the machine has them: the bandwidths of a Grace's memory and links */
static const char *const default_metrics[] = {
	"GraceMemBW", "GraceGpuMemBW", "GraceRemoteBW", "GracePcieBW", "GraceC2c0BW",
	"GraceC2c1BW", "GraceCnvlinkBW",
};

/* Metrics added by --gpu, which fit one pass on every chip */
static const char *const default_gpu_metrics[] = { "GpuSmActive", "GpuDramBW", "GpuPcieBW" };

/* Requests those of @names that the machine has. */
static void add_metrics(struct common *common, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct gpmu_metric *metric;

		metric = gpmu_catalog_find_metric(common->catalog, names[i], common->machine);
		if (metric && gpmu_metric_supported(metric, common->machine) == 1)
			common_request(common, true, names[i]);
	}
}

static void add_defaults(struct stat_options *options)
{
	struct common *common = &options->common;

	common_request(common, false, stat_counts_cpus(options) ? system_events : stat_default_events);
	if (options->is_system_wide && !options->cgroups.list)
		add_metrics(common, default_metrics,
			    ARRAY_SIZE(default_metrics));
	if (common->wants_gpu)
		add_metrics(common, default_gpu_metrics,
			    ARRAY_SIZE(default_gpu_metrics));
}

static void add_topdown(struct stat_options *options)
{
	static const char *const groups[] = {
		"TopdownL1", "TopdownL2", "TopdownL3", "TopdownL4", "TopdownL5", "TopdownL6",
	};
	const size_t max = ARRAY_SIZE(groups);

	if (!options->topdown)
		return;
	if (options->topdown > max)
		die("--td-level: expected 1 to %zu", max);
	common_request(&options->common, true, groups[options->topdown - 1]);
}

static void add_details(struct stat_options *options)
{
	for (size_t i = 0; i < options->details && i < ARRAY_SIZE(detailed_events); i++)
		common_request(&options->common, false, detailed_events[i]);
}

struct gpmu_plan *stat_plan(struct stat_options *options)
{
	struct common *common = &options->common;
	struct gpmu_plan *plan;
	bool is_asked;

	stat_sections_request(options);
	add_topdown(options);
	is_asked = common->request_count > 0;
	if (!is_asked)
		add_defaults(options);
	add_details(options);
	common->wants_tasks = !stat_counts_cpus(options);
	plan = stat_cgroups_plan(&options->cgroups, common, stat_counts_cpus(options));
	if (is_asked || common->is_verbose) {
		common_plan_warnings(plan);
		common_hints(common, plan);
	}
	if (common->is_verbose)
		common_explain(plan);
	aggregation_check(&options->aggregation, stat_counts_cpus(options), plan);
	common_need_here(common, plan);
	return plan;
}
