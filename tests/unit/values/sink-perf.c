// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf's columns and keys, which come before gpmu's */
#include "sink-test.h"

/* The part of the first line before gpmu's columns and keys */
static const char *perf_part(enum gpmu_sink_kind kind, struct gpmu_sink_options options,
			     const struct gpmu_row *rows, size_t n)
{
	static char text[1024];
	struct test_sink t;
	char *end;

	test_sink_init(&t, kind, options);
	gpmu_sink_rows(t.sink, rows_of(rows, n));
	snprintf(text, sizeof(text), "%s", t.text);
	test_sink_release(&t);
	end = strstr(text, kind == GPMU_SINK_JSON ? ",\"gpmu\":2," : ",2,0.000000000,");
	if (end)
		*end = '\0';
	return text;
}

static void labels(void)
{
	static const struct {
		enum gpmu_aggregation aggregation;
		enum gpmu_scope scope;
		const char *csv, *json;
	} table[] = {
		{ GPMU_AGGREGATE_SOCKET, GPMU_SCOPE_SOCKET, "S2364,2,5,",
		  "{\"socket\" : \"S2364\", \"aggregate-number\" : 2, \"counter-value\"" },
		{ GPMU_AGGREGATE_DIE, GPMU_SCOPE_DIE, "S2364-D0,2,5,",
		  "{\"die\" : \"S2364-D0\", \"aggregate-number\" : 2, \"counter-value\"" },
		{ GPMU_AGGREGATE_CORE, GPMU_SCOPE_CORE, "S2364-D0-C7,2,5,",
		  "{\"core\" : \"S2364-D0-C7\", \"aggregate-number\" : 2, \"counter-value\"" },
		{ GPMU_AGGREGATE_NODE, GPMU_SCOPE_NODE, "N1,2,5,",
		  "{\"node\" : \"N1\", \"aggregate-number\" : 2, \"counter-value\"" },
		{ GPMU_AGGREGATE_CPU, GPMU_SCOPE_CPU, "CPU79,5,",
		  "{\"cpu\" : \"79\", \"counter-value\"" },
		{ GPMU_AGGREGATE_CPU, GPMU_SCOPE_NODE, "CPU79,5,",
		  "{\"cpu\" : \"79\", \"counter-value\"" },
		{ GPMU_AGGREGATE_THREAD, GPMU_SCOPE_THREAD, "sh-4711,5,",
		  "{\"thread\" : \"sh-4711\", \"counter-value\"" },
		{ GPMU_AGGREGATE_SOCKET, GPMU_SCOPE_MACHINE, ",2,5,", "{\"counter-value\"" },
		{ GPMU_AGGREGATE_MACHINE, GPMU_SCOPE_NODE, "5,", "{\"counter-value\"" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct gpmu_row row = on_node(event_row("scf", 5), 1, 2364);
		const struct gpmu_sink_options options = { .aggregation = table[i].aggregation };
		const char *got;

		row.scope = table[i].scope;
		row.core = 7;
		row.cpu = 79;
		row.tid = 4711;
		row.comm = "sh";
		row.counters = 2;
		got = perf_part(GPMU_SINK_CSV, options, &row, 1);
		ok(!strncmp(got, table[i].csv, strlen(table[i].csv)),
		   "CSV: a row of aggregation %d begins with %s", (int)table[i].aggregation,
		   table[i].csv);
		got = perf_part(GPMU_SINK_JSON, options, &row, 1);
		ok(!strncmp(got, table[i].json, strlen(table[i].json)),
		   "JSON: a row of aggregation %d begins with %s", (int)table[i].aggregation,
		   table[i].json);
	}
}

/* A node whose first CPU is not known */
static void unknown_cpu(void)
{
	const struct gpmu_sink_options options = { .aggregation = GPMU_AGGREGATE_CPU };
	struct gpmu_row row = on_node(event_row("scf", 5), 1, 2364);
	const char wanted[] = "{\"cpu\" : \"N1\", \"counter-value\"";

	row.scope = GPMU_SCOPE_NODE;
	row.cpu = -1;
	ok(!strncmp(perf_part(GPMU_SINK_JSON, options, &row, 1), wanted, strlen(wanted)),
	   "JSON: a node whose first CPU is not known has its label under the key cpu");
}

/* Columns that depend on perf's options */
static void options(void)
{
	struct gpmu_row rows[] = { event_row("a/b,c=1/", 5), metric_row("GraceMemBW", 80.5, "GB/s") };

	rows[0].runs = rows[1].runs = 3;
	rows[0].deviation = 0.5;
	rows[0].share = 0.5;
	rows[0].running = 1000000000;
	rows[0].counters = 4;
	is_str(perf_part(GPMU_SINK_CSV, (struct gpmu_sink_options){ .runs = 3 }, rows, 1),
	       "5,,a/b,c=1/,10.00%,4000000000,50.00,,",
	       "CSV: several runs add the deviation in percent; perf does not quote an event");
	is_str(perf_part(GPMU_SINK_CSV, (struct gpmu_sink_options){ .runs = 3 }, rows + 1, 1),
	       ",,,0.00%,,,80.500000,GB/s  GraceMemBW",
	       "CSV: a metric has its value where perf has it beside an event");
	is_str(perf_part(GPMU_SINK_CSV, (struct gpmu_sink_options){ .interval = 1 }, rows, 1),
	       "2.000000000,5,,a/b,c=1/,4000000000,50.00,,", "CSV: an interval begins with its end");
	is_str(perf_part(GPMU_SINK_JSON, (struct gpmu_sink_options){ .runs = 3, .interval = 1 },
			 rows, 1),
	       "{\"interval\" : 2.000000000, \"counter-value\" : \"5.000000\", \"unit\" : \"\", "
	       "\"event\" : \"a/b,c=1/\", \"variance\" : 10.00, \"event-runtime\" : 4000000000, "
	       "\"pcnt-running\" : 50.00, \"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"",
	       "JSON: an event has perf's keys of intervals and runs, in perf's order");
	is_str(perf_part(GPMU_SINK_JSON, (struct gpmu_sink_options){ 0 }, rows + 1, 1),
	       "{\"metric-value\" : \"80.500000\", \"metric-unit\" : \"GB/s  GraceMemBW\"",
	       "JSON: a metric has its value and its unit and name under perf's keys");
}

/* The number that perf prints beside the count */
static void beside(void)
{
	static const struct {
		const char *name, *other;
		double value, divisor;
		const char *want;
	} table[] = {
		{ "task-clock", "a", 1000, 1, "0.500,CPUs utilized" },
		{ "cycles", "task-clock", 3e9, 1000, "3.000,GHz" },
		{ "instructions", "cycles", 9, 6, "1.50,insn per cycle" },
		{ "instructions:u", "cycles:u", 9, 6, "1.50,insn per cycle" },
		{ "armv8_pmuv3_0/instructions/u", "cpu-cycles:u", 9, 6, "1.50,insn per cycle" },
		{ "instructions:u", "cycles", 9, 6, "," },
		{ "instructions", "task-clock", 9, 6, "," },
		{ "branch-misses", "branches", 1, 8, "12.50,of all branches" },
		{ "LLC-load-misses", "LLC-loads", 1, 4, "25.00,of all LL-cache accesses" },
		{ "page-faults", "cpu-clock", 100, 1000, "100.000,/sec" },
		{ "page-faults", "cpu-clock", 999999, 1000, "999.999,K/sec" },
		{ "branches", "task-clock", 5e9, 1000, "5.000,G/sec" },
		{ "sched:sched_switch", "task-clock", 5, 1000, "5.000,/sec" },
		{ "page-faults", "cycles", 100, 1000, "," },
		{ "instructions", "cycles", 9, 0, "," },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct gpmu_row rows[] = {
			event_row(table[i].name, 1), event_row(table[i].other, 1),
		};
		const char *got, *another;
		size_t length, want = strlen(table[i].want);

		rows[0].value = table[i].value;
		rows[1].value = table[i].divisor;
		got = perf_part(GPMU_SINK_CSV, (struct gpmu_sink_options){ 0 }, rows, 2);
		length = strlen(got);
		ok(length > want && !strcmp(got + length - want, table[i].want),
		   "CSV: %s with %s has \"%s\" beside it", table[i].name, table[i].other, table[i].want);
		rows[1].cpu = 5;
		got = perf_part(GPMU_SINK_CSV, (struct gpmu_sink_options){ 0 }, rows, 2);
		/* The first row's ratio is of the elapsed time, which is that of all CPUs. */
		another = i ? "," : table[i].want;
		length = strlen(got);
		want = strlen(another);
		ok(length > want && !strcmp(got + length - want, another),
		   "CSV: %s has \"%s\" beside it if %s counted another CPU", table[i].name, another,
		   table[i].other);
	}
}

/* The partner of a row is kept between intervals, unless the rows change. */
static void changes(void)
{
	struct gpmu_row rows[] = {
		event_row("instructions", 6), event_row("cycles", 3), event_row("cycles", 2),
	};
	struct test_sink t;

	rows[1].cpu = 1;
	test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){ .interval = 1 });
	gpmu_sink_rows(t.sink, rows_of(rows, 3));
	ok(strstr(t.text, ",3.00,insn per cycle,") != NULL,
	   "CSV: the divisor is the event of the same CPU");
	gpmu_sink_rows(t.sink, rows_of(rows, 2));
	ok(strstr(strchr(t.text, '\n'), "instructions,2000000000,100.00,,,") != NULL,
	   "CSV: a divisor that is missing in the next interval is not used");
	test_sink_release(&t);
}

static void summary(void)
{
	struct gpmu_row rows[] = {
		event_row("task-clock", 1000000000), event_row("branches", 800),
		event_row("branch-misses", 100),
	};
	struct test_sink t;

	rows[0].unit = "msec";
	rows[0].value = 1000;
	rows[2].share = 0.5;
	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows, 3));
	is_text(t.text,
		"\n Performance counter stats for 'system wide' [machine]:\n\n"
		"           1000.00 msec task-clock                       #    0.500 CPUs utilized\n"
		"               800      branches                         #  800.000 /sec\n"
		"               100      branch-misses                    #   12.50% of all branches"
		"             (50.00%)\n",
		"summary: the number beside a count is a column as in perf, before the share");
	test_sink_release(&t);
}

int main(void)
{
	labels();
	unknown_cpu();
	options();
	beside();
	changes();
	summary();
	return done_testing();
}
