// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A report as a library: its life, errors, links and counters. tests/tools/report.t tests the
 * content of its tables.
 */
#include <math.h>
#include <stdbool.h>

#include "report/gpmu_report.h"
#include "trace/trace-test.h"

static int add(struct gpmu_report *report, const struct test_trace *t, struct gpmu_error *error)
{
	lseek(t->fd, 0, SEEK_SET);
	return gpmu_report_add(report, t->fd, "a.pftrace", error);
}

static void test_life(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_report_table *table;
	struct gpmu_trace_event event;
	struct gpmu_report *report;
	struct test_trace t;
	bool is_right = true;
	int stream;
	size_t n;

	test_trace_init(&t, 0, 0);
	stream = gpmu_trace_track(t.trace, gpmu_trace_track(t.trace, 0, "GPU 0: X (GPU-1)"), "1 a: stream 7");
	event = event_on(stream, 10, "k");
	event.category = "kernel";
	gpmu_trace_slice(t.trace, &event, 5);
	gpmu_trace_flush(t.trace, NULL);
	report = gpmu_report_new(NULL, &error);
	ok(report && !gpmu_report_table(report, 0), "report: it has no table before it is made");
	ok(!add(report, &t, &error) && !gpmu_report_make(report, &error),
	   "report: it is made of one trace");
	table = gpmu_report_table(report, 0);
	is_str(table->name, "kernels", "report: its first table is that of kernels");
	ok(table->row_count == 1 && table->column_count == 7 && !strcmp(table->cells[0].text, "k") &&
	   table->cells[3].known && table->cells[3].number == 5,
	   "report: the cells of a row are in the order of the columns");
	is_str(table->columns[table->sorted_by].name, "total",
	       "report: kernels are sorted by their total");
	for (n = 0; (table = gpmu_report_table(report, n)); n++)
		is_right = is_right && table->size == sizeof(*table) &&
			   (table->row_count || table->note || !strcmp(table->name, "audit") ||
			    !strcmp(table->name, "nvtx_counters") || !strcmp(table->name, "nvtx_tiers"));
	ok(n > 1 && is_right,
	   "report: each table except audit, nvtx_counters and nvtx_tiers has rows or a note why it has none");
	ok(add(report, &t, &error) == -EINVAL && !strcmp(error.text, "the report has already been made"),
	   "report: a report that has been made refuses another trace");
	ok(gpmu_report_make(report, NULL) == -EINVAL, "report: a second make is refused");
	gpmu_report_free(report);
	gpmu_report_free(NULL);
	test_trace_release(&t);
}

static void test_options(void)
{
	const struct gpmu_report_options none = { 0 }, wrong = { .size = sizeof(wrong), .link = "x" };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_report *report;
	bool is_right = true;

	ok(!gpmu_report_new(&none, NULL) && errno == EINVAL,
	   "report: options without a size are refused");
	ok(!gpmu_report_new(&wrong, &error) && errno == EINVAL,
	   "report: an unknown link is refused");
	ok(strstr(error.text, "c2c, pcie, nvlink or dram") != NULL,
	   "report: the error for an unknown link lists the known ones");
	for (size_t i = 0; gpmu_report_link(i); i++) {
		const struct gpmu_report_options options = { .size = sizeof(options), .link = gpmu_report_link(i) };

		report = gpmu_report_new(&options, NULL);
		is_right = is_right && report;
		gpmu_report_free(report);
	}
	ok(is_right && gpmu_report_link(3) && !gpmu_report_link(4),
	   "report: each of the four links is accepted");
	report = gpmu_report_new(NULL, NULL);
	ok(!gpmu_report_make(report, NULL) && gpmu_report_table(report, 0)->row_count == 0,
	   "report: without a trace the first table has no rows");
	gpmu_report_free(report);
}

/* --- counters */

/* Writes counters of 10 ms, which begin at 1 ms. */
static void write_counters(struct gpmu_trace *trace, int rank)
{
	const struct gpmu_trace_arg all[] = {
		{ .name = "rank", .integer = rank }, { .name = "begin", .integer = 1000000 },
		{ .name = "end", .integer = 11000000 },
	};
	const struct gpmu_trace_arg parent = { .name = "of", .kind = GPMU_TRACE_TEXT, .text = "node 1" };
	const struct gpmu_trace_arg total[] = {
		{ .name = "counter", .kind = GPMU_TRACE_TEXT, .text = "instructions" },
		{ .name = "of", .kind = GPMU_TRACE_TEXT, .text = "machine" },
		{ .name = "kind", .kind = GPMU_TRACE_TEXT, .text = "total" },
		{ .name = "share", .kind = GPMU_TRACE_DOUBLE, .real = 0.25 },
	};
	/* Intervals of 1, 3 and 6 ms */
	static const uint64_t times[] = { 1000000, 2000000, 5000000, 11000000 };
	static const double values[][4] = { { 10, 20, 40, 40 }, { 20, 20, 50, 50 }, { 300, 600, 600, 600 } };
	int gaps = gpmu_trace_track(trace, 0, "gaps"), tracks[3];
	struct gpmu_trace_event gap = event_on(gaps, times[1], "GraceMemBW");

	tracks[0] = gpmu_trace_counter(trace, gpmu_trace_track(trace, 0, "node 0"), "GraceMemBW", "GB/s");
	tracks[1] = gpmu_trace_counter(trace, gpmu_trace_track(trace, 0, "node 1"), "GraceMemBW", "GB/s");
	tracks[2] = gpmu_trace_counter(trace, gpmu_trace_track(trace, 0, "machine"), "instructions", NULL);
	gap.category = "gap";
	gap.args = &parent;
	gap.arg_count = 1;
	gpmu_trace_slice(trace, &gap, times[2] - times[1]);
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 3; k++)
			gpmu_trace_value(trace, tracks[k], times[i], values[k][i]);
	gpmu_trace_audit(trace, 1, "gpmu", all, 3);
	gpmu_trace_audit(trace, 1, "counters", total, 4);
	gpmu_trace_flush(trace, NULL);
}

static const struct gpmu_report_table *table_of(const struct gpmu_report *report, const char *name)
{
	const struct gpmu_report_table *table;
	size_t i = 0;

	while ((table = gpmu_report_table(report, i)) && strcmp(table->name, name) != 0)
		i++;
	return table;
}

/* Compares a row; an unknown number is NaN. */
static bool is_row(const struct gpmu_report_table *table, size_t row, const char *const *texts, const double *numbers)
{
	const struct gpmu_report_cell *cells = table->cells + row * table->column_count;
	size_t text = 0, number = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].kind == GPMU_REPORT_TEXT) {
			if (strcmp(cells[i].text, texts[text++]) != 0)
				return false;
			continue;
		}
		if (cells[i].known != !isnan(numbers[number]) ||
		    (cells[i].known && fabs(cells[i].number - numbers[number]) > 1e-9 * fabs(numbers[number])))
			return false;
		number++;
	}
	return true;
}

/*
 * The mean of 10, 20 and 40 over 1, 3 and 6 ms is 31. The mean of 20 and 50 over 1 and 6 ms is
 * 320 / 7, as 3 ms were not counted. 1500 events are counted in 10 ms.
 */
static void test_counters(void)
{
	static const char *const texts[][4] = {
		{ "GraceMemBW", "node 0", "0", "GB/s" }, { "GraceMemBW", "node 1", "0", "GB/s" },
		{ "instructions", "machine", "0", "" }, { "GraceMemBW", "node 0", "1", "GB/s" },
	};
	/* mean, min, max, total, total per second, share counted, share running */
	static const double numbers[][7] = {
		{ 31, 10, 40, NAN, NAN, 1, NAN }, { 320 / 7.0, 20, 50, NAN, NAN, 0.7, NAN },
		{ 570, 300, 600, 1500, 150000, 1, 0.25 }, { 31, 10, 40, NAN, NAN, 1, NAN },
	};
	struct gpmu_report *report = gpmu_report_new(NULL, NULL);
	const struct gpmu_report_table *table;
	struct test_trace trace, other;

	test_trace_init(&trace, 0, 0);
	test_trace_init(&other, 0, 0);
	write_counters(trace.trace, 1);
	write_counters(other.trace, 0);
	ok(!add(report, &trace, NULL) && !add(report, &other, NULL) && !gpmu_report_make(report, NULL),
	   "report: counters of two ranks make a report");
	table = table_of(report, "counters");
	is_u64(table->row_count, 6, "report: each rank's counters have a row each");
	ok(is_row(table, 0, texts[0], numbers[0]),
	   "report: the mean of a counter is weighted by time, and rank 0 comes first");
	ok(is_row(table, 1, texts[1], numbers[1]),
	   "report: a gap on node 1 lowers the counted share of node 1 only");
	ok(is_row(table, 2, texts[2], numbers[2]),
	   "report: a counter of events has a total and a rate");
	ok(is_row(table, 3, texts[3], numbers[3]),
	   "report: the rows of rank 1 follow those of rank 0");
	gpmu_report_free(report);
	test_trace_release(&trace);
	test_trace_release(&other);
}

int main(void)
{
	test_life();
	test_counters();
	test_options();
	return done_testing();
}
