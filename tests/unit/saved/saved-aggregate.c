// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines that perf stat has aggregated: parts of a package, PMUs of a kind, cgroups, runs */
#include "saved-test.h"
#include "sysroot.h"

static struct sysroot laptop;
static struct saved_test t;

static bool read_all(const char *text, const char *metrics, const char *events)
{
	saved_test_init(&t, 1, 0);
	return saved_test_all(&t, text, laptop.path, metrics, events);
}

static void test_parts(void)
{
	static const struct {
		const char *option, *text;
	} outputs[] = {
		{ "--per-core", "S0-D0-C0,1,302.57,msec,cpu-clock,302570000,100.00,,\n"
				"S0-D0-C1,1,302.62,msec,cpu-clock,302620000,100.00,,\n"
				"S0-D0-C0,1,25,,context-switches,302570000,100.00,,\n"
				"S0-D0-C1,1,37,,context-switches,302620000,100.00,,\n" },
		{ "--per-die", "S0-D0,4,302.57,msec,cpu-clock,302570000,100.00,,\n"
			       "S0-D1,4,302.62,msec,cpu-clock,302620000,100.00,,\n"
			       "S0-D0,4,25,,context-switches,302570000,100.00,,\n"
			       "S0-D1,4,37,,context-switches,302620000,100.00,,\n" },
		{ "--per-cluster", "S0-D0-CLS0,4,302.57,msec,cpu-clock,302570000,100.00,,\n"
				   "S0-D0-CLS1,4,302.62,msec,cpu-clock,302620000,100.00,,\n"
				   "S0-D0-CLS0,4,25,,context-switches,302570000,100.00,,\n"
				   "S0-D0-CLS1,4,37,,context-switches,302620000,100.00,,\n" },
		{ "--per-cache", "S0-D0-L3-ID0,4,302.57,msec,cpu-clock,302570000,100.00,,\n"
				 "S0-D0-L3-ID8,4,302.62,msec,cpu-clock,302620000,100.00,,\n"
				 "S0-D0-L3-ID0,4,25,,context-switches,302570000,100.00,,\n"
				 "S0-D0-L3-ID8,4,37,,context-switches,302620000,100.00,,\n" },
	};

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		ok(read_all(outputs[i].text, NULL, "cpu-clock,context-switches") &&
		   t.rows->length == 2 && is_near(t.rows->list[0].value, 605.19) &&
		   is_near(t.rows->list[1].value, 62),
		   "perf output, %s: the parts of a package are added up", outputs[i].option);
		saved_test_release(&t);
	}
	ok(read_all("{\"core\" : \"S0-D0-C0\", \"aggregate-number\" : 1, \"counter-value\" : \"25.000000\", \"unit\" : \"\", \"event\" : \"context-switches\", \"event-runtime\" : 5, \"pcnt-running\" : 100.00}\n"
		    "{\"core\" : \"S1-D0-C0\", \"aggregate-number\" : 1, \"counter-value\" : \"37.000000\", \"unit\" : \"\", \"event\" : \"context-switches\", \"event-runtime\" : 5, \"pcnt-running\" : 100.00}\n"
		    "{\"core\" : \"S1-D0-C1\", \"aggregate-number\" : 1, \"counter-value\" : \"3.000000\", \"unit\" : \"\", \"event\" : \"context-switches\", \"event-runtime\" : 5, \"pcnt-running\" : 100.00}\n",
		    NULL, "context-switches") && t.rows->length == 2,
	   "perf output, --per-core as JSON: each package has a row");
	is_row(&t, 0, "context-switches", 25, "perf output, --per-core: package 0 has its core");
	is_row(&t, 1, "context-switches", 40, "perf output, --per-core: package 1 has both cores");
	saved_test_release(&t);
	ok(read_all("S0-D0-C0,1,1,,page-faults,5,100.00,,\nS0-D0-C1,1,2,,page-faults,5,100.00,,\n"
		    "S0-D0-C0,1,10,,page-faults,5,100.00,,\nS0-D0-C1,1,20,,page-faults,5,100.00,,\n",
		    NULL, "page-faults,page-faults"),
	   "perf output, --per-core: an event may occur twice");
	is_row(&t, 0, "page-faults", 3, "perf output, --per-core: the first event has its cores");
	is_row(&t, 1, "page-faults", 30, "perf output, --per-core: the second event has its cores");
	saved_test_release(&t);
}

/* Two sockets of 8.25 GB/s for 2 s; perf adds up their counts and run times. */
static void test_merged(void)
{
	static const char events[] =
		"1031250000,,nvidia_scf_pmu/cmem_rd_data/,4000000000,100.00,,\n"
		"0,,nvidia_scf_pmu/cmem_wr_total_bytes/,4000000000,100.00,,\n"
		"12000000000,,nvidia_scf_pmu/cycles/,4000000000,100.00,,\n";
	char text[512];

	snprintf(text, sizeof(text), "2000000000,ns,duration_time,2000000000,100.00,,\n%s", events);
	ok(read_all(text, "GraceMemBW,GraceScfFreq", "nvidia_scf_pmu/cmem_rd_data/"),
	   "perf output: PMUs that perf has merged make rows");
	is_row(&t, 0, "GraceMemBW", 16.5,
	       "perf output: the bandwidth of merged PMUs is divided by the elapsed time");
	is_row(&t, 1, "GraceScfFreq", 3,
	       "perf output: a mean over merged PMUs is divided by their number");
	is_row(&t, 2, "nvidia_scf_pmu/cmem_rd_data/", 1031250000,
	       "perf output: a merged event has the count that perf printed");
	ok(t.rows->list[2].running == 2000000000,
	   "perf output: the run time of merged PMUs is the mean of theirs");
	saved_test_release(&t);
	ok(read_all(events, "GraceMemBW", "nvidia_scf_pmu/cmem_rd_data/"),
	   "perf output: merged PMUs without the elapsed time make rows");
	is_row(&t, 0, "GraceMemBW", NAN,
	       "perf output: merged PMUs have no bandwidth without the elapsed time");
	is_str(t.rows->list[0].why, "perf's output has neither duration_time nor intervals",
	       "perf output: a rate without the elapsed time has this reason");
	is_row(&t, 1, "nvidia_scf_pmu/cmem_rd_data/", 1031250000,
	       "perf output: a merged event has its count without the elapsed time");
	saved_test_release(&t);
	ok(read_all("2.000000000,S0,1,1031250000,,nvidia_scf_pmu/cmem_rd_data/,2000000000,100.00,,\n"
		    "2.000000000,S0,1,0,,nvidia_scf_pmu/cmem_wr_total_bytes/,2000000000,100.00,,\n",
		    "GraceMemBW", NULL), "perf output: merged PMUs may be printed by socket");
	is_row(&t, 0, "GraceMemBW", 16.5,
	       "perf output: PMUs merged in a socket are divided by the interval");
	saved_test_release(&t);
}

static void refused(const char *text, const char *want, const char *what)
{
	int ret;

	saved_test_init(&t, 1, 0);
	ret = saved_test_lines(&t, text);
	if (!ok(ret == -EINVAL && !strcmp(t.error.text, want), "%s", what))
		diag("%d, %s", ret, t.error.text);
	saved_test_release(&t);
}

static void test_cgroups(void)
{
	refused("{\"counter-value\" : \"7\", \"unit\" : \"\", \"event\" : \"cs\", \"cgroup\" : \"a\", \"event-runtime\" : 5, \"pcnt-running\" : 100.00}\n"
		"{\"counter-value\" : \"8\", \"unit\" : \"\", \"event\" : \"cs\", \"cgroup\" : \"b\", \"event-runtime\" : 5, \"pcnt-running\" : 100.00}\n",
		"line 2: expected the cgroup of the lines before: separate the lines of each cgroup, found \"b\", \"event-runtime\" : 5, \"pcnt-r\"",
		"perf output, --for-each-cgroup as JSON: a second cgroup is refused");
	refused("7,,cs,12,5,100.00,,\n8,,cs,13,5,100.00,,\n",
		"line 2: expected the cgroup of the lines before: separate the lines of each cgroup, found \"13,5,100.00,,\"",
		"perf output, --for-each-cgroup as CSV: a cgroup whose name is a number is recognized");
	refused("<not counted>,,cs,12,0,100.00,,\n8,,cs,a,0.50%,5,100.00,,\n",
		"line 2: expected the cgroup of the lines before: separate the lines of each cgroup, found \"a,0.50%,5,100.00,,\"",
		"perf output, --for-each-cgroup as CSV: a cgroup before a deviation is recognized");
	refused("7,,cs,a,5,100.00,,\n9,,cs,5,100.00,,\n",
		"line 2: expected the cgroup of the lines before: separate the lines of each cgroup, found \"9,,cs,5,100.00,,\"",
		"perf output, -G: a count without a cgroup is refused after those of a cgroup");
	refused("{\"counter-value\" : \"7\", \"event\" : \"cs\"}\n"
		"{\"counter-value\" : \"8\", \"event\" : \"cs\", \"cgroup\" : \"b\"}\n",
		"line 2: expected the cgroup of the lines before: separate the lines of each cgroup, found \"b\"}\"",
		"perf output, -G as JSON: a count of a cgroup is refused after those without");
	ok(read_all("7,,context-switches,12,5,100.00,,\n9,,page-faults,12,5,100.00,,\n", NULL,
		    "context-switches,page-faults"), "perf output: the lines of one cgroup are read");
	is_row(&t, 1, "page-faults", 9, "perf output: an event of a cgroup has its count");
	saved_test_release(&t);
}

static void test_appended(void)
{
	refused("# started on Sat Nov 21\n\n7,,cs,5,100.00,,\n# started on Sat Nov 21\n\n8,,cs,5,100.00,,\n",
		"line 4: expected the lines of one run: separate those of perf stat --append, found \"# started on Sat Nov 21\"",
		"perf output, --append: a second run is refused");
	saved_test_init(&t, 1, 0);
	is_u64((uint64_t)saved_test_lines(&t, "# started on Sat Nov 21\n1.000000000,7,,cs,5,100.00,,\n"
					      "# started on Sat Nov 21\n3.000000000,8,,cs,5,100.00,,\n"),
	       1, "perf output, --append: a second run with intervals completes the first one's last");
	ok(gpmu_saved_end(t.saved) == 1, "perf output, --append: the second run has a table");
	saved_test_plan(&t, laptop.path, NULL, "cs");
	saved_test_rows(&t);
	ok(t.rows->length == 1 && !t.rows->list[0].time_begin &&
	   t.rows->list[0].time_end == 3000000000,
	   "perf output, --append: the second run's first interval begins at 0");
	saved_test_release(&t);
}

#define RUN(ns)	"{\"counters\" : 1, \"counter-value\" : \"7\", \"event\" : \"page-faults\", \"event-runtime\" : " #ns ", \"pcnt-running\" : 100.00}\n"

static void test_repeated(void)
{
	ok(read_all(RUN(500) RUN(900), NULL, "page-faults") && gpmu_saved_repeats(t.saved) &&
	   t.rows->length == 1 && t.rows->list[0].time_end == 500,
	   "perf output, --append -j: the elapsed time is that of the first run, as the counts are");
	saved_test_release(&t);
	ok(read_all("1.07,msec,task-clock,5.00%,1068008,100.00,0.010,CPUs utilized\n"
		    "200000000,ns,duration_time,0.50%,200000000,100.00,,\n"
		    "74,,page-faults,0.00%,1068008,100.00,67.691,K/sec\n", NULL,
		    "task-clock,duration_time,page-faults"),
	   "perf output, -r: events make rows");
	ok(is_near(t.rows->list[0].deviation, 0.0535) && is_near(t.rows->list[1].deviation, 1e6) &&
	   t.rows->list[2].deviation == 0, "perf output, -r: events have the deviations of perf");
	ok(!t.rows->list[0].runs && !t.rows->list[1].runs,
	   "perf output, -r: the number of runs is unknown");
	saved_test_release(&t);
	ok(read_all("S0,2,10,,page-faults,5.00%,5,100.00,,\nS1,2,20,,page-faults,5.00%,5,100.00,,\n"
		    "S0,1,2000000000,,duration_time,0.50%,1,100.00,,\n",
		    NULL, "page-faults") && is_near(t.rows->list[1].deviation, 1),
	   "perf output, -r --per-socket: each socket has its deviation");
	saved_test_release(&t);
	ok(read_all("sh-12,3,,page-faults,5.00%,100,100.00,,\nsh-13,4,,page-faults,5.00%,100,100.00,,\n",
		    NULL, "page-faults") && isnan(t.rows->list[0].deviation),
	   "perf output, -r: the deviation of a sum is unknown");
	saved_test_release(&t);
}

int main(void)
{
	sysroot_make(&laptop, "laptop");
	test_parts();
	test_merged();
	test_cgroups();
	test_appended();
	test_repeated();
	sysroot_release(&laptop);
	return done_testing();
}
