// SPDX-License-Identifier: LGPL-2.1-or-later
/* A report as a library: its life, its errors, its links. What its tables have is tests/tools/report.t's. */
#include "trace-test.h"

static int add(struct gpmu_report *report, const struct test_trace *t, struct gpmu_error *error)
{
	lseek(t->fd, 0, SEEK_SET);
	return gpmu_report_add(report, t->fd, "a.pftrace", error);
}

static void test_life(void)
{
	struct gpmu_error error = { .text = "" };
	const struct gpmu_report_table *table;
	struct gpmu_trace_event event;
	struct gpmu_report *report;
	struct test_trace t;
	size_t n = 0;
	int stream;

	test_trace_init(&t, 0, 0);
	stream = gpmu_trace_track(t.trace, gpmu_trace_track(t.trace, 0, "GPU 0: X (GPU-1)"), "1 a: stream 7");
	event = event_on(stream, 10, "k");
	event.category = "kernel";
	gpmu_trace_slice(t.trace, &event, 5);
	gpmu_trace_flush(t.trace, NULL);
	report = gpmu_report_new(NULL, &error);
	ok(report && !gpmu_report_table(report, 0), "a report has no table before it is made");
	ok(!add(report, &t, &error) && !gpmu_report_make(report, &error), "it is made of a trace");
	table = gpmu_report_table(report, 0);
	is_str(table->name, "kernels", "its first table has kernels");
	ok(table->n_rows == 1 && table->n_columns == 7 && !strcmp(table->cells[0].text, "k") &&
	   table->cells[3].known && table->cells[3].number == 5, "one row, whose cells are in the order of the columns");
	is_str(table->columns[table->sorted_by].name, "total", "in order of the total");
	while ((table = gpmu_report_table(report, n)))
		n += table->size == sizeof(*table) && (table->n_rows || table->note || !strcmp(table->name, "audit") ||
						       !strcmp(table->name, "nvtx_counters"));
	is_u64(n, 13, "thirteen tables, each with rows or a note why it has none");
	ok(add(report, &t, &error) == -EINVAL && !strcmp(error.text, "the report is made"),
	   "no trace is added to one that is made");
	ok(gpmu_report_make(report, NULL) == -EINVAL, "and it is made once");
	gpmu_report_free(report);
	gpmu_report_free(NULL);
	test_trace_release(&t);
}

static void test_options(void)
{
	const struct gpmu_report_options none = { 0 }, wrong = { .size = sizeof(wrong), .link = "x" };
	struct gpmu_error error = { .text = "" };
	struct gpmu_report *report;
	bool all = true;

	ok(!gpmu_report_new(&none, NULL) && errno == EINVAL, "options without a size are refused");
	ok(!gpmu_report_new(&wrong, &error) && errno == EINVAL, "and a link that there is not");
	ok(strstr(error.text, "c2c, pcie, nvlink or dram") != NULL, "... and what was expected is said");
	for (size_t i = 0; gpmu_report_link(i); i++) {
		const struct gpmu_report_options options = { .size = sizeof(options), .link = gpmu_report_link(i) };

		report = gpmu_report_new(&options, NULL);
		all = all && report;
		gpmu_report_free(report);
	}
	ok(all && gpmu_report_link(3) && !gpmu_report_link(4), "there are four, which are taken");
	report = gpmu_report_new(NULL, NULL);
	ok(!gpmu_report_make(report, NULL) && gpmu_report_table(report, 0)->n_rows == 0, "of no trace there are no rows");
	gpmu_report_free(report);
}

int main(void)
{
	test_life();
	test_options();
	return done_testing();
}
