// SPDX-License-Identifier: LGPL-2.1-or-later
/* What perf stat has printed becomes rows: values, times, shares, places */
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
	   "a Grace's output is evaluated on a laptop");
	is_row(&t, 0, "GraceMemBW", 180, "GB/s of both sockets");
	ok(t.n == 1 && t.rows[0].scope == GPMU_SCOPE_MACHINE && t.rows[0].share == 1 &&
	   t.rows[0].begin == 0 && t.rows[0].end == 2, "of the machine and the 2 s");
	end();
	begin(1, 1);
	saved_test_all(&t, grace, laptop.path, "GraceMemBW", NULL);
	is_row(&t, 0, "GraceMemBW", 60, "by node: the first");
	is_row(&t, 1, "GraceMemBW", 120, "and the second");
	ok(t.rows[1].node == 1 && t.rows[1].scope == GPMU_SCOPE_NODE, "which is node 1");
	end();
}

/* 1 s of 3 s; perf prints 33.00. The wall time says that it is a third. */
static void test_multiplexed(void)
{
	begin(1, 0);
	saved_test_all(&t, "3000000000,ns,duration_time,3000000000,100.00,,\n"
			   "900,,nvidia_scf_pmu_0/cmem_rd_data/,1000000000,33.00,,\n",
		       laptop.path, NULL, "nvidia_scf_pmu_0/cmem_rd_data/");
	is_row(&t, 0, "nvidia_scf_pmu_0/cmem_rd_data/", 900,
	   "a value that perf has scaled is not scaled again");
	ok(t.rows[0].raw == 300 && t.rows[0].running == 1000000000 &&
	   t.rows[0].enabled == 3000000000 && is_near(t.rows[0].share, 1.0 / 3),
	   "the share is that of the time, not of perf's whole percents");
	end();
	begin(1, 0);
	saved_test_all(&t, "900,,nvidia_scf_pmu_0/cmem_rd_data/,1000000000,33.00,,\n", laptop.path,
		       NULL, "nvidia_scf_pmu_0/cmem_rd_data/");
	ok(fabs(t.rows[0].share - 0.335) < 0.0051, "without a time it is what perf printed");
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
	is_row(&t, 0, "GraceMemBW", NAN, "a metric of which a part was not counted has no value");
	is_row(&t, 1, "nvidia_scf_pmu_0/cmem_wr_total_bytes/", NAN, "neither has that part");
	is_str(t.rows[1].why, "perf says that it was not counted", "all that is known of why");
	ok(t.rows[2].state == GPMU_NOT_SUPPORTED, "what perf does not support is not supported");
	is_str(t.rows[2].why, "perf says that it is not supported", "nor is more known of that");
	is_row(&t, 3, "nvidia_scf_pmu_0/cmem_rd_access/", NAN, "what is not there was not counted");
	is_str(t.rows[3].why, "it is not in perf's output", "and it is said why");
	end();
	begin(0, 0);
	saved_test_all(&t,
	   "5,,page-faults:u,1,100.00,,\n7,,page-faults:k,1,100.00,,\n", laptop.path,
		       NULL, "page-faults,page-faults:k");
	is_row(&t, 0, "page-faults", NAN, "of two events that could be it none is taken");
	is_str(t.rows[0].why, "several events of perf's output could be it", "and it is said");
	is_row(&t, 1, "page-faults:k", 7, "the one that it is, is");
	end();
}

/* The same event in two groups, and once more as the user's own */
static void test_turns(void)
{
	begin(1, 0);
	saved_test_all(&t, "1,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n"
			   "2,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n"
			   "3,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n", laptop.path, NULL,
		       "nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cmem_rd_data/");
	is_row(&t, 0, "nvidia_scf_pmu_0/cmem_rd_data/", 1, "the first stands for the first");
	is_row(&t, 1, "nvidia_scf_pmu_0/cmem_rd_data/", 2, "the second for the second");
	ok(!gpmu_saved_others(t.saved, &t.rows, &t.n) && t.n == 1, "one is left");
	is_row(&t, 0, "nvidia_scf_pmu_0/cmem_rd_data/", 3, "the third");
	end();
	begin(1, 0);
	saved_test_all(&t, "1,,nvidia_scf_pmu_0/cmem_rd_data/,1000,100.00,,\n", laptop.path, NULL,
		       "nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cmem_rd_data/");
	is_row(&t, 1, "nvidia_scf_pmu_0/cmem_rd_data/", 1, "what was counted once is both");
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
	size_t at = (size_t)(strstr(intervals, "{\"interval\" : 2.5") - intervals);
	char first[sizeof(intervals)] = "";

	begin(1, 0);
	ok(gpmu_saved_rows(t.saved, NULL, &t.rows, &t.n) == -EINVAL,
	   "there are no rows of nothing");
	memcpy(first, intervals, at);
	ok(!saved_test_lines(&t, first) && gpmu_saved_end(t.saved) == 1,
	   "an interval is complete with the next, or the end");
	end();
	begin(1, 0);
	is_u64((uint64_t)saved_test_lines(&t, intervals), 1,
	   "the next interval's first line completes it");
	saved_test_plan(&t, laptop.path, NULL, "nvidia_scf_pmu/cmem_rd_data/");
	saved_test_rows(&t);
	is_u64(t.n, 2, "a row of each node");
	is_row(&t, 0, "nvidia_scf_pmu/cmem_rd_data/", 10, "of node 0");
	is_row(&t, 1, "nvidia_scf_pmu/cmem_rd_data/", 20,
	   "of node 1, without the line that another socket has of it");
	ok(t.rows[0].package == 0 && t.rows[1].package == 36,
	   "the sockets' numbers are those of the labels");
	ok(t.rows[1].begin == 0 && t.rows[1].end == 1, "it is of the first second");
	ok(gpmu_saved_end(t.saved) == 1 && saved_test_rows(&t), "the end completes the last");
	is_row(&t, 1, "nvidia_scf_pmu/cmem_rd_data/", 40, "without the summary behind it");
	ok(t.rows[1].begin == 1 && t.rows[1].end == 2.5, "of 1.5 s");
	ok(!gpmu_saved_end(t.saved) && gpmu_saved_has_intervals(t.saved), "there is no other");
	end();
}

static void test_cpus(void)
{
	begin(1, 0);
	saved_test_all(&t, "CPU0,3,,page-faults [software],100,100.00,,\n"
			   "CPU2,4,,page-faults [software],100,100.00,,\n", laptop.path, NULL,
		       "page-faults");
	ok(t.n == 2 && t.rows[0].cpu == 0 && t.rows[1].cpu == 2 &&
	   t.rows[1].scope == GPMU_SCOPE_CPU, "-A: a row of each CPU");
	is_row(&t, 1, "page-faults", 4, "with its count");
	end();
	begin(1, 0);
	saved_test_all(&t, "1000,ns,duration_time,1000,100.00,,\n"
			   "8,,page-faults,4000,100.00,,\n", laptop.path, NULL, "page-faults");
	ok(t.rows[0].enabled == 1000 && t.rows[0].scope == GPMU_SCOPE_MACHINE,
	   "-a: the time that perf has added up is that of one CPU");
	end();
	begin(0, 0);
	saved_test_all(&t, "8,,page-faults,4000,100.00,,\n1.50,msec,task-clock,4000,100.00,,\n"
			   "9000,ns,user_time,9000,100.00,,\n", laptop.path, NULL,
		       "page-faults,task-clock,user_time,system_time,duration_time");
	ok(t.rows[0].enabled == 4000 && t.rows[0].scope == GPMU_SCOPE_PROCESS,
	   "of a command it is the command's");
	is_row(&t, 1, "task-clock", 1.5, "clocks are in perf's unit");
	ok(!strcmp(t.rows[1].unit, "msec") && t.rows[1].raw == 1500000, "which is msec, of ns");
	is_row(&t, 2, "user_time", 9000, "user_time is perf's");
	is_row(&t, 3, "system_time", NAN, "a time that perf does not say is not 0");
	is_row(&t, 4, "duration_time", NAN, "neither is how long it took");
	end();
	begin(0, 0);
	saved_test_lines(&t, "8,,page-faults,4000,100.00,,\n0,,duration_time,1,100.00,,\n");
	gpmu_saved_end(t.saved);
	gpmu_saved_set_elapsed(t.saved, 5000000000);
	saved_test_plan(&t, laptop.path, NULL, "duration_time");
	saved_test_rows(&t);
	is_row(&t, 0, "duration_time", 5e9, "unless the caller does; 7.3 prints 0 of a command");
	end();
	begin(0, 0);
	saved_test_all(&t, "sh-12,3,,page-faults,100,100.00,,\nsh-13,4,,page-faults,100,100.00,,\n",
		       laptop.path, NULL, "page-faults");
	is_row(&t, 0, "page-faults", 7, "threads are added up");
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
	ok(!gpmu_saved_others(t.saved, &t.rows, &t.n), "what is not the plan's has rows too");
	is_u64(t.n, 6, "but not what perf says of the plan's");
	is_row(&t, 0, "task-clock", 1.25, "an event, in perf's unit");
	ok(!strcmp(t.rows[0].unit, "msec") && t.rows[0].share == 0.5 && !t.rows[0].metric,
	   "which is said, and the share");
	ok(t.rows[0].raw == 625000, "the raw count is in ns");
	is_row(&t, 1, "CPUs utilized", 0.5, "a metric beside it");
	ok(t.rows[1].metric == 1, "which is one");
	is_row(&t, 2, "page-faults", 64, "another event");
	ok(is_near(t.rows[2].deviation, 1.28) && t.rows[2].raw == 32,
	   "its deviation, and the raw count");
	is_row(&t, 3, "page-faults K/sec", 51.2, "a rate says what it is of");
	is_row(&t, 4, "cycles", NAN, "one that was not counted");
	is_str(t.rows[4].why, "perf says that it was not counted", "and why, as far as it is known");
	is_row(&t, 5, "their metric", 0.25, "a metric on a line of its own");
	is_str(t.rows[5].unit, "ns", "with its unit");
	end();
}

static void test_refused(void)
{
	begin(1, 0);
	ok(saved_test_lines(&t, "# started\n\n1,,a,5,100.00,,\n1,,a,x\n") == -EINVAL,
	   "a line that is none is refused");
	is_str(t.error.text, "line 4: expected ns that the counter ran, found \"x\"",
	       "with its number, and what was expected");
	is_u64(t.error.offset, 5, "and where");
	ok(saved_test_lines(&t, "1,\n") == -EINVAL && !strcmp(t.error.text,
	   "line 5: expected the name of an event, found its end"), "also where the line ends");
	end();
	begin(1, 0);
	ok(saved_test_lines(&t, "hello\033 world\n") == -EINVAL && strstr(t.error.text,
	   "found \"hello? world\""), "what a terminal would not show is not printed");
	end();
	begin(1, 0);
	ok(!saved_test_lines(&t, "1,,a,5,100.00,,\n2,,b,5,10") && gpmu_saved_is_cut(t.saved),
	   "a last line without an end is left out, which is said");
	gpmu_saved_end(t.saved);
	ok(!gpmu_saved_others(t.saved, &t.rows, &t.n) && t.n == 1, "the whole line is there");
	end();
	begin(1, 0);
	ok(!saved_test_lines(&t, "{\"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   !gpmu_saved_is_cut(t.saved) && gpmu_saved_end(t.saved) == 1,
	   "JSON that has its end is whole without a newline");
	ok(!gpmu_saved_end(t.saved) && !gpmu_saved_has_intervals(t.saved), "once");
	end();
	gpmu_saved_free(NULL);
}

/* The sums of what recorded outputs have, by hand */
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
		bool fine = true;
		size_t tables = 0;
		char path[256];
		FILE *file;

		snprintf(path, sizeof(path), DATA "%s-%s.%s", version, outputs[i / 2].what, forms[i % 2]);
		begin(outputs[i / 2].system, 0);
		file = fopen(path, "r");
		for (bool more = file; more && fine;) {
			more = saved_test_read(&t, file);
			fine = t.ret >= 0 && (more || gpmu_saved_end(t.saved) == 1);
			if (!fine)
				break;
			tables++;
			if (!t.plan)
				saved_test_plan(&t, laptop.path, NULL, "context-switches");
			fine = saved_test_rows(&t) && t.n == outputs[i / 2].rows &&
			       t.rows[0].state == GPMU_OK && t.rows[0].value >= 1 &&
			       t.rows[0].share == 1 && t.rows[0].end > t.rows[0].begin - 1;
		}
		if (!ok(fine && tables == outputs[i / 2].tables, "%s is read", path))
			diag("%s, %zu tables, %zu rows", t.error.text, tables, t.n);
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
