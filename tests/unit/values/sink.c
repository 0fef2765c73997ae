// SPDX-License-Identifier: LGPL-2.1-or-later
/* Summaries: whole screens as users see them */
#include "sink-test.h"

static void system_wide(void)
{
	struct gpmu_row rows[] = {
		event_row("cycles", 1234567890123),
		event_row("nvidia_scf_pmu/cmem_rd_data/", 0),
		metric_row("GraceMemBW", 80.125, "GB/s"),
		metric_row("GraceMemReadLatency", 0, "ns"),
		lost_row("GraceC2c0ReadBW", GPMU_STATE_NOT_COUNTED, "the PMU has gone"),
		lost_row("GraceC2c1ReadBW", GPMU_STATE_NOT_SUPPORTED,
			 "there is no nvidia_nvlink_c2c1_pmu"),
		event_row("instructions", 1000),
		metric_row("Small", 0.01234567, NULL),
	};
	const struct gpmu_sink_end end = { sizeof(end), 2.000123456, 0, -1, -1 };
	struct test_sink t;

	rows[3].state = GPMU_STATE_IDLE;
	rows[4].unit = rows[5].unit = "GB/s";
	rows[6].share = 2.0 / 3;
	rows[6].value = 1500.4;
	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ .big_numbers = 1 });
	ok(!gpmu_sink_rows(t.sink, rows_of(rows, 8)) && !gpmu_sink_end(t.sink, &end),
	   "summary: eight rows are written");
	is_text(t.text,
		"\n"
		" Performance counter stats for 'system wide' [machine]:\n"
		"\n"
		" 1,234,567,890,123      cycles\n"
		"                 0      nvidia_scf_pmu/cmem_rd_data/\n"
		"             80.12 GB/s GraceMemBW\n"
		"              idle ns   GraceMemReadLatency\n"
		"     <not counted> GB/s GraceC2c0ReadBW\n"
		"   <not supported> GB/s GraceC2c1ReadBW\n"
		"             1,500      instructions                     #     0.00 insn per cycle              (66.67%)\n"
		"          0.012346      Small\n"
		"\n"
		" GraceC2c0ReadBW: the PMU has gone\n"
		" GraceC2c1ReadBW: there is no nvidia_nvlink_c2c1_pmu\n"
		"\n"
		"       2.000123456 seconds time elapsed\n"
		"\n", "summary, system-wide: rows have values, units, states, shares and reasons");
	test_sink_release(&t);
}

/* A command, and PMUs that count the machine */
static void process(void)
{
	struct gpmu_row rows[] = {
		event_row("task-clock", 2500000), event_row("user_time", 7000000),
		metric_row("GraceMemBW", 80.375, "GB/s"),
		on_node(metric_row("GraceMemBW", 40, "GB/s"), 1, 36),
	};
	const struct gpmu_sink_end end = { sizeof(end), 1.5, 0, 1.25, 0.0625 };
	struct test_sink t;

	rows[0].scope = rows[1].scope = GPMU_SCOPE_PROCESS;
	rows[0].unit = "msec";
	rows[0].value = 2.5;
	rows[1].unit = "ns";
	test_sink_init(&t, GPMU_SINK_SUMMARY,
		       (struct gpmu_sink_options){ .title = "'./app'", .aggregation = GPMU_AGGREGATE_NODE });
	gpmu_sink_rows(t.sink, rows_of(rows, 4));
	gpmu_sink_end(t.sink, &end);
	is_text(t.text,
		"\n"
		" Performance counter stats for './app' [process]:\n"
		"\n"
		"                 2.50 msec task-clock                       #    0.001 CPUs utilized\n"
		"              7000000 ns   user_time\n"
		"                80.38 GB/s GraceMemBW                        [machine]\n"
		"N1              40.00 GB/s GraceMemBW                        [node]\n"
		"\n"
		"       1.500000000 seconds time elapsed\n"
		"\n"
		"       1.250000000 seconds user\n"
		"       0.062500000 seconds sys\n"
		"\n", "summary of a process: rows of another scope are labelled");
	test_sink_release(&t);
}

static void nodes(void)
{
	struct gpmu_row rows[] = {
		on_node(event_row("scf", 0), 0, 0), on_node(event_row("scf", 5), 1, 1),
		event_row("cycles", 3), on_node(event_row("scf", 6), 2, -1),
	};
	struct test_sink t;

	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ .aggregation = GPMU_AGGREGATE_NODE });
	gpmu_sink_rows(t.sink, rows_of(rows, 4));
	is_text(t.text,
		"\n"
		" Performance counter stats for 'system wide' [node]:\n"
		"\n"
		"N0                  0 scf\n"
		"N1                  5 scf\n"
		"                    3 cycles                            [machine]\n"
		"N2                  6 scf\n",
		"summary per node: a node with a count of 0 has a row");
	test_sink_release(&t);
	rows[0] = event_row("cycles", 12);
	rows[0].scope = GPMU_SCOPE_CPU;
	rows[0].cpu = 143;
	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows, 1));
	is_text(t.text, "\n Performance counter stats for 'system wide' [CPU]:\n\n"
		"CPU143                 12 cycles\n", "summary per CPU: a row begins with the CPU");
	test_sink_release(&t);
}

static void reasons(void)
{
	static const char why[] = "not allowed";
	struct gpmu_row rows[] = {
		lost_row("a", GPMU_STATE_NOT_COUNTED, why), lost_row("b", GPMU_STATE_NOT_SUPPORTED, why),
		lost_row("c", GPMU_STATE_NOT_COUNTED, why), lost_row("c", GPMU_STATE_NOT_COUNTED, why),
		lost_row("d", GPMU_STATE_NOT_COUNTED, "offline"),
	};
	struct test_sink t;

	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows, 5));
	ok(strstr(t.text, "\n a, c: not allowed\n b: not allowed\n d: offline\n"),
	   "summary: events that are not counted for one reason have one line, with each name once");
	test_sink_release(&t);
}

static void intervals(void)
{
	struct gpmu_row rows[] = {
		metric_row("GraceMemBW", 80.125, "GB/s"),
		lost_row("cycles", GPMU_STATE_NOT_COUNTED, "the CPU is offline"),
	};
	const struct gpmu_sink_end end = { sizeof(end), 1.5, 0, 1.25, 0.0625 };
	struct test_sink t;

	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ .interval = 1 });
	rows[0].time_end = rows[1].time_end = 100165248;
	gpmu_sink_rows(t.sink, rows_of(rows, 2));
	rows[0].time_end = rows[1].time_end = 123456200000000;
	gpmu_sink_rows(t.sink, rows_of(rows, 2));
	gpmu_sink_end(t.sink, &end);
	is_text(t.text,
		"#           time             counts unit events [machine]\n"
		"     0.100165248              80.12 GB/s GraceMemBW\n"
		"     0.100165248      <not counted>      cycles\n"
		"# cycles: the CPU is offline\n"
		"123456.200000000              80.12 GB/s GraceMemBW\n"
		"123456.200000000      <not counted>      cycles\n",
		"summary of intervals: time in front, each reason once, no end");
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ .interval = 1 });
	rows[0] = on_node(rows[0], 0, 0);
	gpmu_sink_rows(t.sink, rows_of(rows, 1));
	is_text(t.text,
		"#           time                counts unit events [node]\n"
		"123456.200000000 N0              80.12 GB/s GraceMemBW\n",
		"summary of intervals per node: a row has time and node");
	test_sink_release(&t);
}

static void runs(void)
{
	struct gpmu_row rows[] = {
		event_row("cycles", 200),
		metric_row("GraceMemBW", 80, "GB/s"),
		event_row("faults", 0),
	};
	const struct gpmu_sink_end end = { sizeof(end), 0.001106, 0.000557, 1, 1 };
	const struct gpmu_sink_end alone = { sizeof(end), 0.001106, 0.000557, -1, 1 };
	struct test_sink t;

	rows[0].runs = rows[2].runs = 3;
	rows[0].deviation = 2.46;
	rows[0].value = 200.5;
	rows[1].runs = 2;
	rows[1].deviation = 8;
	rows[1].share = 0.5;
	test_sink_init(&t, GPMU_SINK_SUMMARY,
		       (struct gpmu_sink_options){ .runs = 3, .title = "'x'" });
	gpmu_sink_rows(t.sink, rows_of(rows, 3));
	gpmu_sink_end(t.sink, &alone);
	is_text(t.text,
		"\n"
		" Performance counter stats for 'x' [machine] (3 runs):\n"
		"\n"
		"               200      cycles                            ( +-  1.23% )\n"
		"             80.00 GB/s GraceMemBW                        ( +- 10.00% )"
		"  (2 of 3 runs)  (50.00%)\n"
		"                 0      faults                            ( +-  0.00% )\n"
		"\n"
		"       0.001106000 +- 0.000557000 seconds time elapsed  ( +- 50.36% )\n"
		"\n",
		"summary of runs: rows have deviations and the number of runs counted");
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ 0 });
	gpmu_sink_end(t.sink, &end);
	is_text(t.text,
		"\n"
		" Performance counter stats for 'system wide':\n"
		"\n"
		"\n"
		"       0.001106000 seconds time elapsed\n"
		"\n"
		"       1.000000000 seconds user\n"
		"       1.000000000 seconds sys\n"
		"\n", "summary without a row: it has its title and times");
	test_sink_release(&t);
}

static void appearance(void)
{
	struct gpmu_row rows[] = {
		metric_row("bound", 75, "%"), metric_row("fine", 5, "%"),
		event_row("evil\033[2J\n", 1), metric_row("zeit", 1, "\xc2\xb5s"),
	};
	struct test_sink t;

	rows[0].alert = 1;
	rows[1].alert = 0;
	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ .color = 1 });
	gpmu_sink_rows(t.sink, rows_of(rows, 4));
	is_text(t.text,
		"\n Performance counter stats for 'system wide' [machine]:\n\n"
		"\033[31m             75.00 %  bound\033[m\n"
		"              5.00 %  fine\n"
		"                 1    evil?[2J?\n"
		"              1.00 \xc2\xb5s zeit\n",
		"summary: a passed threshold is red, names cannot control the terminal, UTF-8 is aligned");
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows, 1));
	ok(!strchr(t.text, '\033'), "summary: there is no colour by default");
	test_sink_release(&t);
}

static const char *heading(const char *name, void *user)
{
	(void)user;
	return *name == 'a' ? "First" : *name == 'b' ? "Second\033" : NULL;
}

/* Groups of rows with headings */
static void headings(void)
{
	struct gpmu_row rows[] = {
		event_row("x", 1), event_row("a1", 2), event_row("a2", 3), event_row("b1", 4), event_row("y", 5),
	};
	struct test_sink t;

	test_sink_init(&t, GPMU_SINK_SUMMARY, (struct gpmu_sink_options){ .heading = heading });
	gpmu_sink_rows(t.sink, rows_of(rows, 5));
	is_text(t.text,
		"\n"
		" Performance counter stats for 'system wide' [machine]:\n"
		"\n"
		"                 1 x\n"
		" First:\n"
		"                 2 a1\n"
		"                 3 a2\n"
		"\n"
		" Second?:\n"
		"                 4 b1\n"
		"\n"
		"                 5 y\n", "summary: a heading is above the first of its rows, and a blank line ends them");
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){ .heading = heading });
	gpmu_sink_rows(t.sink, rows_of(rows, 5));
	ok(!strstr(t.text, "First"), "summary: CSV has no headings");
	test_sink_release(&t);
}

int main(void)
{
	system_wide();
	process();
	nodes();
	reasons();
	intervals();
	runs();
	appearance();
	headings();
	return done_testing();
}
