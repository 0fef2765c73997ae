// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions on the model, whose counts are known: 2.5 G beats per second. Linked with --wrap for
 * clock_gettime, so that the test sets the time.
 */
#include <time.h>

#include "session-test.h"

#define STEADY MODEL "=metrics/sources/model/scenarios/steady.scenario"
#define BEATS  "nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_1/cmem_rd_data/"
#define MANY   1000

static uint64_t test_time = 7 * SEC;
static const struct gpmu_session_options system_wide = {
	.size = sizeof(system_wide),
	.system = 1,
};

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock != CLOCK_MONOTONIC_RAW)
		return __real_clock_gettime(clock, time);
	time->tv_sec = (time_t)(test_time / SEC);
	time->tv_nsec = (long)(test_time % SEC);
	return 0;
}

static void pass_ms(uint64_t ms)
{
	test_time += ms * MS;
}

static void begin(struct test *test, const char *name)
{
	if (gpmu_region_begin(test->session, name))
		ok(false, "region: %s begins without an error", name);
}

static void end(struct test *test, const char *name)
{
	if (gpmu_region_end(test->session, name))
		ok(false, "region: %s ends without an error", name);
}

/* The region has this number of visits, which took @ms in all, and their counts. */
static void is_region(struct test *test, size_t index, const char *name, uint64_t visits,
		      uint64_t ms, const char *what)
{
	const char *got = gpmu_region_name(test->session, index);
	int ret = gpmu_region_rows(test->session, index, &test->rows);
	const struct gpmu_row *first = row(test, 0), *second = row(test, 1);
	bool is_good = !ret && test->rows->length == 2 && got && !strcmp(got, name) &&
		       gpmu_region_visit_count(test->session, index) == visits &&
		       first->raw == ms * 2500000 && second->raw == ms * 1100000 &&
		       first->state == GPMU_STATE_OK && first->time_begin == 0 &&
		       first->time_end == ms * MS && first->enabled == ms * MS;

	if (!ok(is_good, "%s", what))
		diag("%s: %" PRIu64 " visits, %" PRIu64 " beats, %" PRIu64 " ns, state %d",
		     got ? got : "none", gpmu_region_visit_count(test->session, index), first->raw,
		     first->time_end, (int)first->state);
}

static void nested(struct test *test)
{
	test_start(test, &system_wide);
	ok(gpmu_session_region_count(test->session) == 0 && !gpmu_region_name(test->session, 0) &&
		   gpmu_region_rows(test->session, 0, &test->rows) == -EINVAL,
	   "region: a session begins without regions");
	pass_ms(5);
	for (unsigned int i = 0; i < 3; i++) {
		begin(test, "outer");
		pass_ms(10);
		for (unsigned int k = 0; k < 2; k++) {
			begin(test, "inner");
			pass_ms(1 + k);
			end(test, "inner");
			pass_ms(100);
		}
		end(test, "outer");
		pass_ms(1000);
	}
	is_u64(gpmu_session_region_count(test->session), 2, "region: two names are two regions");
	is_region(test, 0, "outer", 3, 3 * 213,
		  "region: an outer region includes the time and counts of the inner ones");
	is_region(test, 1, "inner", 6, 3 * 3,
		  "region: an inner region has the counts of all its visits");
	ok(!test_interval(test) && row(test, 0)->raw == (5 + 3 * 1213) * 2500000ull,
	   "region: the session's own counts are not affected by regions");
	begin(test, "outer");
	pass_ms(50);
	is_region(test, 0, "outer", 3, 3 * 213,
		  "region: a visit that has not ended is not counted");
	end(test, "outer");
	is_region(test, 0, "outer", 4, 3 * 213 + 50,
		  "region: a visit is counted once it has ended");
	begin(test, "empty");
	end(test, "empty");
	ok(!gpmu_region_rows(test->session, 2, &test->rows) && row(test, 0)->raw == 0 &&
		   gpmu_region_visit_count(test->session, 2) == 1,
	   "region: a visit of no duration is a visit with no counts");
	test_stop(test);
}

static void pauses(struct test *test)
{
	test_start(test, &system_wide);
	begin(test, "a");
	pass_ms(3);
	gpmu_session_pause(test->session);
	pass_ms(100);
	begin(test, "b");
	pass_ms(100);
	gpmu_session_resume(test->session);
	pass_ms(4);
	end(test, "b");
	end(test, "a");
	is_region(test, 0, "a", 1, 7,
		  "region: a pause of the session during a visit is neither counted nor timed");
	is_region(test, 1, "b", 1, 4, "region: a visit that begins during a pause is counted from its end");
	test_stop(test);
}

static void function(struct test *test, unsigned int depth)
{
	begin(test, "function");
	pass_ms(1);
	if (depth)
		function(test, depth - 1);
	pass_ms(1);
	end(test, "function");
}

static void recursion(struct test *test)
{
	test_start(test, &system_wide);
	function(test, 40);
	is_region(test, 0, "function", 1, 2 * 41, "region: a recursive visit is counted once");
	function(test, 0);
	is_region(test, 0, "function", 2, 2 * 42, "region: a second visit adds to a recursive one");
	test_stop(test);
}

static void mistakes(struct test *test)
{
	test_session(test, &system_wide);
	ok(gpmu_region_begin(test->session, "a") == -EINVAL,
	   "region: begin is refused before the session is enabled");
	gpmu_session_enable(test->session);
	ok(gpmu_region_end(test->session, "a") == -EINVAL,
	   "region: an end without a begin is refused");
	begin(test, "a");
	begin(test, "b");
	pass_ms(1);
	ok(gpmu_region_end(test->session, "a") == -EINVAL &&
		   gpmu_region_end(test->session, "c") == -EINVAL,
	   "region: an end of a region other than the innermost is refused");
	pass_ms(1);
	end(test, "b");
	end(test, "a");
	ok(gpmu_region_end(test->session, "a") == -EINVAL,
	   "region: a second end of a visit is refused");
	is_region(test, 0, "a", 1, 2,
		  "region: refused calls do not change the outer region's counts");
	is_region(test, 1, "b", 1, 2,
		  "region: refused calls do not change the inner region's counts");
	is_u64(gpmu_session_region_count(test->session), 2,
	       "region: refused calls do not create regions");
	test_stop(test);
}

static void stopped(struct test *test)
{
	test_start(test, &system_wide);
	begin(test, "a");
	pass_ms(10);
	gpmu_session_disable(test->session);
	pass_ms(100);
	end(test, "a");
	is_region(test, 0, "a", 1, 10, "region: a visit ends when the session is disabled");
	ok(gpmu_region_begin(test->session, "a") == -EINVAL,
	   "region: begin is refused while the session is disabled");
	gpmu_session_enable(test->session);
	begin(test, "a");
	pass_ms(20);
	end(test, "a");
	is_region(test, 0, "a", 2, 30,
		  "region: visits continue after the session is enabled again");
	test_stop(test);
}

static void many(struct test *test)
{
	char name[32], copy[32];
	bool is_right = true;

	test_start(test, &system_wide);
	for (unsigned int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < MANY; i++) {
			/* begin() gets the same address each time, and end() another one. */
			snprintf(name, sizeof(name), "phase %u", i);
			memcpy(copy, name, sizeof(copy));
			begin(test, name);
			pass_ms(i % 10);
			end(test, copy);
		}
	is_u64(gpmu_session_region_count(test->session), MANY,
	       "region: names are compared by their text, not by their address");
	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "phase %u", i);
		is_right = is_right && !strcmp(gpmu_region_name(test->session, i), name) &&
			   gpmu_region_visit_count(test->session, i) == 2 &&
			   !gpmu_region_rows(test->session, i, &test->rows) &&
			   row(test, 0)->raw == 2 * (i % 10) * 2500000ull;
	}
	ok(is_right,
	   "region: each of a thousand regions has its own counts, in the order of their begins");
	ok(!gpmu_region_name(test->session, MANY) && !gpmu_region_visit_count(test->session, MANY),
	   "region: there is no region after the last one");
	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "phase %u", i);
		begin(test, name);
	}
	pass_ms(1);
	for (unsigned int i = MANY; i-- > 0;) {
		snprintf(name, sizeof(name), "phase %u", i);
		end(test, name);
	}
	is_region(test, 0, "phase 0", 3, 1, "region: a thousand regions can be nested");
	/* Two names of the same hash */
	begin(test, "costarring");
	pass_ms(2);
	begin(test, "liquid");
	pass_ms(3);
	end(test, "liquid");
	end(test, "costarring");
	is_region(test, MANY, "costarring", 1, 5,
		  "region: the first of two names of the same hash has its own counts");
	is_region(test, MANY + 1, "liquid", 1, 3,
		  "region: the second of two names of the same hash has its own counts");
	begin(test, "");
	pass_ms(3);
	end(test, "");
	is_region(test, MANY + 2, "", 1, 3, "region: an empty name is a region");
	test_stop(test);
}

static void aggregated(void)
{
	const struct gpmu_session_options per_node = {
		.size = sizeof(per_node),
		.system = 1,
		.aggregation = GPMU_AGGREGATE_NODE,
	};
	struct test test;

	test_plan(&test, "vm", STEADY, "GraceMemReadBW", NULL);
	test_start(&test, &per_node);
	begin(&test, "a");
	pass_ms(100);
	end(&test, "a");
	pass_ms(1000);
	begin(&test, "a");
	pass_ms(100);
	end(&test, "a");
	ok(!gpmu_region_rows(test.session, 0, &test.rows) && test.rows->length == 2 &&
		   row(&test, 0)->node == 0 && row(&test, 1)->node == 1,
	   "region: its rows are aggregated as the session's, here by node");
	ok(close_to(row(&test, 0)->value, 80, 1e-6) && close_to(row(&test, 1)->value, 35.2, 1e-6),
	   "region: rates refer to the time spent in the region");
	ok(row(&test, 0)->time_end == 200 * MS,
	   "region: the rows' time is the sum of the visits");
	test_release(&test);
}

int main(void)
{
	struct test test;

	test_plan(&test, "vm", STEADY, NULL, BEATS);
	nested(&test);
	recursion(&test);
	mistakes(&test);
	stopped(&test);
	pauses(&test);
	many(&test);
	test_release(&test);
	aggregated();
	return done_testing();
}
