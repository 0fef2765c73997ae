// SPDX-License-Identifier: LGPL-2.1-or-later
/* Output of perf stat becomes rows: values, times, shares, targets */
#include "sysroot.h"
#include "saved-test.h"

#define DATA	"tests/data/perf-output/"

static const char grace[] =
	"2000000000,ns,duration_time,2000000000,100.00,,\n"
	"2500000000,,nvidia_scf_pmu_0/cmem_rd_data/,2000000000,100.00,,\n"
	"40000000000,,nvidia_scf_pmu_0/cmem_wr_total_bytes/,2000000000,100.00,,\n"
	"5000000000,,nvidia_scf_pmu_1/cmem_rd_data/,2000000000,100.00,,\n"
	"80000000000,,nvidia_scf_pmu_1/cmem_wr_total_bytes/,2000000000,100.00,,\n";

static struct sysroot laptop;
static struct saved_test t;

static void begin(int system, int per_node)
{
	saved_test_init(&t, system, per_node);
}

static void end(void)
{
	saved_test_release(&t);
}

static void test_metric(void)
{
	begin(1, 0);
	ok(saved_test_all(&t, grace, laptop.path, "GraceMemBW", NULL),
	   "perf output: a Grace's output is evaluated on a laptop");
	is_row(&t, 0, "GraceMemBW", 180, "perf output: a metric is that of both sockets");
	ok(t.rows->length == 1 && t.rows->list[0].scope == GPMU_SCOPE_MACHINE && t.rows->list[0].share == 1 &&
	   t.rows->list[0].time_begin == 0 && t.rows->list[0].time_end == 2000000000,
	   "perf output: a metric is a row of the machine for the 2 s of duration_time");
	end();
	begin(1, 1);
	saved_test_all(&t, grace, laptop.path, "GraceMemBW", NULL);
	is_row(&t, 0, "GraceMemBW", 60, "perf output: per node, the metric of node 0 is right");
	is_row(&t, 1, "GraceMemBW", 120, "perf output: per node, the metric of node 1 is right");
	ok(t.rows->list[1].node == 1 && t.rows->list[1].scope == GPMU_SCOPE_NODE,
	   "perf output: per node, the second row is node 1");
	end();
}

/* The counter ran for 1 s of 3 s. perf prints 33.00; the duration gives the exact third. */
static void test_multiplexed(void)
{
	begin(1, 0);
	saved_test_all(&t, "3000000000,ns,duration_time,3000000000,100.00,,\n"
			   "900,,nvidia_scf_pmu_0/cmem_rd_data/,1000000000,33.00,,\n",
		       laptop.path, NULL, "nvidia_scf_pmu_0/cmem_rd_data/");
	is_row(&t, 0, "nvidia_scf_pmu_0/cmem_rd_data/", 900,
	   "perf output: a value scaled by perf is not scaled again");
	ok(t.rows->list[0].raw == 300 && t.rows->list[0].running == 1000000000 &&
	   t.rows->list[0].enabled == 3000000000 && is_near(t.rows->list[0].share, 1.0 / 3),
	   "perf output: the share is computed from the times, not from perf's rounded percentage");
	end();
	begin(1, 0);
	saved_test_all(&t, "900,,nvidia_scf_pmu_0/cmem_rd_data/,1000000000,33.00,,\n", laptop.path,
		       NULL, "nvidia_scf_pmu_0/cmem_rd_data/");
	ok(fabs(t.rows->list[0].share - 0.335) < 0.0051,
	   "perf output: without a duration the share is perf's percentage");
	end();
}

static void test_missing(void)
{
	begin(1, 0);
	saved_test_all(&t, "1,,nvidia_scf_pmu_0/cmem_rd_data/,2000000000,100.00,,\n"
			   "<not counted>,,nvidia_scf_pmu_0/cmem_wr_total_bytes/,0,0.00,,\n"
			   "<not supported>,,nvidia_scf_pmu_0/cmem_wb_data/,0,100.00,,\n",
		       laptop.path, "GraceMemBW",
		       "nvidia_scf_pmu_0/cmem_wr_total_bytes/,nvidia_scf_pmu_0/cmem_wb_data/,"
		       "nvidia_scf_pmu_0/cmem_rd_access/");
	is_row(&t, 0, "GraceMemBW", NAN,
	       "perf output: a metric with an event that was not counted has no value");
	is_row(&t, 1, "nvidia_scf_pmu_0/cmem_wr_total_bytes/", NAN,
	       "perf output: an event that was not counted has no value");
	is_str(t.rows->list[1].why, "perf reports it as not counted",
	       "perf output: the reason of an event that was not counted refers to perf");
	ok(t.rows->list[2].state == GPMU_STATE_NOT_SUPPORTED,
	   "perf output: an event that perf does not support is not supported");
	is_str(t.rows->list[2].why, "perf reports it as not supported",
	       "perf output: the reason of an event that is not supported refers to perf");
	is_row(&t, 3, "nvidia_scf_pmu_0/cmem_rd_access/", NAN,
	       "perf output: an event that is absent was not counted");
	is_str(t.rows->list[3].why, "it is not in perf's output",
	       "perf output: the reason of an absent event is that it is not in the output");
	end();
	begin(0, 0);
	saved_test_all(&t,
	   "5,,page-faults:u,1,100.00,,\n7,,page-faults:k,1,100.00,,\n", laptop.path,
		       NULL, "page-faults,page-faults:k");
	is_row(&t, 0, "page-faults", NAN,
	       "perf output: an event that two lines match is not counted");
	is_str(t.rows->list[0].why, "several events of perf's output match it",
	       "perf output: the reason of an ambiguous event is given");
	is_row(&t, 1, "page-faults:k", 7,
	       "perf output: of two lines the one with the same modifier is taken");
	end();
}

/* Tests an event that is in two groups, and is given by the user, too. */
static void test_turns(void)
{
	begin(1, 0);
	saved_test_all(&t, "1,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n"
			   "2,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n"
			   "3,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n", laptop.path, NULL,
		       "nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cmem_rd_data/");
	is_row(&t, 0, "nvidia_scf_pmu_0/cmem_rd_data/", 1,
	       "perf output: the first of equal events has the first line's count");
	is_row(&t, 1, "nvidia_scf_pmu_0/cmem_rd_data/", 2,
	       "perf output: the second of equal events has the second line's count");
	ok(!saved_test_others(&t) && t.rows->length == 1,
	   "perf output: one of three equal lines is left over");
	ok(!gpmu_saved_others(t.saved, "nvidia_scf_pmu_0/cmem_rd_data/", &t.others) && t.others.length == 1 &&
	   !gpmu_saved_others(t.saved, "other", &t.others) && t.others.length == 2,
	   "perf output: other rows are appended, without the event that is hidden");
	is_row(&t, 0, "nvidia_scf_pmu_0/cmem_rd_data/", 3,
	       "perf output: the line left over is the third one");
	end();
	begin(1, 0);
	saved_test_all(&t, "1,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n", laptop.path, NULL,
		       "nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cmem_rd_data/");
	is_row(&t, 1, "nvidia_scf_pmu_0/cmem_rd_data/", 1,
	       "perf output: one line serves two equal events");
	end();
}

static const char intervals[] =
	"{\"interval\" : 1.000000000, \"socket\" : \"S0\", \"counters\" : 1, \"counter-value\" : \"10\", \"unit\" : \"\", \"event\" : \"nvidia_scf_pmu_0/cmem_rd_data/\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00}\n"
	"{\"interval\" : 1.000000000, \"socket\" : \"S0\", \"counters\" : 1, \"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"nvidia_scf_pmu_1/cmem_rd_data/\", \"event-runtime\" : 0, \"pcnt-running\" : 100.00}\n"
	"{\"interval\" : 1.000000000, \"socket\" : \"S36\", \"counters\" : 1, \"counter-value\" : \"20\", \"unit\" : \"\", \"event\" : \"nvidia_scf_pmu_1/cmem_rd_data/\", \"event-runtime\" : 1000000000, \"pcnt-running\" : 100.00}\n"
	"{\"interval\" : 2.500000000, \"socket\" : \"S0\", \"counters\" : 1, \"counter-value\" : \"30\", \"unit\" : \"\", \"event\" : \"nvidia_scf_pmu_0/cmem_rd_data/\", \"event-runtime\" : 1500000000, \"pcnt-running\" : 100.00}\n"
	"{\"interval\" : 2.500000000, \"socket\" : \"S36\", \"counters\" : 1, \"counter-value\" : \"40\", \"unit\" : \"\", \"event\" : \"nvidia_scf_pmu_1/cmem_rd_data/\", \"event-runtime\" : 1500000000, \"pcnt-running\" : 100.00}\n"
	"{\"counter-value\" : \"99\", \"unit\" : \"\", \"event\" : \"nvidia_scf_pmu_1/cmem_rd_data/\", \"event-runtime\" : 5, \"pcnt-running\" : 100.00}\n";

static void test_intervals(void)
{
	size_t offset = (size_t)(strstr(intervals, "{\"interval\" : 2.5") - intervals);
	char first[sizeof(intervals)] = "";

	begin(1, 0);
	ok(gpmu_saved_rows(t.saved, NULL, &t.rows) == -EINVAL,
	   "perf output: without a line there are no rows");
	memcpy(first, intervals, offset);
	ok(!saved_test_lines(&t, first) && gpmu_saved_end(t.saved) == 1,
	   "perf output: an interval is not complete before the end");
	end();
	begin(1, 0);
	is_u64((uint64_t)saved_test_lines(&t, intervals), 1,
	   "perf output: the next interval's first line completes an interval");
	saved_test_plan(&t, laptop.path, NULL, "nvidia_scf_pmu/cmem_rd_data/");
	saved_test_rows(&t);
	is_u64(t.rows->length, 2, "perf output: each node has a row");
	is_row(&t, 0, "nvidia_scf_pmu/cmem_rd_data/", 10, "perf output: node 0 has its count");
	is_row(&t, 1, "nvidia_scf_pmu/cmem_rd_data/", 20,
	   "perf output: node 1 has its count, and another socket's line of its PMU is ignored");
	ok(t.rows->list[0].package == 0 && t.rows->list[1].package == 36,
	   "perf output: packages are the labels' numbers");
	ok(t.rows->list[1].time_begin == 0 && t.rows->list[1].time_end == 1000000000,
	   "perf output: the first interval is the first second");
	ok(gpmu_saved_end(t.saved) == 1 && saved_test_rows(&t),
	   "perf output: the end completes the last interval");
	is_row(&t, 1, "nvidia_scf_pmu/cmem_rd_data/", 40,
	       "perf output: the last interval is without the summary after it");
	ok(t.rows->list[1].time_begin == 1000000000 && t.rows->list[1].time_end == 2500000000,
	   "perf output: the last interval has its 1.5 s");
	ok(!gpmu_saved_end(t.saved) && gpmu_saved_has_intervals(t.saved),
	   "perf output: there is no interval after the last one");
	end();
}

static void test_cpus(void)
{
	begin(1, 0);
	saved_test_all(&t, "CPU0,3,,page-faults [software],100,100.00,,\n"
			   "CPU2,4,,page-faults [software],100,100.00,,\n", laptop.path, NULL,
		       "page-faults");
	ok(t.rows->length == 2 && t.rows->list[0].cpu == 0 && t.rows->list[1].cpu == 2 &&
	   t.rows->list[1].scope == GPMU_SCOPE_CPU, "perf output, -A: each CPU has a row");
	is_row(&t, 1, "page-faults", 4, "perf output, -A: the second CPU has its count");
	end();
	begin(1, 0);
	saved_test_all(&t, "1000,ns,duration_time,1000,100.00,,\n"
			   "8,,page-faults,4000,100.00,,\n", laptop.path, NULL, "page-faults");
	ok(t.rows->list[0].enabled == 1000 && t.rows->list[0].scope == GPMU_SCOPE_MACHINE,
	   "perf output, -a: the enabled time is that of one CPU, not perf's sum");
	end();
	begin(0, 0);
	saved_test_all(&t, "8,,page-faults,4000,100.00,,\n1.50,msec,task-clock,4000,100.00,,\n"
			   "9000,ns,user_time,9000,100.00,,\n", laptop.path, NULL,
		       "page-faults,task-clock,user_time,system_time,duration_time");
	ok(t.rows->list[0].enabled == 4000 && t.rows->list[0].scope == GPMU_SCOPE_PROCESS,
	   "perf output of a command: the enabled time is the command's");
	is_row(&t, 1, "task-clock", 1.5, "perf output of a command: clocks are in perf's unit");
	ok(!strcmp(t.rows->list[1].unit, "msec") && t.rows->list[1].raw == 1500000,
	   "perf output of a command: task-clock is in msec and its raw count in ns");
	is_row(&t, 2, "user_time", 9000, "perf output of a command: user_time is perf's");
	is_row(&t, 3, "system_time", NAN,
	       "perf output of a command: a system_time that is absent is not counted");
	is_row(&t, 4, "duration_time", NAN,
	       "perf output of a command: a duration_time that is absent is not counted");
	end();
	begin(0, 0);
	saved_test_lines(&t, "8,,page-faults,4000,100.00,,\n0,,duration_time,1,100.00,,\n");
	gpmu_saved_end(t.saved);
	gpmu_saved_set_elapsed(t.saved, 5000000000);
	saved_test_plan(&t, laptop.path, NULL, "duration_time");
	saved_test_rows(&t);
	is_row(&t, 0, "duration_time", 5e9,
	       "perf output: the caller's elapsed time replaces a duration_time of 0, as of perf 7.3");
	end();
	begin(0, 0);
	saved_test_all(&t, "sh-12,3,,page-faults,100,100.00,,\nsh-13,4,,page-faults,100,100.00,,\n",
		       laptop.path, NULL, "page-faults");
	is_row(&t, 0, "page-faults", 7, "perf output: threads are summed");
	end();
	begin(0, 0);
	saved_test_all(&t, "{\"thread\" : \"main-10\", \"counter-value\" : \"<not counted>\", "
		       "\"event\" : \"page-faults\", \"event-runtime\" : 0, \"pcnt-running\" : 100.00}\n"
		       "{\"thread\" : \"work-11\", \"counter-value\" : \"191\", "
		       "\"event\" : \"page-faults\", \"event-runtime\" : 5000, \"pcnt-running\" : 100.00}\n",
		       laptop.path, NULL, "page-faults");
	is_row(&t, 0, "page-faults", 191, "perf output: a thread that never ran adds 0 to the others");
	end();
	begin(0, 0);
	saved_test_all(&t, "sh-12,<not counted>,,page-faults,0,100.00,,\n", laptop.path, NULL,
		       "page-faults");
	is_row(&t, 0, "page-faults", NAN, "perf output: a thread that never ran alone has no value");
	end();
}

static void test_others(void)
{
	begin(1, 0);
	saved_test_all(&t, "1,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,5,/sec\n"
			   ",,,,,7.5,ours\n"
			   "1.25,msec,task-clock,1000,50.00,0.5,CPUs utilized\n"
			   "64,,page-faults,2.00%,1000,50.00,51.2,K/sec\n"
			   "<not counted>,,cycles,0,0.00,,\n,,,,,0.25,  ns  their metric\n",
		       laptop.path, NULL, "nvidia_scf_pmu_0/cmem_rd_data/");
	ok(!saved_test_others(&t),
	   "perf output: lines that the plan did not use have rows");
	is_u64(t.rows->length, 6, "perf output: lines that the plan used have no other rows");
	is_row(&t, 0, "task-clock", 1.25, "other rows: an event has its value in perf's unit");
	ok(!strcmp(t.rows->list[0].unit, "msec") && t.rows->list[0].share == 0.5 && !t.rows->list[0].metric,
	   "other rows: an event has its unit and share, and is no metric");
	ok(t.rows->list[0].raw == 625000, "other rows: the raw count of a clock is in ns");
	is_row(&t, 1, "CPUs utilized", 0.5, "other rows: a metric beside an event has a row");
	ok(t.rows->list[1].metric == 1, "other rows: a metric is marked as one");
	is_row(&t, 2, "page-faults", 64, "other rows: another event has its value");
	ok(is_near(t.rows->list[2].deviation, 1.28) && t.rows->list[2].raw == 32,
	   "other rows: an event of several runs has its deviation and raw count");
	is_row(&t, 3, "page-faults K/sec", 51.2, "other rows: a rate's name has its event's");
	is_row(&t, 4, "cycles", NAN, "other rows: an event that was not counted has no value");
	is_str(t.rows->list[4].why, "perf reports it as not counted",
	       "other rows: an event that was not counted has a reason");
	is_row(&t, 5, "their metric", 0.25, "other rows: a metric on a line of its own has a row");
	is_str(t.rows->list[5].unit, "ns", "other rows: a metric on a line of its own has its unit");
	end();
}

static void test_refused(void)
{
	begin(1, 0);
	ok(saved_test_lines(&t, "# started\n\n1,,a,5,100.00,,\n1,,a,x\n") == -EINVAL,
	   "perf output: a line of another form is refused");
	is_str(t.error.text, "line 4: expected ns that the counter ran, found \"x\"",
	       "perf output: the error has the line number and what was expected");
	is_u64(t.error.offset, 5, "perf output: the error has the offset");
	ok(saved_test_lines(&t, "1,\n") == -EINVAL && !strcmp(t.error.text,
	   "line 5: expected the name of an event, found its end"),
	   "perf output: the error at the end of a line has no text found");
	end();
	begin(1, 0);
	ok(saved_test_lines(&t, "hello\033 world\n") == -EINVAL && strstr(t.error.text,
	   "found \"hello? world\""), "perf output: control characters in an error are replaced");
	end();
	begin(1, 0);
	ok(!saved_test_lines(&t, "1,,a,5,100.00,,\n2,,b,5,10") && gpmu_saved_is_cut(t.saved),
	   "perf output: a last line without a newline is left out and reported as cut");
	gpmu_saved_end(t.saved);
	ok(!saved_test_others(&t) && t.rows->length == 1,
	   "perf output: the lines before a cut line are read");
	end();
	begin(1, 0);
	ok(!saved_test_lines(&t, "{\"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   !gpmu_saved_is_cut(t.saved) && gpmu_saved_end(t.saved) == 1,
	   "perf output: a JSON line with its brace is whole without a newline");
	ok(!gpmu_saved_end(t.saved) && !gpmu_saved_has_intervals(t.saved),
	   "perf output: a table without intervals is complete once");
	end();
	gpmu_saved_free(NULL);
}

/* Reads recorded outputs, whose numbers of tables and rows are known. */
static void test_recorded(const char *version)
{
	static const struct {
		const char *what;
		int system;
		size_t tables, rows;
	} outputs[] = {
		{ "command", 0, 1, 1 }, { "interval", 1, 3, 1 }, { "no-aggr", 1, 1, 2 },
		{ "per-socket", 1, 2, 1 }, { "per-node", 1, 1, 1 }, { "repeat", 0, 1, 1 },
		{ "per-thread", 0, 1, 1 },
	};
	static const char *const forms[] = { "csv", "json" };

	for (size_t i = 0; i < 2 * sizeof(outputs) / sizeof(outputs[0]); i++) {
		bool is_fine = true;
		size_t tables = 0;
		char path[256];
		FILE *file;

		snprintf(path, sizeof(path), DATA "%s-%s.%s", version, outputs[i / 2].what, forms[i % 2]);
		begin(outputs[i / 2].system, 0);
		file = fopen(path, "r");
		for (bool has_more = file; has_more && is_fine;) {
			has_more = saved_test_read(&t, file);
			is_fine = t.ret >= 0 && (has_more || gpmu_saved_end(t.saved) == 1);
			if (!is_fine)
				break;
			tables++;
			if (!t.plan)
				saved_test_plan(&t, laptop.path, NULL, "context-switches");
			is_fine = saved_test_rows(&t) && t.rows->length == outputs[i / 2].rows &&
				  t.rows->list[0].state == GPMU_STATE_OK && t.rows->list[0].value >= 1 &&
				  t.rows->list[0].share == 1 && t.rows->list[0].time_end >= t.rows->list[0].time_begin;
		}
		if (!ok(is_fine && tables == outputs[i / 2].tables, "perf output: %s is read", path))
			diag("%s, %zu tables, %zu rows", t.error.text, tables, t.rows->length);
		if (file)
			fclose(file);
		end();
	}
}

int main(void)
{
	sysroot_make(&laptop, "laptop");
	test_metric();
	test_multiplexed();
	test_missing();
	test_turns();
	test_intervals();
	test_cpus();
	test_others();
	test_refused();
	test_recorded("6.1");
	test_recorded("6.12");
	test_recorded("7.3");
	sysroot_release(&laptop);
	return done_testing();
}
