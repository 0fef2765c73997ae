// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Only metrics (metric_only): a line for each part of the machine with a cell for each metric, in
 * work that grows with the number of rows.
 */
#include "sink-test.h"
#include "values/sink/sink.h"

#define LINES	1024
#define COLUMNS	8

static struct gpmu_row rows[LINES * COLUMNS];
static size_t labels, values;

size_t __real_sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text,
			 size_t size);
size_t __wrap_sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text,
			 size_t size);
void __real_sink_beside(struct gpmu_sink *sink, const struct gpmu_rows *list, size_t index,
			struct sink_beside *beside);
void __wrap_sink_beside(struct gpmu_sink *sink, const struct gpmu_rows *list, size_t index,
			struct sink_beside *beside);

size_t __wrap_sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text,
			 size_t size)
{
	labels++;
	return __real_sink_label(row, aggregation, text, size);
}

void __wrap_sink_beside(struct gpmu_sink *sink, const struct gpmu_rows *list, size_t index,
			struct sink_beside *beside)
{
	values++;
	__real_sink_beside(sink, list, index, beside);
}

static struct gpmu_row on_cpu(struct gpmu_row row, int cpu)
{
	row.scope = GPMU_SCOPE_CPU;
	row.cpu = cpu;
	return row;
}

static char *text_of(enum gpmu_sink_kind kind, const struct gpmu_rows *list)
{
	struct test_sink t;
	char *text;

	test_sink_init(&t, kind, (struct gpmu_sink_options){ .metric_only = 1,
							     .aggregation = GPMU_AGGREGATE_CPU });
	gpmu_sink_rows(t.sink, list);
	text = strdup(t.text);
	test_sink_release(&t);
	return text;
}

static void check(enum gpmu_sink_kind kind, const struct gpmu_rows *list, const char *want,
		  const char *what)
{
	char *text = text_of(kind, list);

	is_text(text, want, what);
	free(text);
}

/* Metric after metric, as sessions return them, each on all CPUs */
static void large(void)
{
	static const char *const names[COLUMNS] = { "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7" };
	char *text = NULL, *want;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	fprintf(file, "cpu,");
	for (int i = 0; i < COLUMNS; i++)
		fprintf(file, "%s,", names[i]);
	for (int cpu = 0; cpu < LINES; cpu++) {
		fprintf(file, "\nCPU%d,", cpu);
		for (int i = 0; i < COLUMNS; i++) {
			rows[i * LINES + cpu] = on_cpu(metric_row(names[i], i + cpu * 10, NULL), cpu);
			fprintf(file, "%d.000000,", i + cpu * 10);
		}
	}
	fprintf(file, "\n");
	fclose(file);
	want = text;
	labels = values = 0;
	check(GPMU_SINK_CSV, rows_of(rows, LINES * COLUMNS), want,
	      "metrics only: 1,024 CPUs with 8 metrics each are 1,024 lines of 8 values");
	free(want);
	ok(values == LINES * COLUMNS, "metrics only: the value of each row is computed once");
	ok(labels <= (COLUMNS + 1) * LINES,
	   "metrics only: the label of each row is made once, and once more for each line");
}

static void small(void)
{
	const struct gpmu_row some[] = {
		on_cpu(metric_row("ipc", 1.5, NULL), 4),
		on_cpu(metric_row("bw", 7, "GB/s"), 2),
		on_cpu(metric_row("ipc", 9, NULL), 4),
		on_cpu(event_row("page-faults", 5), 6),
		on_cpu(metric_row("bw", NAN, "GB/s"), 4),
	};
	const struct gpmu_rows *list = NULL;

	list = rows_of(some, 5);
	check(GPMU_SINK_CSV, list, "cpu,ipc,GB/s  bw,\nCPU4,1.500000,,\nCPU2,,7.000000,\n",
	      "metrics only: lines and columns are in the order of their first rows, and the first "
	      "of two rows of a cell is shown");
	check(GPMU_SINK_JSON, list,
	      "{\"cpu\" : \"4\", \"ipc\" : \"1.500000\", \"GB/s  bw\" : \"none\"}\n"
	      "{\"cpu\" : \"2\", \"ipc\" : \"none\", \"GB/s  bw\" : \"7.000000\"}\n",
	      "metrics only: a cell without a value is \"none\" in JSON");
	check(GPMU_SINK_CSV, rows_of(some + 3, 1), "cpu,\n",
	      "metrics only: an event without a ratio has no line");
}

/* perf's headings are the units, which are not enough for a key. */
static void same_unit(void)
{
	const struct gpmu_row some[] = {
		on_cpu(event_row("cycles:u", 100), 4), on_cpu(event_row("instructions:u", 50), 4),
		on_cpu(event_row("cycles:k", 200), 4), on_cpu(event_row("instructions:k", 400), 4),
		on_cpu(event_row("cycles:u", 100), 5), on_cpu(event_row("instructions:u", 25), 5),
	};
	const struct gpmu_rows *list = NULL;

	list = rows_of(some, 6);
	check(GPMU_SINK_CSV, list,
	      "cpu,insn per cycle,insn per cycle  instructions:k,\nCPU4,0.50,2.00,\nCPU5,0.25,,\n",
	      "metrics only: ratios of the same unit have a column for each event");
	check(GPMU_SINK_JSON, rows_of(some, 4),
	      "{\"cpu\" : \"4\", \"insn per cycle\" : \"0.50\", "
	      "\"insn per cycle  instructions:k\" : \"2.00\"}\n",
	      "metrics only: ratios of the same unit have different keys in JSON");
}

static void summary(void)
{
	struct gpmu_row some[] = {
		metric_row("bw", 7, "GB/s"), metric_row("latency", NAN, "ns"),
		lost_row("c2c", GPMU_STATE_NOT_COUNTED, "it never ran"),
		lost_row("pcie", GPMU_STATE_NOT_SUPPORTED, "no such PMU"),
		event_row("branches", 100), event_row("branch-misses", 10),
	};
	char *text;

	some[0].share = 0.6532;
	some[1].state = GPMU_STATE_IDLE;
	some[2].metric = some[3].metric = 1;
	some[5].share = 0.25;
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		some[i] = on_cpu(some[i], 4);
	text = text_of(GPMU_SINK_SUMMARY, rows_of(some, 6));
	ok(strstr(text, "       7.00  (65.32%) "),
	   "metrics only: a summary has the share of a multiplexed value");
	ok(strstr(text, "     10.00%  (25.00%) "),
	   "metrics only: a summary has the share of a multiplexed ratio");
	ok(strstr(text, "                idle        <not counted>      <not supported> "),
	   "metrics only: a summary has the state of a missing value in its column");
	ok(strstr(text, "\n\n c2c: it never ran\n pcie: no such PMU\n"),
	   "metrics only: a summary has the reasons of missing values below the lines");
	free(text);
	text = text_of(GPMU_SINK_CSV, rows_of(some, 4));
	is_text(text, "cpu,GB/s  bw,ns  latency,c2c,pcie,\nCPU4,7.000000,,,,\n",
		"metrics only: a missing value is an empty field in CSV");
	free(text);
}

int main(void)
{
	large();
	small();
	same_unit();
	summary();
	return done_testing();
}
