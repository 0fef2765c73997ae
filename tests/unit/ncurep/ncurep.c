// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reports of Nsight Compute: ranges, actions, metrics, NVTX ranges, code; and reports that are damaged. */
#include "ncurep-test.h"

/* The value of a metric of an action, by its name */
static struct gpmu_ncu_value value_of(const struct gpmu_ncu_action *action, const char *name)
{
	struct gpmu_ncu_value value = { .size = sizeof(value), .number = -1 };
	const struct gpmu_ncu_metric *metric = gpmu_ncu_action_find(action, name);

	if (metric)
		gpmu_ncu_metric_value(metric, &value);
	return value;
}

static void test_report(const struct gpmu_ncu_report *report)
{
	struct gpmu_ncu_info info = info_of(report), small = { .size = offsetof(struct gpmu_ncu_info, blocks), .blocks = 99 };

	is_u64(info.version, 7, "report: the version is that of the file header");
	is_u64(info.blocks, 3, "report: the blocks are counted");
	ok(!info.why && !info.unnamed, "report: a whole report has no reason why it was not read, and each metric has a name");
	is_str(info.command, "ncu -o app ./app", "report: the command line is that of the session");
	ok(!gpmu_ncu_report_get_info(report, &small) && small.version == 7 && small.blocks == 99,
	   "report: no byte beyond the size of the information is written");
	small.size = 0;
	ok(gpmu_ncu_report_get_info(report, &small) == -EINVAL, "report: information without a size is refused");
}

static void test_ranges(const struct gpmu_ncu_report *report)
{
	const struct gpmu_ncu_range *range = gpmu_ncu_report_range(report, 0);
	size_t n = 0;

	while (gpmu_ncu_report_range(report, n))
		n++;
	is_u64(n, 5, "range: each stream of a context is a range");
	is_str(range->host, "node1", "range: the host is that of the block");
	is_str(range->process, "app", "range: the program is that of the block");
	ok(range->pid == 100 && range->context == 1 && range->stream == 7, "range: a range has its process, context and stream");
	ok(gpmu_ncu_range_action(range, 1) == gpmu_ncu_report_action(report, 2) && !gpmu_ncu_range_action(range, 2),
	   "range: the actions of a stream are in one range, also those of another block");
}

static void test_actions(const struct gpmu_ncu_report *report)
{
	static const enum gpmu_ncu_work works[] = {
		GPMU_NCU_KERNEL, GPMU_NCU_KERNEL, GPMU_NCU_KERNEL, GPMU_NCU_RANGE, GPMU_NCU_CMDLIST, GPMU_NCU_GRAPH,
	};
	const struct gpmu_ncu_action *action = gpmu_ncu_report_action(report, 0);
	bool is_as_written = true;

	for (size_t i = 0; i < 6; i++)
		is_as_written = is_as_written && gpmu_ncu_report_action(report, i)->work == works[i];
	ok(is_as_written && !gpmu_ncu_report_action(report, 6), "action: kernels, ranges, command lists and graphs are read in the order of the file");
	is_str(action->name, "saxpy", "action: a kernel has its name");
	is_str(action->demangled, "saxpy(int, float*)", "action: a kernel has its name with arguments");
	ok(action->grid[0] == 64 && action->grid[1] == 2 && action->grid[2] == 1, "action: a kernel has the size of its grid");
	ok(action->block[0] == 256 && action->block[1] == 1, "action: a kernel has the size of its blocks");
	ok(action->thread == 77 && action->api_call == 1 && action->time == 1700000000, "action: thread, call and time are read");
	is_str(gpmu_ncu_report_action(report, 4)->name, "list0", "action: a command list has its name");
	ok(!gpmu_ncu_report_action(report, 5)->name, "action: a graph has no name");
}

static void test_values(const struct gpmu_ncu_action *action)
{
	struct gpmu_ncu_value value = value_of(action, "gpu__time_duration.sum");

	ok(value.kind == GPMU_NCU_UINT64 && value.integer == 2000 && value.number == 2000, "metric: a value of 64 bits is read");
	value = value_of(action, "launch__registers_per_thread");
	ok(value.kind == GPMU_NCU_UINT32 && value.integer == 40, "metric: a value of 32 bits is read");
	value = value_of(action, "dram__bytes_read.sum");
	ok(value.kind == GPMU_NCU_DOUBLE && value.number == 6000 && value.integer == 6000, "metric: a double is read");
	value = value_of(action, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
	ok(value.kind == GPMU_NCU_FLOAT && value.number == 12.5 && value.integer == 12, "metric: a float is read, and truncated as an integer");
	value = value_of(action, "device__attribute_display_name");
	ok(value.kind == GPMU_NCU_TEXT && isnan(value.number) && !value.integer, "metric: a text is no number");
	is_str(value.text, "NVIDIA H200", "metric: a text is read");
	value = value_of(action, "inst_executed");
	ok(value.kind == GPMU_NCU_MISSING && isnan(value.number), "metric: a metric with instances only has no value");
	ok(!gpmu_ncu_action_find(action, "dram__bytes_read") && !gpmu_ncu_action_find(action, "z"), "metric: a name that the action lacks is not found");
	value.size = 0;
	ok(gpmu_ncu_metric_value(gpmu_ncu_action_metric(action, 0), &value) == -EINVAL, "metric: a value without a size is refused");
	is_str(gpmu_ncu_action_metric(action, 1)->name, "dram__bytes_read.sum", "metric: the metrics have the order of the file");
	ok(!gpmu_ncu_action_metric(action, 8), "metric: there is no metric after the last");
}

static void test_instances(const struct gpmu_ncu_action *action)
{
	const struct gpmu_ncu_metric *metric = gpmu_ncu_action_find(action, "inst_executed");
	struct gpmu_ncu_value id = { .size = sizeof(id) }, value = { .size = sizeof(value) };

	ok(metric->instances == 2 && metric->correlated, "instances: instances of a metric of source code have identifiers");
	ok(!gpmu_ncu_metric_instance(metric, 1, &id, &value) && id.integer == 4112 && value.number == 64,
	   "instances: the identifier is the address of the instruction");
	ok(gpmu_ncu_metric_instance(metric, 2, &id, &value) == -ENOENT, "instances: there is no instance after the last");
	metric = gpmu_ncu_action_find(action, "sm__cycles_active.sum");
	ok(metric->instances == 2 && !metric->correlated, "instances: instances of units of the GPU have no identifiers");
	ok(!gpmu_ncu_metric_instance(metric, 0, &id, &value) && id.kind == GPMU_NCU_MISSING && value.number == 1,
	   "instances: the identifier of an instance of a unit is missing");
	ok(!gpmu_ncu_metric_instance(metric, 1, NULL, &value) && value.number == 2, "instances: a program may ask for the value alone");
}

static void test_names(void)
{
	static const struct {
		const char *name, *submetric, *unit;
		enum gpmu_ncu_type type;
		enum gpmu_ncu_rollup rollup;
	} names[] = {
		{ "dram__bytes_read.sum.per_second", "per_second", "B/s", GPMU_NCU_COUNTER, GPMU_NCU_SUM },
		{ "dram__bytes_read.sum", NULL, "B", GPMU_NCU_COUNTER, GPMU_NCU_SUM },
		{ "gpu__time_duration.max", NULL, "ns", GPMU_NCU_COUNTER, GPMU_NCU_MAX },
		{ "gpc__cycles_elapsed.avg.per_second", "per_second", "Hz", GPMU_NCU_COUNTER, GPMU_NCU_AVG },
		{ "sm__throughput.avg.pct_of_peak_sustained_elapsed", "pct_of_peak_sustained_elapsed", "%", GPMU_NCU_THROUGHPUT, GPMU_NCU_AVG },
		{ "lts__t_sector_hit_rate.pct", NULL, "%", GPMU_NCU_RATIO, GPMU_NCU_NONE },
		{ "smsp__warps_per_inst.ratio", NULL, NULL, GPMU_NCU_RATIO, GPMU_NCU_NONE },
		{ "smsp__inst_executed.min.per_cycle_active", "per_cycle_active", "instructions/cycle", GPMU_NCU_COUNTER, GPMU_NCU_MIN },
		{ "PCI.TriageCompute.pcie__read_bytes.sum", NULL, "B", GPMU_NCU_COUNTER, GPMU_NCU_SUM },
		{ "launch__shared_mem_per_block", NULL, "B", GPMU_NCU_OTHER, GPMU_NCU_NONE },
		{ "launch__grid_size", NULL, NULL, GPMU_NCU_OTHER, GPMU_NCU_NONE },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct gpmu_ncu_report *report;
		const struct gpmu_ncu_metric *metric;
		char text[256];

		snprintf(text, sizeof(text), "kernel k\nu64 %s 1\n", names[i].name);
		report = read_text(text);
		metric = gpmu_ncu_action_metric(gpmu_ncu_report_action(report, 0), 0);
		ok(metric->type == names[i].type && metric->rollup == names[i].rollup, "name: %s has its type and rollup", names[i].name);
		ok((!metric->unit && !names[i].unit) || (metric->unit && names[i].unit && !strcmp(metric->unit, names[i].unit)),
		   "name: %s has its unit", names[i].name);
		ok((!metric->submetric && !names[i].submetric) ||
		   (metric->submetric && names[i].submetric && !strcmp(metric->submetric, names[i].submetric)),
		   "name: %s has its last part", names[i].name);
		gpmu_ncu_report_free(report);
	}
}

static void test_nvtx(const struct gpmu_ncu_report *report)
{
	const struct gpmu_ncu_action *action = gpmu_ncu_report_action(report, 0);
	const struct gpmu_ncu_nvtx *range = gpmu_ncu_action_nvtx(action, 1);

	is_str(range->name, "forward", "nvtx: ranges of a stack come from the outermost on");
	ok(range->pushed && range->depth == 1 && range->thread == 77, "nvtx: a pushed range has its thread and depth");
	is_str(range->domain, "", "nvtx: the default domain has no name");
	ok(range->category == 5 && range->color == 0xff00ff00, "nvtx: a range has its category and color");
	range = gpmu_ncu_action_nvtx(action, 2);
	ok(!range->pushed && range->thread == 78, "nvtx: a started range has its thread");
	is_str(range->name, "request", "nvtx: a started range has its name");
	is_str(range->domain, "library", "nvtx: a range has the name of its domain");
	ok(!gpmu_ncu_action_nvtx(action, 3) && !gpmu_ncu_action_nvtx(gpmu_ncu_report_action(report, 1), 0),
	   "nvtx: there is no range after the last");
}

static void test_filter(void)
{
	static const struct {
		const char *filter;
		int want;
	} filters[] = {
		{ "step/", 1 }, { "layer/", 1 }, { "none/", 0 }, { "step", 0 }, { "request/", 0 }, { "request", 0 },
		{ "library@request", 1 }, { "library@step/", 0 }, { "step/forward", 1 }, { "step/layer", 0 }, { "forward/step", 0 },
		{ "step/*/layer", 1 }, { "step/*/forward", 1 }, { "[step/", 1 }, { "[forward/", 0 }, { "layer]", 1 }, { "forward]", 0 },
		{ "[step/*/layer]", 1 }, { "[step/layer]", 0 }, { "[step/forward/layer]", 1 }, { "[step/forward]", 0 }, { "layer/", 1 },
		{ "step/*/*/layer", 1 }, { "step/*/layer/*/layer", 0 }, { "", -EINVAL }, { "library@", -EINVAL }, { "a//b", -EINVAL }, { "/a", -EINVAL },
	};
	struct gpmu_ncu_report *report = read_text("kernel k\npush 7 step\npush 7 forward\npush 7 layer\nstart 7 request\n");

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		ok(gpmu_ncu_action_matches(gpmu_ncu_report_action(report, 0), filters[i].filter) == filters[i].want,
		   "filter: the stack step, forward, layer and the started range of a library give %d for \"%s\"", filters[i].want, filters[i].filter);
	gpmu_ncu_report_free(report);
}

static void test_source(const struct gpmu_ncu_report *report)
{
	const struct gpmu_ncu_source *source = gpmu_ncu_action_source(gpmu_ncu_report_action(report, 0));
	const char *content;

	ok(source && source->binary_size == 4 && !memcmp(source->binary, "\177ELF", 4), "source: a kernel has the code of its reference");
	if (!source)
		return;
	is_u64(source->sm_version, 90, "source: the compute capability is read");
	is_str(gpmu_ncu_source_file(source, 0, &content), "app.cu", "source: a source file has its name");
	is_str(content, "__global__ void saxpy()", "source: a source file has its text");
	ok(!gpmu_ncu_source_file(source, 1, &content) && !content, "source: there is no source file after the last");
	ok(!gpmu_ncu_action_source(gpmu_ncu_report_action(report, 1)), "source: a kernel without a reference has no code");
}

static void test_eval(const struct gpmu_ncu_report *report)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_ncu_action *action = gpmu_ncu_report_action(report, 0);
	const struct gpmu_metric *metric = NULL;
	double value = -1;
	int ret = -ENOENT;

	for (size_t i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++)
		if (!strcmp(gpmu_metric_name(metric), "GpuDramBW") && strstr(gpmu_metric_expr(metric), "dram__bytes_read"))
			break;
	ret = gpmu_ncu_action_eval(action, metric, &value);
	ok(!ret && fabs(value - 4) < 1e-9, "eval: GpuDramBW is the bytes over the kernel's time, 8000 B in 2 us");
	ok(gpmu_ncu_action_eval(gpmu_ncu_report_action(report, 1), metric, &value) == -ENOENT,
	   "eval: a metric whose events the action lacks is not evaluated");
	metric = gpmu_catalog_find_metric(catalog, "GraceMemBW", NULL);
	ok(gpmu_ncu_action_eval(action, metric, &value) == -ENOENT, "eval: a metric of another PMU is not evaluated");
	gpmu_catalog_free(catalog);
}

/* --- damage */

static void test_cut(void)
{
	size_t length, last = 0;
	uint8_t *data = ncurep_write(sample, &length);
	bool is_good = true, has_all_names = true;

	for (size_t n = sizeof("NVR"); n < length; n++) {
		struct gpmu_error error = { .size = sizeof(error) };
		struct gpmu_ncu_report *report = read_bytes(data, n, &error);
		struct gpmu_ncu_info info;
		size_t actions = 0;

		if (!report) {
			is_good = false;
			break;
		}
		info = info_of(report);
		while (gpmu_ncu_report_action(report, actions))
			actions++;
		/* A file that is cut between two blocks is whole. */
		is_good = is_good && (info.why ? info.end <= n : info.end == n) && actions >= last;
		has_all_names = has_all_names && !info.unnamed;
		last = actions;
		gpmu_ncu_report_free(report);
	}
	ok(is_good, "damage: a report that is cut at any byte has the results before the cut, and an offset before it");
	ok(has_all_names, "damage: the results before a cut have all names");
	is_u64(last, 5, "damage: a cut in the last byte costs the last result only");
	free(data);
}

static void test_cut_text(void)
{
	size_t length;
	uint8_t *data = ncurep_write("kernel k\nu64 a__b.sum 1\nkernel l\nu64 a__b.sum 2\n", &length);
	struct gpmu_ncu_report *report = read_bytes(data, length - 3, NULL);
	struct gpmu_ncu_info info = info_of(report);
	char text[128];

	snprintf(text, sizeof(text), "r:%" PRIu64 ": the file is cut off: expected the result of a kernel of ", info.end);
	ok(info.why && !strncmp(info.why, text, strlen(text)), "damage: the reason has the offset at which the incomplete result begins");
	ok(gpmu_ncu_report_action(report, 0) && !gpmu_ncu_report_action(report, 1), "damage: the result before an incomplete one is read");
	gpmu_ncu_report_free(report);
	free(data);
}

/* Changes the byte at the first place of @from, and reads the report. */
static struct gpmu_ncu_report *changed(const char *text, const char *from, size_t n, size_t offset, uint8_t to)
{
	size_t length;
	uint8_t *data = ncurep_write(text, &length), *found = memmem(data, length, from, n);
	struct gpmu_ncu_report *report;

	if (!found)
		abort();
	found[offset] = to;
	report = read_bytes(data, length, NULL);
	free(data);
	return report;
}

static void test_damage(void)
{
	struct gpmu_ncu_report *report = changed("kernel k\n", "\x08\x00\x10\x01\x28", 5, 5, 6);

	ok(info_of(report).why && strstr(info_of(report).why, "but its block has"), "damage: an entry that exceeds its block is refused");
	gpmu_ncu_report_free(report);
	report = changed("kernel k\n", "\x10\x01\x28", 3, 1, 2);
	ok(info_of(report).why && strstr(info_of(report).why, "found the end of the block"), "damage: a block with fewer entries than it promises is refused");
	ok(gpmu_ncu_report_action(report, 0), "damage: the entries of a block that has fewer than it promises are read");
	gpmu_ncu_report_free(report);
	/* The first field of the result gets a wire type that does not exist. */
	report = changed("kernel k\nblock\nkernel l\n", "\x08\x4d\x10\x01", 4, 0, 0x0f);
	ok(info_of(report).why && strstr(info_of(report).why, "expected the result of a kernel, found "), "damage: bytes that are no message are refused");
	ok(!gpmu_ncu_report_action(report, 0), "damage: bytes that are no message make no action");
	gpmu_ncu_report_free(report);
	report = changed("kernel k\nlist a__b.sum\n", "\x6a\x02\x08", 3, 3, 9);
	is_u64(info_of(report).unnamed, 1, "damage: a metric whose name is not in the file is counted");
	ok(!gpmu_ncu_action_metric(gpmu_ncu_report_action(report, 0), 0), "damage: a metric whose name is not in the file is left out");
	gpmu_ncu_report_free(report);
}

static void test_refused(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_ncu_report *report;

	errno = 0;
	ok(!read_bytes((const uint8_t *)"NVRX----", 8, &error) && errno == EINVAL, "refused: a file without the magic is no report");
	is_str(error.text, "r:0: expected a report of Nsight Compute, which begins with NVR and a zero byte",
	       "refused: the error for a file without the magic has the expected begin");
	ok(!read_bytes((const uint8_t *)"", 0, &error) && errno == EINVAL, "refused: an empty file is no report");
	ok(!gpmu_ncu_report_new(-1, "r", &error) && errno == EBADF, "refused: an error of reading is returned");
	is_str(error.text, "r:0: Bad file descriptor", "refused: the error names an error of reading");
	gpmu_ncu_report_free(NULL);
	report = read_text("version 8\nkernel k\nu64 gpu__time_duration.sum 5\n");
	ok(info_of(report).version == 8 && value_of(gpmu_ncu_report_action(report, 0), "gpu__time_duration.sum").number == 5,
	   "version: a report of another version is read as far as it is like version 7");
	gpmu_ncu_report_free(report);
}

int main(void)
{
	struct gpmu_ncu_report *report = read_text(sample);

	test_report(report);
	test_ranges(report);
	test_actions(report);
	test_values(gpmu_ncu_report_action(report, 0));
	test_instances(gpmu_ncu_report_action(report, 0));
	test_nvtx(report);
	test_source(report);
	test_eval(report);
	gpmu_ncu_report_free(report);
	test_names();
	test_filter();
	test_cut();
	test_cut_text();
	test_damage();
	test_refused();
	return done_testing();
}
