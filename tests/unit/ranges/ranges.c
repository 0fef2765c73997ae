// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ranges: requested metrics, the tree of names, and values that are combined */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/gpmu_legacy.h"
#include "gpmu.h"
#include "ranges/gpmu_ranges.h"
#include "tap.h"

#define CHIP	"GH100"
#define FORMULAS 215	/* of the names in legacy.tsv */

enum { FIRST = 10, SECOND = 11 };	/* processes */

static struct gpmu_catalog *catalog;
static struct gpmu_recorder_ranges calls;	/* of the table under test */

static struct gpmu_ranges *make(const char *list, int wants_each)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_ranges *ranges = gpmu_ranges_new(catalog, CHIP, list, wants_each, &error);

	if (!ranges) {
		printf("Bail out! %s: %s\n", list, error.text);
		exit(1);
	}
	calls = (struct gpmu_recorder_ranges){ .size = sizeof(calls) };
	gpmu_ranges_connect(ranges, &calls);
	return ranges;
}

static void put_name(pid_t pid, uint32_t id, uint32_t parent, const char *text)
{
	ok(!calls.name(calls.user, pid, id, parent, text), "ranges: the name %s is taken", text);
}

static void put(pid_t pid, uint32_t name, uint64_t number, double first, double second)
{
	const double values[] = { first, second };

	if (calls.range(calls.user, pid, name, number, 1, values, calls.metric_count))
		ok(false, "ranges: range %u is taken", (unsigned int)number);
}

static void is_value(const struct gpmu_ranges *ranges, size_t row, size_t request, double want, const char *what)
{
	const double got = gpmu_ranges_value(ranges, row, request);

	if (!ok(fabs(got - want) < 1e-9, "%s", what))
		diag("got %g, want %g", got, want);
}

/* Compares "PATH COUNT NUMBER LEVEL" of each row. */
static void are_rows(const struct gpmu_ranges *ranges, const char *want, const char *what)
{
	char text[1024] = "";
	struct gpmu_ranges_row row;

	for (size_t i = 0; !gpmu_ranges_row(ranges, i, &row); i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %d %d %u", i ? "; " : "", row.path, (int)row.count,
			 (int)row.number, row.level);
	is_str(text, want, what);
}

static void are_metrics(const char *list, const char *want, const char *what)
{
	struct gpmu_ranges *ranges = make(list, 0);
	size_t length;
	const char *const *metrics = gpmu_ranges_metrics(ranges, &length);
	char text[512] = "";

	for (size_t i = 0; i < length; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", metrics[i]);
	is_str(text, want, what);
	gpmu_ranges_free(ranges);
}

static void is_refused(const char *list, int code, const char *want, const char *what)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_ranges *ranges = gpmu_ranges_new(catalog, CHIP, list, 0, &error);

	if (!ok(!ranges && errno == code && strstr(error.text, want), "%s", what))
		diag("%s", error.text);
	gpmu_ranges_free(ranges);
}

/* --- requests */

static void check_requests(void)
{
	struct gpmu_ranges *ranges = make("GpuDramReadBW,a__b.sum", 0);

	is_str(gpmu_ranges_name(ranges, 0), "GpuDramReadBW", "ranges: a request has the name that was given");
	is_str(gpmu_ranges_unit(ranges, 0), "GB/s", "ranges: a metric of the catalog has its own unit");
	is_str(gpmu_ranges_unit(ranges, 1), "", "ranges: a metric of CUPTI has no unit before it is set");
	ok(!gpmu_ranges_set_unit(ranges, 2, "bytes"), "ranges: the unit of a metric can be set");
	is_str(gpmu_ranges_unit(ranges, 1), "bytes", "ranges: a metric of CUPTI has the unit that was set");
	ok(!gpmu_ranges_name(ranges, 2), "ranges: there is no name after the last request");
	gpmu_ranges_free(ranges);
	are_metrics("GpuDramReadBW,dram__bytes_read.sum", "dram__bytes_read.sum gpu__time_duration.sum",
		    "ranges: a metric of two requests is collected once, and a duration is the time of the GPU");
	is_refused("a__b.sum,GraceMemBW", EINVAL, "GraceMemBW: no metric of this GPU", "ranges: a metric of another PMU is refused");
	is_refused("nothing", EINVAL, "nothing: no metric of this GPU", "ranges: an unknown name is refused");
	is_refused("inst_replay_overhead", ENOTSUP, "inst_replay_overhead: no mode of CUPTI collects it",
		   "ranges: a former name that nothing counts is refused with the reason");
}

/* --- names of CUPTI's former APIs */

static void check_legacy(void)
{
	const struct gpmu_legacy *legacy;
	struct gpmu_ranges *ranges = make("sysmem_read_bytes,l2_tex_write_throughput", 0);
	unsigned int accepted = 0, formulas = 0;
	const double values[] = { 3, 1e9, 5e8 };

	is_str(gpmu_ranges_unit(ranges, 0), "B", "ranges: a former name has the unit of its table");
	put_name(FIRST, 1, 0, "kernel");
	calls.range(calls.user, FIRST, 1, 0, 1, values, 3);
	are_rows(ranges, "kernel 1 0 0", "ranges: formulas of former names have rows");
	is_value(ranges, 0, 0, 96, "ranges: a former name has the value of its formula");
	is_value(ranges, 0, 1, 64, "ranges: a former throughput is bytes by the time of the GPU");
	gpmu_ranges_free(ranges);
	are_metrics("dram_read_throughput", "dram__bytes_read.sum gpu__time_duration.sum",
		    "ranges: a former name whose formula is a metric of the catalog has the formula of that metric");
	are_metrics("ipc", "smsp__inst_executed.sum smsp__cycles_active.sum",
		    "ranges: a former name is not taken for a metric of the CPU");
	for (size_t i = 0; (legacy = gpmu_legacy(i)); i++) {
		ranges = gpmu_ranges_new(catalog, CHIP, legacy->name, 0, NULL);
		accepted += ranges != NULL;
		formulas += legacy->formula != NULL;
		if (!ranges && legacy->formula)
			diag("%s is refused", legacy->name);
		gpmu_ranges_free(ranges);
	}
	is_u64(formulas, FORMULAS, "ranges: the number of former names with a formula is as known");
	is_u64(accepted, FORMULAS, "ranges: each former name with a formula is accepted, whatever its mode");
}

/* --- metrics of ranges only */

static void check_catalog(void)
{
	struct gpmu_ranges *ranges = make("GpuFlops32,GpuFlops64,GpuFlops16,GpuL2HitRate", 0);
	/* FP32 additions, multiplications, FMAs, the time of the GPU in ns; the same of FP64 and FP16; hits and sectors */
	const double values[] = { 1e9, 2e9, 4e9, 5e8, 2e9, 1e9, 1e9, 1e9, 2e9, 3e9, 30, 0, 40, 20 };

	put_name(FIRST, 1, 0, "kernel");
	ok(!calls.range(calls.user, FIRST, 1, 0, 1, values, sizeof(values) / sizeof(*values)), "ranges: values of 14 metrics are taken");
	are_rows(ranges, "kernel 1 0 0", "ranges: metrics of ranges have a row");
	is_str(gpmu_ranges_unit(ranges, 0), "GFLOP/s", "ranges: GpuFlops32 has its unit");
	is_value(ranges, 0, 0, 22, "ranges: GpuFlops32 counts an FMA as two operations");
	is_value(ranges, 0, 1, 10, "ranges: GpuFlops64 counts an FMA as two operations");
	is_value(ranges, 0, 2, 36, "ranges: GpuFlops16 counts two operations for each instruction, and four for an FMA");
	is_value(ranges, 0, 3, 50, "ranges: GpuL2HitRate is a percentage of reads and writes");
	gpmu_ranges_free(ranges);
}

/* --- values */

static void check_rollups(void)
{
	static const struct {
		const char *metric;
		double want;
		const char *what;
	} rollups[] = {
		{ "a__b.sum", 10, "ranges: sums are added" },
		{ "a__b.avg", 10, "ranges: averages over the units of a chip are added" },
		{ "a__b.max", 7, "ranges: the maximum of several ranges is the largest" },
		{ "a__b.min", 3, "ranges: the minimum of several ranges is the smallest" },
		{ "a__b.sum.pct_of_peak_sustained_elapsed", 4, "ranges: percentages are averaged by the time of the GPU" },
		{ "a__b.ratio", 4, "ranges: ratios are averaged by the time of the GPU" },
	};

	for (size_t i = 0; i < sizeof(rollups) / sizeof(*rollups); i++) {
		char list[128];
		struct gpmu_ranges *ranges;

		snprintf(list, sizeof(list), "%s,gpu__time_duration.sum", rollups[i].metric);
		ranges = make(list, 0);
		put_name(FIRST, 1, 0, "kernel");
		put(FIRST, 1, 0, 3, 300);
		put(FIRST, 1, 1, 7, 100);
		are_rows(ranges, "kernel 2 0 0", "ranges: ranges of a name are one row");
		is_value(ranges, 0, 0, rollups[i].want, rollups[i].what);
		gpmu_ranges_free(ranges);
	}
}

static void check_means(void)
{
	struct gpmu_ranges *ranges = make("a__b.ratio,a__c.sum", 0);

	put_name(FIRST, 1, 0, "kernel");
	put(FIRST, 1, 0, 3, 300);
	put(FIRST, 1, 1, 7, 100);
	are_rows(ranges, "kernel 2 0 0", "ranges: ranges without a time are one row");
	is_value(ranges, 0, 0, 5, "ranges: without the time of the GPU each range has the same weight");
	gpmu_ranges_free(ranges);
}

/* --- the tree */

static void check_tree(void)
{
	struct gpmu_ranges *ranges = make("a__b.sum,a__c.sum", 0);

	put_name(FIRST, 1, 0, "step");
	put_name(FIRST, 2, 1, "solve");
	put_name(SECOND, 7, 0, "other");
	put_name(SECOND, 1, 0, "step");
	put_name(SECOND, 2, 1, "solve");
	put(FIRST, 2, 0, 1, 0);
	put(FIRST, 1, 0, 10, 0);
	put(SECOND, 2, 3, 2, 0);
	put(SECOND, 1, 3, 20, 0);
	put(SECOND, 7, 4, 5, 0);
	put(SECOND, 99, 5, 5, 0);
	ok(!calls.range(calls.user, FIRST, 1, 6, 1, (double[]){ 1 }, 1), "ranges: a range with another number of values is no error");
	are_rows(ranges, "step 2 0 0; step/solve 2 0 1; other 1 4 0",
		 "ranges: rows are in the order of the tree, names of several processes are one, and unknown ones are left out");
	is_value(ranges, 0, 0, 30, "ranges: an outer range has its own value");
	is_value(ranges, 1, 0, 3, "ranges: an inner range has its own value");
	gpmu_ranges_free(ranges);
}

static void check_each(void)
{
	struct gpmu_ranges *ranges = make("a__b.sum,a__c.sum", 1);

	put_name(FIRST, 1, 0, "kernel");
	put(FIRST, 1, 4, 3, 0);
	put(FIRST, 1, 9, 7, 0);
	are_rows(ranges, "kernel 1 4 0; kernel 1 9 0", "ranges: each range has a row if wanted");
	is_value(ranges, 1, 0, 7, "ranges: a row of a range has its value");
	gpmu_ranges_free(ranges);
}

/* --- numbers of ranges */

static void put_numbers(pid_t pid, unsigned int passes, bool is_complete)
{
	const struct gpmu_recorder_range_numbers numbers = {
		.size = sizeof(numbers), .seen = 5, .counted = 3, .passes = passes, .is_complete = is_complete,
		.checkpoints = { 1, 2, 3, 4, 5, 6, 7 },
		.lost = { [GPMU_RECORDER_RANGE_DROPPED] = 2 },
	};

	ok(!calls.end(calls.user, pid, &numbers), "ranges: numbers of process %d are taken", (int)pid);
}

static void check_numbers(void)
{
	struct gpmu_ranges *ranges = make("a__b.sum,a__c.sum", 0);
	const struct gpmu_recorder_range_numbers *numbers = gpmu_ranges_numbers(ranges);

	put_numbers(FIRST, 3, true);
	ok(numbers->is_complete, "ranges: passes are complete if those of the only process are");
	put_numbers(SECOND, 2, false);
	ok(numbers->seen == 10 && numbers->counted == 6 && numbers->lost[GPMU_RECORDER_RANGE_DROPPED] == 4,
	   "ranges: numbers of processes are added");
	ok(!memcmp(&numbers->checkpoints, &(struct gpmu_recorder_checkpoints){ 2, 4, 6, 8, 10, 12, 14 },
		   sizeof(numbers->checkpoints)), "ranges: numbers of checkpoints are added");
	is_u64(numbers->passes, 3, "ranges: the passes are the largest of all processes");
	ok(!numbers->is_complete, "ranges: passes are not complete if those of one process are not");
	put_name(FIRST, 1, 0, "old");
	gpmu_ranges_restart(ranges);
	ok(!numbers->seen && !numbers->is_complete, "ranges: another run begins with no numbers");
	put(FIRST, 1, 0, 1, 1);
	are_rows(ranges, "", "ranges: a number of a name has no meaning in another run");
	gpmu_ranges_free(ranges);
}

int main(void)
{
	catalog = gpmu_catalog_new(NULL, NULL);
	check_requests();
	check_legacy();
	check_catalog();
	check_rollups();
	check_means();
	check_tree();
	check_each();
	check_numbers();
	gpmu_ranges_free(NULL);
	gpmu_catalog_free(catalog);
	return done_testing();
}
