// SPDX-License-Identifier: LGPL-2.1-or-later
/* Numbers that perf printed are never changed, and texts in another form than perf's are refused */
#include "saved-test.h"
#include "sysroot.h"

static struct sysroot laptop;
static struct saved_test t;

static double value_of(const char *number, const char *share, const char *running)
{
	char text[256];
	double value;

	snprintf(text, sizeof(text), "1000000000,ns,duration_time,1000000000,100.00,,\n"
				     "%s,,nvidia_scf_pmu_0/cmem_rd_data/,%s,%s,,\n", number, running,
		 share);
	saved_test_init(&t, 1, 0);
	if (!saved_test_all(&t, text, laptop.path, NULL, "nvidia_scf_pmu_0/cmem_rd_data/"))
		abort();
	value = t.rows->list[0].state == GPMU_STATE_OK ? t.rows->list[0].value : NAN;
	saved_test_release(&t);
	return value;
}

static void test_values(void)
{
	ok(value_of("10", "15.00", "150000000") == 10,
	   "perf output: a small multiplexed count is the one that perf printed");
	ok(value_of("5", "0.00", "1000") == 5,
	   "perf output: a count that ran for less than one percent is the one that perf printed");
	ok(value_of("18446744073709549568", "33.00", "333333333") == 18446744073709549568.0,
	   "perf output: a large multiplexed count is the one that perf printed");
	ok(value_of("0.35", "100.00", "1000000000") == 0.35,
	   "perf output: a count with decimals is the one that perf printed");
}

static void test_metric(void)
{
	saved_test_init(&t, 1, 0);
	saved_test_all(&t, "1000000000,ns,duration_time,1000000000,100.00,,\n"
			   "10,,nvidia_scf_pmu_0/cmem_rd_data/,150000000,15.00,,\n"
			   "30,,nvidia_scf_pmu_0/cmem_wr_total_bytes/,150000000,15.00,,\n",
		       laptop.path, "GraceMemBW", NULL);
	is_row(&t, 0, "GraceMemBW", 350e-9,
	       "perf output: a metric uses the multiplexed counts that perf printed");
	saved_test_release(&t);
	saved_test_init(&t, 0, 0);
	saved_test_all(&t, "605.19,msec,task-clock,605190001,100.00,,\n", laptop.path, NULL,
		       "task-clock");
	ok(t.rows->list[0].value == 605.19 && t.rows->list[0].raw == 605190000,
	   "perf output: a clock has all digits that perf printed");
	saved_test_release(&t);
}

/* The share and the raw count of the first row of page-faults */
static bool is_share(const char *text, double share, uint64_t raw)
{
	bool is_fine;

	saved_test_init(&t, 0, 0);
	if (!saved_test_all(&t, text, laptop.path, NULL, "page-faults,context-switches"))
		abort();
	is_fine = is_near(t.rows->list[0].share, share) && t.rows->list[0].raw == raw;
	if (!is_fine)
		diag("share %.12g, raw %llu", t.rows->list[0].share, (unsigned long long)t.rows->list[0].raw);
	saved_test_release(&t);
	return is_fine;
}

static void test_share(void)
{
	ok(is_share("1500000,,page-faults,250000,10.00,,\n3000000,,context-switches,2500000,100.00,,\n", 0.1, 150000),
	   "perf output: the share is exact if another event of the command ran all the time");
	ok(is_share("3,,page-faults,1000000,33.00,,\n6,,context-switches,3000000,100.00,,\n", 1 / 3.0, 1),
	   "perf output: the share has the decimals that perf truncated");
	ok(is_share("1500000,,page-faults,250000,10.00,,\n3000000,,context-switches,1000000,40.00,,\n", 0.1, 150000),
	   "perf output: the share is the one that perf printed if no event ran all the time");
	ok(is_share("1500000,,page-faults,250000,10.00,,\n3000000,,context-switches,9000000,100.00,,\n", 0.1, 150000),
	   "perf output: the time of an event that perf's percentage excludes is not used");
}

static void lost(const char *text, const char *why, const char *what)
{
	saved_test_init(&t, 1, 0);
	ok(saved_test_all(&t, text, laptop.path, NULL, "cpu-clock") && t.rows->length == 1 &&
	   t.rows->list[0].state == GPMU_STATE_NOT_COUNTED, "%s", what);
	is_str(t.rows->list[0].why, why, "perf output: the reason for a missing count is named");
	saved_test_release(&t);
}

static void test_lost(void)
{
	lost("64.58,ms,cpu-clock,64581115,100.00,,\n", "perf's output has it in another unit",
	     "perf output: a count in another unit is not used");
	lost("CPU0,3,msec,cpu-clock,5,100.00,,\nCPU1,4,msec,cpu-clock,5,100.00,,\n7,msec,cpu-clock,5,100.00,,\n",
	     "perf's output has it for overlapping parts of the machine",
	     "perf output: counts of CPUs and of the machine are not added up");
}

static void refused(const char *line, const char *what)
{
	saved_test_init(&t, 1, 0);
	ok(saved_test_lines(&t, line) == -EINVAL, "%s", what);
	saved_test_release(&t);
}

static void test_refused(void)
{
	refused("1,234;;cycles;5;100.00;;\n", "perf output: grouped digits are refused");
	refused("1;;cs;5;100.00;;\n1.234;;cycles;5;100.00;;\n",
		"perf output: digits that are grouped by points are refused");
	refused("1;;cs;5;100.00;;\n-5;;cycles;5;100.00;;\n",
		"perf output: a negative count is refused");
	refused("{\"counter-value\" : \"-5\", \"event\" : \"x\"}\n",
		"perf output: a negative count is refused in JSON");
	refused("{\"counter-value\" : \"1,234\", \"event\" : \"x\"}\n",
		"perf output: grouped digits are refused in JSON");
}

static void test_messages(void)
{
	static const char text[] =
		"timeout < 100ms. The overhead percentage could be high in some cases. Please proceed with caution.\n"
		"WARNING: grouped events cpus do not match.\n"
		"Events with CPUs not matching the leader will be removed from the group.\n"
		"  anon group { cs, page-faults }\n"
		"WARNING: grouped events cpus do not match.\n"
		"Events with CPUs not matching the leader will be removed from the group.\n"
		"  other { cs, page-faults }\n"
		"[ perf stat: executing run #1 ... ]\n"
		"7,,context-switches,5,100.00,,\n";

	/* perf 6.1 */
	static const char older[] =
		"WARNING: grouped events cpus do not match, disabling group:\n"
		"  one { cs, page-faults }\n"
		"  anon group { cs, page-faults }\n"
		"7,,context-switches,5,100.00,,\n";

	saved_test_init(&t, 1, 0);
	ok(saved_test_all(&t, older, laptop.path, NULL, "context-switches"),
	   "perf output: warnings of perf 6.1 are skipped") || (diag("%s", t.error.text), 0);
	saved_test_release(&t);
	saved_test_init(&t, 1, 0);
	ok(saved_test_all(&t, text, laptop.path, NULL, "context-switches"),
	   "perf output: warnings of perf are skipped") || (diag("%s", t.error.text), 0);
	is_row(&t, 0, "context-switches", 7, "perf output: the line after warnings is read");
	saved_test_release(&t);
	refused("Events with CPUs not matching the leader will be removed from the group.\n"
		"  anon group { cs }\nhello\n", "perf output: a line after a warning is not skipped");
}

int main(void)
{
	sysroot_make(&laptop, "laptop");
	test_values();
	test_metric();
	test_share();
	test_lost();
	test_refused();
	test_messages();
	sysroot_release(&laptop);
	return done_testing();
}
