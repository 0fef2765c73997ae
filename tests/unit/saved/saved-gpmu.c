// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu's CSV and JSON of version 1, which have no columns of perf */
#include "saved-test.h"
#include "sysroot.h"

#define HEADING \
	"# gpmu-csv 1\ntime_begin,time_end,host,scope,node,package,cpu,pid,pmu,kind,name,value,unit," \
	"state,share,raw,enabled_ns,running_ns,counters,runs,deviation,alert,why,gpu,gpu_number,source\n"

static struct sysroot laptop;
static struct saved_test t;

static void test_csv(void)
{
	static const char text[] = HEADING
		"0.000000000,2.000000000,vm,machine,,,,,,metric,GraceMemBW,1e-07,GB/s,ok,1,,2000000000,2000000000,4,1,0,,,,,\n"
		"0.000000000,2.000000000,vm,node,0,0,,,nvidia_scf_pmu_0,event,nvidia_scf_pmu_0/cmem_rd_data/,1031250000,,ok,1,1031250000,2000000000,2000000000,1,1,0,,,,,\n"
		"0.000000000,2.000000000,vm,node,0,0,,,nvidia_scf_pmu_0,event,nvidia_scf_pmu_0/cmem_wr_total_bytes/,10,,ok,0.5,5,2000000000,1000000000,1,1,0,,,,,\n"
		"0.000000000,2.000000000,vm,machine,,,,,software,event,task-clock,605.190001,msec,ok,1,605190001,2000000000,2000000000,2,3,6.0519,,,,,\n"
		"0.000000000,2.000000000,vm,machine,,,,,software,event,context-switches,,,not_counted,0,,,,2,1,,,\"it, or \"\"that\"\"\",,,\n";

	saved_test_init(&t, 1, 0);
	ok(saved_test_all(&t, text, laptop.path, "GraceMemBW",
			  "nvidia_scf_pmu_0/cmem_wr_total_bytes/,task-clock,context-switches"),
	   "gpmu's CSV, version 1: rows are read") || (diag("%s", t.error.text), 0);
	is_row(&t, 0, "GraceMemBW", 16.500000005,
	       "gpmu's CSV, version 1: a metric is computed from the events");
	is_row(&t, 1, "nvidia_scf_pmu_0/cmem_wr_total_bytes/", 10,
	       "gpmu's CSV, version 1: a multiplexed count is not changed");
	is_row(&t, 2, "task-clock", 605.190001,
	       "gpmu's CSV, version 1: a clock has its value in msec");
	ok(is_near(t.rows->list[2].deviation, 6.0519),
	   "gpmu's CSV, version 1: an event of several runs has its deviation");
	is_row(&t, 3, "context-switches", NAN,
	       "gpmu's CSV, version 1: an event that was not counted has no value");
	ok(t.rows->list[0].time_end == 2000000000,
	   "gpmu's CSV, version 1: a row has the time of its interval");
	saved_test_release(&t);
}

static void test_json(void)
{
	static const char text[] =
		"{\"gpmu\":1,\"time_begin\":0.000000000,\"time_end\":1.000000000,\"host\":\"vm\",\"scope\":\"cpu\",\"node\":0,\"package\":0,\"cpu\":3,\"pid\":null,\"pmu\":\"software\",\"kind\":\"event\",\"name\":\"page-faults\",\"value\":47,\"unit\":null,\"state\":\"ok\",\"share\":1,\"raw\":47,\"enabled_ns\":5,\"running_ns\":5,\"counters\":1,\"runs\":1,\"deviation\":0,\"alert\":null,\"why\":null,\"gpu\":null,\"gpu_number\":null,\"source\":null}\n"
		"{\"gpmu\":1,\"time_begin\":0.000000000,\"time_end\":1.000000000,\"host\":\"vm\",\"scope\":\"cpu\",\"node\":0,\"package\":0,\"cpu\":4,\"pid\":null,\"pmu\":\"software\",\"kind\":\"event\",\"name\":\"page-faults\",\"value\":50,\"unit\":null,\"state\":\"ok\",\"share\":1,\"raw\":50,\"enabled_ns\":5,\"running_ns\":5,\"counters\":1,\"runs\":1,\"deviation\":0,\"alert\":null,\"why\":null,\"gpu\":null,\"gpu_number\":null,\"source\":null}\n";

	saved_test_init(&t, 1, 0);
	ok(saved_test_all(&t, text, laptop.path, NULL, "page-faults") && t.rows->length == 2 &&
	   t.rows->list[0].cpu == 3 && t.rows->list[1].cpu == 4,
	   "gpmu's JSON, version 1: each CPU has a row");
	is_row(&t, 1, "page-faults", 50, "gpmu's JSON, version 1: an event has its count");
	saved_test_release(&t);
	saved_test_init(&t, 1, 0);
	ok(saved_test_lines(&t, "{\"gpmu\":1,\"time_end\":1.000000000,\"scope\":\"cpu\",\"name\":\"x\"}\n") ==
	   -EINVAL && !strncmp(t.error.text, "line 1: expected a row of gpmu's version 1", 42),
	   "gpmu's JSON, version 1: a row without a CPU's number is refused");
	saved_test_release(&t);
	saved_test_init(&t, 1, 0);
	ok(saved_test_lines(&t, "{\"gpmu\":1,\"time_end\":1.000000000,\"scope\":\"machine\",\"name\":\"x\",\"state\":\"not_supported\"} x\n") ==
	   -EINVAL && !strcmp(t.error.text, "line 1: expected the end of the line, found \"x\""),
	   "gpmu's JSON, version 1: text after the row is refused");
	saved_test_release(&t);
	saved_test_init(&t, 1, 0);
	ok(!saved_test_lines(&t, "{\"thread\" : \"a\\\\\\\"b-7\", \"counter-value\" : \"3\", \"unit\" : \"\", \"event\" : \"page-faults\", "
			     "\"event-runtime\" : 5, \"pcnt-running\" : 100.00,\"gpmu\":2,\"why\":\"no \\\"x\\\"\"}\n") &&
	   gpmu_saved_end(t.saved) == 1 && !saved_test_others(&t) && t.rows->length == 1 && t.rows->list[0].pid == 7,
	   "gpmu's JSON: texts with escaped quotes and backslashes are read") || (diag("%s", t.error.text), 0);
	saved_test_release(&t);
	saved_test_init(&t, 1, 0);
	ok(saved_test_lines(&t, HEADING "0.000000000,2.000000000,vm,machine\n") == -EINVAL,
	   "gpmu's CSV, version 1: a row that lacks columns is refused");
	saved_test_release(&t);
}

int main(void)
{
	sysroot_make(&laptop, "laptop");
	test_csv();
	test_json();
	sysroot_release(&laptop);
	return done_testing();
}
