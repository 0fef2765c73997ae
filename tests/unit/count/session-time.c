// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sessions of the model's traffic, whose counts are functions of time: the guide's examples to
 * the digit, and rates of intervals of any length. Linked with --wrap for clock_gettime, so that
 * the test sets the time.
 */
#include <time.h>

#include "session-test.h"

#define SCENARIO(name) MODEL "=metrics/sources/model/scenarios/" name ".scenario"
#define T0	       5000000123ull

static uint64_t test_time = T0;

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

static const struct gpmu_session_options system_wide = {
	.size = sizeof(system_wide),
	.system = 1,
};
static const struct gpmu_session_options per_node = {
	.size = sizeof(per_node),
	.system = 1,
	.aggregation = GPMU_AGGREGATE_NODE,
};

/* Counts as printed in the guide */
static const struct {
	const char *source;
	uint64_t ns;
	const char *events;
	uint64_t counts[4];
} guide[] = {
	{ SCENARIO("guide-cpu-local-write"),
	  127496157,
	  "{nvidia_scf_pmu_0/cmem_wr_total_bytes/,nvidia_scf_pmu_0/cmem_rd_data/},"
	  "{nvidia_scf_pmu_1/remote_socket_wr_total_bytes/,"
	  "nvidia_scf_pmu_1/remote_socket_rd_data/}",
	  { 1009299148, 1213938, 1355223, 7960 } },
	{ SCENARIO("guide-cpu-remote-read"),
	  134526031,
	  "{nvidia_scf_pmu_0/cmem_wr_total_bytes/,nvidia_scf_pmu_0/cmem_rd_data/},"
	  "{nvidia_scf_pmu_1/remote_socket_wr_total_bytes/,"
	  "nvidia_scf_pmu_1/remote_socket_rd_data/}",
	  { 19588224, 33542984, 18771438, 36189087 } },
	{ SCENARIO("guide-pcie-local-read"),
	  1966391711,
	  "{nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x100/,"
	  "nvidia_pcie_pmu_0/wr_bytes_loc,root_port=0x100/,"
	  "nvidia_pcie_pmu_0/rd_bytes_rem,root_port=0x100/,"
	  "nvidia_pcie_pmu_0/wr_bytes_rem,root_port=0x100/}",
	  { 1168472064, 31250176, 49152, 0 } },
	{ SCENARIO("guide-gpu-read"),
	  771266524,
	  "{nvidia_nvlink_c2c0_pmu_0/total_bytes_loc/,nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/,"
	  "nvidia_nvlink_c2c0_pmu_0/wr_bytes_loc/},nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/",
	  { 4436253696, 4234927104, 201326592, 6356480 } },
};

/* The total of each example, and its intervals of odd lengths, whose counts add up to it */
static void examples(void)
{
	struct test test;
	uint64_t sums[4];
	uint64_t end;
	char what[200];

	for (size_t i = 0; i < sizeof(guide) / sizeof(guide[0]); i++) {
		memset(sums, 0, sizeof(sums));
		end = 0;
		test_plan(&test, "vm", guide[i].source, NULL, guide[i].events);
		test_start(&test, &system_wide);
		for (uint64_t time = 0; time < guide[i].ns;) {
			time += 17654321;
			if (time > guide[i].ns)
				time = guide[i].ns;
			test_time = T0 + time;
			if (time == guide[i].ns)
				gpmu_session_disable(test.session);
			if (test_interval(&test) || row(&test, 0)->time_begin != end)
				test_bail("an interval");
			end = row(&test, 0)->time_end;
			for (size_t k = 0; k < test.rows->length; k++)
				sums[k] += row(&test, k)->raw;
		}
		test_time += SEC;
		ok(!test_total(&test) && test.rows->length == 4 && row(&test, 0)->time_begin == 0 &&
			   row(&test, 0)->time_end == guide[i].ns &&
			   end == row(&test, 0)->time_end,
		   "session, example %zu of the guide: the total is from 0 to the elapsed time", i);
		for (size_t k = 0; k < test.rows->length; k++) {
			snprintf(what, sizeof(what),
				 "session, the guide's examples: the count of %s is as "
				 "printed", row(&test, k)->name);
			is_raw(&test, k, guide[i].counts[k], what);
			is_u64(sums[k], guide[i].counts[k],
			       "session, the guide's examples: a count is the sum of its intervals");
		}
		test_release(&test);
		test_time = T0;
	}
}

/*
 * GB/s, ns and GHz of steady.scenario, as in its last comment. At each end of an interval of dt
 * each flow has a whole number of requests. The sum of n flows is therefore off by up to n
 * requests of at most 64 bytes, and a bandwidth by n * 64 / dt.
 */
static const struct {
	const char *metric;
	double node[2], machine;
	double flows; /* of both nodes; 0: the metric is a ratio */
} steady[] = {
	{ "GraceMemReadBW", { 80, 35.2 }, 115.2, 4 },
	{ "GraceMemWriteBW", { 51.52, 24 }, 75.52, 7 },
	{ "GraceMemBW", { 131.52, 59.2 }, 190.72, 11 },
	{ "GracePcieReadBW", { 9.6, 14.4 }, 24, 4 },
	{ "GraceScfFreq", { 3.2, 2.8 }, 3.0, 0 },
	{ "GraceMemReadLatency", { 100, 150 }, 631 / 1.8 / 3.0, 0 },
};

#define N_STEADY (sizeof(steady) / sizeof(steady[0]))

static bool rate_is(const struct gpmu_row *r, double want, size_t metric, uint64_t ns)
{
	double bound = steady[metric].flows * 64 / (double)ns;

	/*
	 * Off by one of 2.8 cycles per ns, or by two requests of two flows with 0.55 requests
	 * per ns
	 */
	if (!bound)
		bound = want * 8 / (double)ns;
	if (r->state == GPMU_STATE_OK && fabs(r->value - want) <= bound + want * 1e-12)
		return true;
	diag("%s, node %d, in %" PRIu64 " ns: %.12g, want %.12g +- %g", r->name, r->node, ns,
	     r->value, want, bound);
	return false;
}

static void rates(void)
{
	static const uint64_t lengths[] = { 1 * MS,  100 * MS, 100 * MS + 1,
					    7654321, 3 * SEC,  10 * MS };
	char metrics[256] = "";
	struct test test;
	bool is_right = true, is_last = true;

	for (size_t i = 0; i < N_STEADY; i++)
		snprintf(metrics + strlen(metrics), sizeof(metrics) - strlen(metrics), "%s%s",
			 i ? "," : "", steady[i].metric);
	test_plan(&test, "vm", SCENARIO("steady"), metrics, NULL);
	test_start(&test, &per_node);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		test_time += lengths[i];
		if (test_interval(&test) || test.rows->length != 2 * N_STEADY)
			test_bail("no rows of two nodes");
		for (size_t k = 0; k < test.rows->length; k++)
			is_right = rate_is(row(&test, k), steady[k / 2].node[k % 2], k / 2,
					   lengths[i]) &&
				   row(&test, k)->node == (int)(k % 2) && row(&test, k)->share == 1 &&
				   is_right;
	}
	ok(is_right, "session: rates of an interval are the scenario's, whatever its length");
	/* The last interval is 3 ms instead of 10. */
	test_time += 3 * MS;
	gpmu_session_disable(test.session);
	test_time += SEC;
	is_last = !test_interval(&test);
	for (size_t k = 0; k < test.rows->length; k++)
		is_last = rate_is(row(&test, k), steady[k / 2].node[k % 2], k / 2, 3 * MS) && is_last;
	ok(is_last && row(&test, 0)->time_end - row(&test, 0)->time_begin == 3 * MS,
	   "session: the last interval ends at disable and has its rates");
	test_release(&test);
	test_time = T0;
}

static void machine_rates(void)
{
	char metrics[256] = "";
	struct test test;
	bool is_right = true;

	for (size_t i = 0; i < N_STEADY; i++)
		snprintf(metrics + strlen(metrics), sizeof(metrics) - strlen(metrics), "%s%s",
			 i ? "," : "", steady[i].metric);
	test_plan(&test, "vm", SCENARIO("steady"), metrics, NULL);
	test_start(&test, &system_wide);
	test_time += SEC;
	if (test_total(&test) || test.rows->length != N_STEADY)
		test_bail("no rows");
	for (size_t k = 0; k < test.rows->length; k++)
		is_right = rate_is(row(&test, k), steady[k].machine, k, SEC) &&
			   row(&test, k)->scope == GPMU_SCOPE_MACHINE && is_right;
	ok(is_right, "session: rates of the machine are those of both sockets");
	test_release(&test);
	test_time = T0;
}

/* 2.5 G data beats per second */
#define BEATS "nvidia_scf_pmu_0/cmem_rd_data/"

static void again(void)
{
	struct test test;

	test_plan(&test, "vm", SCENARIO("steady"), NULL, BEATS);
	test_session(&test, &system_wide);
	ok(test_interval(&test) == -EINVAL && test_total(&test) == -EINVAL,
	   "session: there are no rows before enable");
	ok(!gpmu_session_disable(test.session), "session: disable before enable succeeds");
	ok(!gpmu_session_enable(test.session) && gpmu_session_enable(test.session) == -EALREADY,
	   "session: a second enable is EALREADY");
	test_time += SEC;
	test_interval(&test);
	test_time += SEC;
	test_total(&test);
	is_raw(&test, 0, 5000000000, "session: the total covers all the time since enable");
	test_interval(&test);
	is_raw(&test, 0, 2500000000, "session: an interval does not depend on a total in between");
	gpmu_session_disable(test.session);
	ok(!gpmu_session_disable(test.session), "session: a second disable succeeds");
	test_time += 5 * SEC;
	test_interval(&test);
	ok(row(&test, 0)->raw == 0 && row(&test, 0)->time_begin == 2 * SEC && row(&test, 0)->time_end == 2 * SEC,
	   "session: an interval after disable has no length and no counts");
	test_total(&test);
	ok(row(&test, 0)->time_end == 2 * SEC, "session: the total's time stops at disable");
	is_raw(&test, 0, 5000000000, "session: the total's counts stop at disable");
	gpmu_session_enable(test.session);
	test_time += 3 * SEC;
	test_total(&test);
	ok(row(&test, 0)->time_begin == 0 && row(&test, 0)->time_end == 3 * SEC &&
		   row(&test, 0)->enabled == 3 * SEC,
	   "session: the next enable starts at time 0");
	is_raw(&test, 0, 7500000000, "session: the next enable starts with counts of 0");
	test_interval(&test);
	is_raw(&test, 0, 7500000000,
	       "session: the first interval after the next enable has its own counts only");
	gpmu_session_disable(test.session);
	gpmu_session_enable(test.session);
	test_time += SEC;
	gpmu_session_disable(test.session);
	gpmu_session_enable(test.session);
	test_time += 2 * SEC;
	test_total(&test);
	is_raw(&test, 0, 5000000000,
	       "session: counts not read before a disable are lost at the next enable");
	test_release(&test);
	test_time = T0;
}

static void runs(void)
{
	struct test test;

	test_plan(&test, "vm", SCENARIO("guide-cpu-local-read"), NULL, BEATS);
	for (int i = 0; i < 3; i++) {
		test_start(&test, &system_wide);
		test_time += 88826372;
		gpmu_session_disable(test.session);
		test_total(&test);
		is_raw(&test, 0, 35572420,
		       "session: each session of a plan starts the same traffic");
		test_stop(&test);
		test_time += SEC;
	}
	test_release(&test);
	test_time = T0;
}

static void is_part(struct test *test, uint64_t begin_ms, uint64_t end_ms, const char *what)
{
	const struct gpmu_row *rate = row(test, 0), *beats = row(test, 1), *time = row(test, 2);
	const uint64_t ns = (end_ms - begin_ms) * MS;

	if (!ok(close_to(rate->value, 115.2, 1e-6) && beats->raw == ns / MS * 2500000 &&
		time->raw == ns && rate->time_begin == begin_ms * MS && rate->time_end == end_ms * MS,
		"%s", what))
		diag("%g GB/s, %" PRIu64 " beats, %" PRIu64 " ns, from %" PRIu64 " to %" PRIu64,
		     rate->value, beats->raw, time->raw, rate->time_begin, rate->time_end);
}

/* Socket 0 reads 80 GB/s, which is 2.5 beats per ns, and socket 1 35.2 GB/s. */
static void pauses(void)
{
	struct test test;

	test_plan(&test, "vm", SCENARIO("steady"), "GraceMemReadBW",
		  "nvidia_scf_pmu_0/cmem_rd_data/,duration_time");
	test_session(&test, &system_wide);
	ok(gpmu_session_pause(test.session) == -EINVAL && gpmu_session_resume(test.session) == -EINVAL,
	   "session: pause and resume are refused before enable");
	gpmu_session_enable(test.session);
	ok(!gpmu_session_resume(test.session), "session: resuming a session that counts does nothing");
	test_time += 10 * MS;
	ok(!gpmu_session_pause(test.session) && !gpmu_session_pause(test.session),
	   "session: pausing a paused session does nothing");
	test_time += 30 * MS;
	test_interval(&test);
	is_part(&test, 30, 40, "session: an interval with a pause has the rate of the time before the pause");
	test_time += 20 * MS;
	test_interval(&test);
	is_state(&test, 1, GPMU_STATE_NOT_COUNTED, "counting is paused",
		 "session: an interval that was paused is not counted");
	ok(row(&test, 1)->time_begin == 60 * MS && row(&test, 1)->time_end == 60 * MS,
	   "session: an interval that was paused has no length, and its end is the time since enable");
	test_time += 40 * MS;
	gpmu_session_resume(test.session);
	test_time += 5 * MS;
	test_interval(&test);
	is_part(&test, 100, 105, "session: an interval in which the session resumed is as long as it counted");
	test_time += 5 * MS;
	test_total(&test);
	is_part(&test, 90, 110, "session: the total has the counts and the time of both parts");
	gpmu_session_pause(test.session);
	test_time += 7 * MS;
	gpmu_session_disable(test.session);
	test_time += 7 * MS;
	test_total(&test);
	is_part(&test, 97, 117, "session: a session that is disabled during a pause ends then");
	gpmu_session_enable(test.session);
	test_time += 10 * MS;
	test_total(&test);
	is_part(&test, 0, 10, "session: enable ends a pause and begins at 0");
	test_release(&test);
	test_time = T0;
}

int main(void)
{
	examples();
	rates();
	machine_rates();
	again();
	runs();
	pauses();
	return done_testing();
}
