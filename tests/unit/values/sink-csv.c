// SPDX-License-Identifier: LGPL-2.1-or-later
/* CSV: perf's columns, then gpmu's of version 2. */
#include <errno.h>
#include <limits.h>

#include "sink-test.h"

static void columns(void)
{
	struct gpmu_row rows[] = {
		event_row("cycles", 18446744073709551615u), metric_row("GraceMemBW", 80.1, "GB/s"),
		lost_row("a", GPMU_STATE_NOT_COUNTED, "the PMU has gone"),
		lost_row("b", GPMU_STATE_NOT_SUPPORTED, NULL), metric_row("c", NAN, "ns"),
	};
	const struct gpmu_sink_end end = { sizeof(end), 1, 0, 1, 1 };
	struct test_sink t;

	rows[0].time_begin = 500000000;
	rows[0].scope = GPMU_SCOPE_PROCESS;
	rows[0].pid = 77;
	rows[0].pmu = "armv8_pmuv3_0";
	rows[0].share = 0.25;
	rows[0].running = 500000000;
	rows[1] = on_node(rows[1], 1, 36);
	rows[1].pmu = "nvidia_scf_pmu_1";
	rows[1].alert = 1;
	rows[1].runs = 3;
	rows[1].deviation = 1.0 / 3;
	rows[2].scope = GPMU_SCOPE_CPU;
	rows[2].cpu = 0;
	rows[2].node = 0;
	rows[3].enabled = rows[3].running = 0;
	rows[3].counters = 0;
	rows[3].scope = GPMU_SCOPE_GPU;
	rows[3].node = 7;
	rows[3].gpu = "GPU-1";
	rows[3].gpu_number = 3;
	rows[3].source = "cupti";
	rows[4].state = GPMU_STATE_IDLE;
	rows[4].alert = 0;
	test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){ 0 });
	ok(!gpmu_sink_rows(t.sink, rows_of(rows, 5)) && !gpmu_sink_end(t.sink, &end),
	   "CSV: five rows are written");
	is_text(t.text,
		"18446744073709551616,,cycles,500000000,25.00,,,2,"
		"0.500000000,2.000000000,grace1,process,,,,77,armv8_pmuv3_0,event,cycles,"
		"1.8446744073709552e+19,,ok,0.25,18446744073709551615,2000000000,500000000,1,1,"
		"0,,,,,\n"
		",,,,,80.100000,GB/s  GraceMemBW,2,"
		"0.000000000,2.000000000,grace1,node,1,36,,,nvidia_scf_pmu_1,metric,GraceMemBW,"
		"80.1,GB/s,ok,1,,2000000000,2000000000,1,3,0.3333333333333333,1,,,,\n"
		"<not counted>,,a,2000000000,0.00,,,2,"
		"0.000000000,2.000000000,grace1,cpu,0,,0,,,event,a,,,not_counted,0,,2000000000,"
		"2000000000,1,1,,,the PMU has gone,,,\n"
		"<not supported>,,b,0,100.00,,,2,"
		"0.000000000,2.000000000,grace1,gpu,7,,,,,event,b,,,not_supported,,,,,0,1,,,,GPU-1,3,cupti\n"
		",,,,,,ns  c,2,"
		"0.000000000,2.000000000,grace1,machine,,,,,,metric,c,,ns,idle,1,,2000000000,"
		"2000000000,1,1,,0,,,,\n",
		"CSV: each column has its value and is empty without one");
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows, 0));
	is_text(t.text, "", "CSV: without a row nothing is written");
	test_sink_release(&t);
}

/* Returns whether the sink writes a row as a new sink does. */
static bool is_as_alone(struct test_sink *t, const struct gpmu_row *row)
{
	const size_t before = t->length;
	struct test_sink alone;
	bool is_same;

	test_sink_init(&alone, GPMU_SINK_CSV, (struct gpmu_sink_options){ .interval = 1 });
	gpmu_sink_rows(alone.sink, rows_of(row, 1));
	gpmu_sink_rows(t->sink, rows_of(row, 1));
	is_same = !strcmp(t->text + before, alone.text);
	if (!is_same)
		diag("|%s| is not |%s|", t->text + before, alone.text);
	test_sink_release(&alone);
	return is_same;
}

/* Each column that is cached between intervals is changed alone, and changed back. */
static void changes(void)
{
	static char name[] = "cycles";
	const struct gpmu_row first = event_row(name, 5);
	struct gpmu_row rows[18];
	struct test_sink t = { 0 };
	bool is_same = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		rows[i] = first;
	rows[0].scope = GPMU_SCOPE_CPU;
	rows[1].cpu = 3;
	rows[2].node = 1;
	rows[3].package = 36;
	rows[4].pid = 7;
	rows[5].pmu = "software";
	rows[6].metric = 1;
	rows[7].unit = "msec";
	rows[8].counters = 2;
	rows[9].runs = 3;
	rows[10].alert = 1;
	rows[11].state = GPMU_STATE_NOT_COUNTED;
	rows[12].why = "others had it";
	rows[13].gpu = "GPU-1";
	rows[14] = rows[13];
	rows[14].gpu_number = 2;
	rows[15].source = "cupti";
	rows[16].deviation = 0.5;
	rows[17].deviation = NAN;
	test_sink_init(&t, GPMU_SINK_CSV,
		       (struct gpmu_sink_options){ .interval = 1 });
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_same = is_as_alone(&t, i == 14 ? &rows[13] : &first) && is_as_alone(&t, &rows[i]) &&
			  is_same;
	ok(is_same, "CSV intervals: a row with a changed column has no column of the one before");
	is_as_alone(&t, &first);
	name[0] = 'C';
	ok(is_as_alone(&t, &first),
	   "CSV intervals: a text changed at the same address is written anew");
	name[0] = 'c';
	test_sink_release(&t);
}

/* perf's columns have no quotes, in which a separator could stand. */
static void names_of_threads(void)
{
	static const struct {
		const char *name, *separator, *want;
	} threads[] = {
		{ "a,b", ",", "a_b-7,1," }, { "a;b", ",", "a;b-7,1," }, { "a;b", ";", "a_b-7;1;" },
		{ "a\nb\"\tc", ",", "a_b__c-7,1," }, { "#a#", ",", "_a#-7,1," },
		{ "a|", "||", "a_-7||1||" },
	};

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct gpmu_row row = event_row("faults", 1);
		struct test_sink t;

		row.scope = GPMU_SCOPE_THREAD;
		row.tid = 7;
		row.comm = threads[i].name;
		test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){
				       .aggregation = GPMU_AGGREGATE_THREAD,
				       .separator = threads[i].separator });
		gpmu_sink_rows(t.sink, rows_of(&row, 1));
		t.text[strlen(threads[i].want)] = '\0';
		is_text(t.text, threads[i].want,
			"CSV: a character in a thread's name that would end the label becomes _");
		test_sink_release(&t);
	}
}

/* perf's column after the event */
static void names_of_cgroups(void)
{
	struct gpmu_row rows[] = { event_row("faults", 1), event_row("faults", 2),
				   metric_row("rate", 3, "x") };
	struct test_sink t;
	const char *line;

	rows[0].cgroup = "app";
	rows[2].cgroup = "app";
	test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){ .cgroups = 1, .runs = 2 });
	gpmu_sink_rows(t.sink, rows_of(rows, 3));
	ok(!strncmp(t.text, "1,,faults,app,0.00%,2000000000,100.00,,,2,", 42),
	   "CSV: the cgroup is after the event, and before the deviation");
	line = strchr(t.text, '\n') + 1;
	ok(!strncmp(line, "2,,faults,,0.00%,2000000000,", 28),
	   "CSV: the cgroup of a row without one is empty");
	line = strchr(line, '\n') + 1;
	ok(!strncmp(line, ",,,app,0.00%,,,3.000000,x  rate,2,", 34),
	   "CSV: the row of a metric names its cgroup");
	test_sink_release(&t);
}

static void quotes(void)
{
	static const struct {
		const char *separator, *name, *want;
	} table[] = {
		{ NULL, "{a,b}", ",\"{a,b}\"," },
		{ NULL, "say \"a\"", ",\"say \"\"a\"\"\"," },
		{ NULL, "two\nlines", ",two?lines," },
		{ NULL, "two\rlines", ",two?lines," },
		{ NULL, "plain;text", ",plain;text," },
		{ ";", "a;b", ";\"a;b\";" },
		{ ";", "a,b", ";a,b;" },
		{ "\t", "a\tb", "\ta?b\t" },
		{ " | ", "a | b", " | \"a | b\" | " },
		{ " | ", "a|b", " | a|b | " },
		{ NULL, "#a", ",\"#a\"," },
		{ NULL, "\033[31m\"a\",b", ",\"?[31m\"\"a\"\",b\"," },
		{ NULL, "\xc2\x9b\xff", ",??," },
		{ NULL, "", ",event,,1," },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct gpmu_row row = event_row(table[i].name, 1);
		struct test_sink t;

		test_sink_init(&t, GPMU_SINK_CSV,
			       (struct gpmu_sink_options){ .separator = table[i].separator });
		gpmu_sink_rows(t.sink, rows_of(&row, 1));
		ok(strstr(t.text, table[i].want) != NULL,
		   "CSV: the name %.3s is shown, and quoted where needed, with separator \"%s\"",
		   table[i].want + 1,
		   table[i].separator ? table[i].separator : ",");
		test_sink_release(&t);
	}
}

static void separators(void)
{
	static const char *const bad[] = { "", ".", "-", "e", "0", "\"", "\n", "#", "_", ", x" };
	struct gpmu_sink_options options = { .size = sizeof(options) };
	struct gpmu_error error = { .size = sizeof(error) };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		options.separator = bad[i];
		errno = 0;
		ok(!gpmu_sink_new(GPMU_SINK_CSV, stdout, &options, &error) && errno == EINVAL,
		   "CSV: a separator that a value may contain is refused");
	}
	is_str(error.text, "separator \", x\": expected one without letters, digits and any of "
	       "_+-.\"# and line ends",
	       "CSV: the error names the separator and the refused characters");
}

int main(void)
{
	columns();
	changes();
	names_of_threads();
	names_of_cgroups();
	quotes();
	separators();
	return done_testing();
}
