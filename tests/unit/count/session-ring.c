// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernel-timed intervals: the kernel logs the counts of CPU 0 to a ring buffer, and the
 * intervals are made of these readings. The test keeps CPU 0 busy.
 */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "count/counter/counter.h"
#include "count/counter/counter_ring.h"
#include "lib/reads.h"
#include "count/session.h"
#include "count/session_ring.h"
#include "session-kernel.h"

#define EVENTS	"page-faults,task-clock,context-switches"
#define ALL	3

static struct gpmu_session_options options = {
	.size = sizeof(options), .cpus = "0", .interval = MS,
};

struct sums {
	uint64_t raw[ALL], intervals, longest;
	uint64_t end;
	bool is_contiguous, is_counted;
};

static void busy(uint64_t ms)
{
	struct timespec time;
	uint64_t begin, now;

	clock_gettime(CLOCK_MONOTONIC, &time);
	begin = now = (uint64_t)time.tv_sec * SEC + (uint64_t)time.tv_nsec;
	while (now - begin < ms * MS) {
		touch_pages(1);
		clock_gettime(CLOCK_MONOTONIC, &time);
		now = (uint64_t)time.tv_sec * SEC + (uint64_t)time.tv_nsec;
	}
}

static void add(struct sums *sums, const struct test *test)
{
	sums->is_contiguous = sums->is_contiguous && row(test, 0)->time_begin == sums->end &&
			      row(test, 0)->time_end > sums->end;
	sums->end = row(test, 0)->time_end;
	for (size_t i = 0; i < ALL; i++) {
		sums->raw[i] += row(test, i)->raw;
		sums->is_counted = sums->is_counted && row(test, i)->state == GPMU_STATE_OK;
	}
}

static bool is_on(const struct test *test)
{
	return test->session->rings->state == RINGS_ON;
}

/*
 * Adds the intervals that are ready, and counts those that the kernel timed. Returns 0; -ENODATA
 * if the session reads the counters itself; or an error.
 */
static int drain(struct sums *sums, struct test *test)
{
	int ret;

	do {
		bool is_active = is_on(test);

		ret = gpmu_session_next(test->session, &test->rows);
		if (ret == 1) {
			add(sums, test);
			sums->intervals += is_active && is_on(test);
		}
	} while (ret == 1);
	return ret ? ret : is_on(test) ? 0 : -ENODATA;
}

/* Adds the intervals up to gpmu_session_disable(). Returns whether the last one ends there. */
static bool finish(struct sums *sums, struct test *test)
{
	gpmu_session_disable(test->session);
	drain(sums, test);
	return test->session->last->end == test->session->stop;
}

static struct sums no_sums(void)
{
	return (struct sums){ .is_contiguous = true, .is_counted = true };
}

/* Returns whether the session has given up the kernel's readings for a pause. */
static bool is_paused(const struct test *test)
{
	return test->session->rings->state == RINGS_OFF && test->session->rings->until;
}

/* Takes intervals by read(2) until the kernel logs readings or a trial fails. Returns 0, or the last error. */
static int begin(struct sums *sums, struct test *test)
{
	int ret = is_on(test) ? 0 : -ENODATA;

	for (int i = 0; i < 100 && ret == -ENODATA && !is_paused(test); i++) {
		busy(1);
		ret = drain(sums, test);
	}
	return ret;
}

/* Repeats begin() at once if a busy machine made the kernel late. */
static int start(struct sums *sums, struct test *test)
{
	int ret = begin(sums, test);

	for (int i = 0; i < 20 && ret == -ENODATA; i++) {
		test->session->rings->until = 0;
		test->session->rings->pause = SEC;
		ret = begin(sums, test);
	}
	return ret;
}

/* Returns whether the kernel logs @n intervals within 800 ms. */
static bool are_read(uint64_t n, struct sums *sums, struct test *test)
{
	sums->intervals = 0;
	for (int i = 0; i < 40 && sums->intervals < n; i++) {
		busy(20);
		if (drain(sums, test))
			start(sums, test);
	}
	return sums->intervals >= n;
}

static bool is_total(const struct sums *sums, struct test *test)
{
	bool is_same = !test_total(test);

	for (size_t i = 0; i < ALL; i++) {
		is_same = is_same && row(test, i)->raw == sums->raw[i];
		if (row(test, i)->raw != sums->raw[i])
			diag("%s: %" PRIu64 " of all, %" PRIu64 " of intervals", row(test, i)->name,
			     row(test, i)->raw, sums->raw[i]);
	}
	return is_same && row(test, 0)->time_end == sums->end;
}

static void intervals(struct test *test)
{
	struct sums sums = no_sums();
	uint64_t before, max = 0;
	int ret;

	test_start(test, &options);
	ok(!start(&sums, test), "kernel-timed intervals: the kernel logs readings after a trial");
	is_u64(gpmu_session_wait_time(test->session), 25 * MS,
	       "kernel-timed intervals: a program waits for 25 intervals");
	for (int i = 0; i < 40 && sums.intervals < 100; i++) {
		before = reads();
		ret = drain(&sums, test);
		busy(25);
		if (ret == -ENODATA)
			start(&sums, test);
		else if (reads() - before > max)
			max = reads() - before;
	}
	/* The session may read a limit of the kernel when it asks for readings again. */
	ok(max <= 2, "kernel-timed intervals: readings need no system calls");
	ok(sums.intervals >= 100, "kernel-timed intervals: the kernel has logged 100 intervals");
	diag("%" PRIu64 " intervals", sums.intervals);
	ok(finish(&sums, test),
	   "kernel-timed intervals: the last interval is read after disable");
	ok(sums.is_contiguous,
	   "kernel-timed intervals: each interval begins where the one before it ended");
	ok(sums.is_counted, "kernel-timed intervals: all intervals are counted");
	ok(is_total(&sums, test), "kernel-timed intervals: their sum is the total");
	ok(sums.raw[0] > 100 && sums.raw[1] > 100 * MS,
	   "kernel-timed intervals: page faults and task-clock are those of the busy task");
}

/* Enables the session again, and takes an interval by read(2) in between. */
static void again(struct test *test)
{
	struct sums sums = no_sums();

	ok(!gpmu_session_enable(test->session) && !start(&sums, test),
	   "kernel-timed intervals: they resume after the session is enabled again");
	busy(20);
	drain(&sums, test);
	session_rings_stop(test->session->rings);
	busy(5);
	ok(!test_interval(test),
	   "kernel-timed intervals: an interval can be taken by read(2) in between");
	add(&sums, test);
	ok(are_read(10, &sums, test),
	   "kernel-timed intervals: they resume after an interval by read(2)");
	ok(finish(&sums, test),
	   "kernel-timed intervals: the last interval is read after the second disable");
	ok(sums.is_contiguous && sums.is_counted && is_total(&sums, test),
	   "kernel-timed intervals: after an interval by read(2) their sum is the total");
}

static void is_not(const char *events, const struct gpmu_session_options *options, const char *what)
{
	struct test test;

	test_plan(&test, NULL, NULL, NULL, events);
	ok(!test_session(&test, options) && !test.session->rings &&
		   gpmu_session_wait_time(test.session) == options->interval &&
		   !gpmu_session_enable(test.session) && !gpmu_session_disable(test.session) &&
		   !test_interval(&test),
	   "%s", what);
	test_release(&test);
}

static void others(void)
{
	struct gpmu_session_options other = options;
	struct test test;

	is_not("task-clock,user_time", &options,
	       "kernel-timed intervals: the kernel does not sample user_time");
	other.interval = 2 * MS + 1;
	is_not("task-clock", &other, "kernel-timed intervals: the kernel does not sample above 2 ms");
	other.interval = MS / 100;
	is_not("task-clock", &other, "kernel-timed intervals: the kernel does not sample every 10 us");
	other = (struct gpmu_session_options){ .size = sizeof(other), .interval = MS };
	is_not("task-clock", &other, "kernel-timed intervals: the kernel does not sample tasks");
	test_plan(&test, NULL, NULL, NULL, "{task-clock,page-faults}");
	ok(!test_session(&test, &options) && test.session->rings,
	   "kernel-timed intervals: given groups can be logged");
	test_release(&test);
	test_plan(&test, NULL, NULL, NULL, "task-clock");
	other.interval = 60 * SEC;
	test_start(&test, &other);
	ok(test_interval(&test) == -ENODATA && !gpmu_session_disable(test.session) &&
		   !test_interval(&test) && test_interval(&test) == -ENODATA,
	   "session: there is no interval before half of its length, and one after disable");
	test_stop(&test);
	ok(!test_session(&test, &options) &&
		   gpmu_session_next(test.session, &test.rows) == -EINVAL,
	   "kernel-timed intervals: the session must be enabled");
	test_release(&test);
}

/* No reading is taken until the rings are full. */
static void late(void)
{
	struct sums sums = no_sums();
	struct test test;

	test_plan(&test, NULL, NULL, NULL, EVENTS);
	test_start(&test, &options);
	ok(!start(&sums, &test), "full ring: the kernel logs readings");
	busy(1200);
	ok(!drain(&sums, &test) && sums.intervals > 50 && sums.intervals <= RING_MAX,
	   "full ring: the kernel logs as many readings as fit and no more");
	diag("%" PRIu64 " intervals in 1200 ms", sums.intervals);
	ok(are_read(20, &sums, &test), "full ring: the kernel logs again after the ring was read");
	ok(finish(&sums, &test), "full ring: the last interval is read after disable");
	ok(sums.is_contiguous && sums.is_counted && is_total(&sums, &test),
	   "full ring: no count is lost");
	test_release(&test);
}

/* The kernel stops logging: intervals are taken by read(2), and the kernel is tried again later. */
static void too_few(struct test *test)
{
	struct session_rings *rings = test->session->rings;
	struct sums sums = no_sums();
	int ret = 0;

	gpmu_session_enable(test->session);
	start(&sums, test);
	kept_lines = 0;
	busy(20);
	/* On a loaded machine earlier readings may last for a while, and the session may start the timer again. */
	for (int i = 0; i < 50 && !ret; i++) {
		counter_ring_stop(rings->list[0]);
		busy(30);
		ret = drain(&sums, test);
	}
	ok(ret == -ENODATA && sums.intervals >= 1,
	   "too few readings: the session gives up the kernel's readings");
	is_str(kept_line, "the kernel does not sample the counters for 1 s: CPU 0: too few samples",
	       "too few readings: the pause of 1 s and its cause are logged");
	busy(1);
	ok(!test_interval(test), "too few readings: the next interval is taken by read(2)");
	add(&sums, test);
	is_u64(rings->state, RINGS_OFF,
	       "too few readings: the kernel is not tried again within the pause");
	is_u64((uint64_t)kept_lines, 1, "too few readings: the pause is logged once");
	rings->until = 0;
	ok(!start(&sums, test), "too few readings: the kernel is tried again after the pause");
	ok(are_read(10, &sums, test),
	   "too few readings: the kernel logs intervals after the pause");
	ok(finish(&sums, test), "too few readings: the last interval is read after disable");
	ok(sums.is_contiguous && sums.is_counted && is_total(&sums, test),
	   "too few readings: no count is lost");
}

/* The kernel logs nothing at the first trial. */
static void none(struct test *test)
{
	struct counter_ring *ring = test->session->rings->list[0];
	struct sums sums = no_sums();

	gpmu_session_enable(test->session);
	/* On a loaded machine a trial may have ended before drain() returns. */
	do {
		session_rings_pause(test->session);
		busy(1);
		drain(&sums, test);
	} while (test->session->rings->state != RINGS_TRIED);
	counter_ring_stop(ring);
	counter_ring_skip(ring);
	ring->seen = 0;
	kept_line[0] = '\0';
	ok(begin(&sums, test) == -ENODATA && strstr(kept_line, "too few samples"),
	   "no readings: intervals are taken by read(2) and a message states why");
	finish(&sums, test);
	ok(sums.is_contiguous && sums.is_counted && is_total(&sums, test),
	   "no readings: no count is lost");
}

/* The kernel refuses to log, as on a CPU that is offline, while the events are counted. */
static void refused(void)
{
	struct sums sums = no_sums();
	struct test test;

	test_plan(&test, NULL, NULL, NULL, EVENTS);
	test_start(&test, &options);
	test.session->rings->list[0]->set->targets[0].target.cpu = 99999;
	is_u64((uint64_t)-begin(&sums, &test), ENODATA,
	       "refused readings: intervals are taken by read(2)");
	ok(strstr(kept_line, "counters for 1 s: CPU 99999: "),
	   "refused readings: the message names the CPU: %s", kept_line);
	finish(&sums, &test);
	ok(sums.is_contiguous && sums.is_counted && is_total(&sums, &test),
	   "refused readings: no count is lost");
	test_release(&test);
}

/* No interval, the last one included, is shorter than half of the requested length. */
static void last(struct test *test)
{
	bool is_right = true;

	for (int i = 0; i < 10; i++) {
		struct sums sums = no_sums();

		gpmu_session_enable(test->session);
		start(&sums, test);
		busy(5);
		finish(&sums, test);
		is_right = is_right && row(test, 0)->time_end - row(test, 0)->time_begin > MS * 45 / 100;
		is_right = is_right && sums.is_contiguous && is_total(&sums, test);
	}
	ok(is_right, "kernel-timed intervals: the last one has at least 45 %% of the requested length");
}

/* Writes the kernel's record of throttled events; the caller frees the data returned. */
static char *tell_of_stop(struct counter_ring *ring)
{
	const struct perf_event_header throttled = { .type = PERF_RECORD_THROTTLE, .size = sizeof(throttled) };
	/* Only the kernel can write to its own ring. */
	char *data = calloc(1, ring->records.size);

	if (!data)
		test_bail("no memory");
	memcpy(data + (ring->records.page->data_head & (ring->records.size - 1)), &throttled, sizeof(throttled));
	ring->records.data = data;
	ring->records.page->data_head += sizeof(throttled);
	return data;
}

static void interference(void)
{
	struct counter_ring *ring;
	char *data;
	struct sums sums = no_sums();
	struct test test;

	test_plan(&test, NULL, NULL, NULL, EVENTS);
	test_start(&test, &options);
	start(&sums, &test);
	busy(5);
	ring = test.session->rings->list[0];
	counter_ring_stop(ring);
	ok(!drain(&sums, &test),
	   "throttling: readings are accepted before the record of throttling");
	data = tell_of_stop(ring);
	busy(1);
	ok(drain(&sums, &test) == -ENODATA && sums.is_contiguous,
	   "throttling: the session gives up the kernel's readings");
	ok(!sums.is_counted && row(&test, 0)->state == GPMU_STATE_NOT_COUNTED,
	   "throttling: the interval with the gap is not counted");
	busy(5);
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_STATE_OK,
	   "throttling: the interval after the gap is counted");
	ok(!test_total(&test) && row(&test, 0)->state == GPMU_STATE_NOT_COUNTED,
	   "throttling: the total is not counted");
	test_release(&test);
	free(data);
}

/* Throttling before the kernel's readings are used */
static void interference_between(void)
{
	struct counter_ring *ring;
	struct test test;
	char *data;

	test_plan(&test, NULL, NULL, NULL, EVENTS);
	test_start(&test, &options);
	busy(1);
	test_interval(&test);
	busy(2);
	ring = test.session->rings->list[0];
	counter_ring_stop(ring);
	data = tell_of_stop(ring);
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_STATE_NOT_COUNTED,
	   "throttling: an interval by read(2) with the gap is not counted");
	busy(2);
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_STATE_OK,
	   "throttling: an interval by read(2) after the gap is counted");
	ok(!test_total(&test) && row(&test, 0)->state == GPMU_STATE_NOT_COUNTED,
	   "throttling: the total of intervals by read(2) is not counted");
	test_release(&test);
	free(data);
}

static void keep_info(int level, const char *line, void *user)
{
	keep_line(level == GPMU_LOG_INFO ? GPMU_LOG_WARNING : level, line, user);
}

int main(void)
{
	struct test test;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	test_plan(&test, NULL, NULL, NULL, EVENTS);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || test_session(&test, &options)) {
		skip("kernel-timed intervals: CPU 0 can be "
		     "counted", "this user may not count the first CPU");
		test_release(&test);
		return done_testing();
	}
	test_stop(&test);
	gpmu_log_set(keep_info, NULL);
	intervals(&test);
	again(&test);
	too_few(&test);
	last(&test);
	none(&test);
	test_release(&test);
	others();
	late();
	interference();
	interference_between();
	refused();
	return done_testing();
}
