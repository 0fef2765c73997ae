// SPDX-License-Identifier: LGPL-2.1-or-later
/* Intervals of readings that the kernel takes, of the first CPU, where tasks are busy */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "count/counter.h"
#include "count/counter_ring.h"
#include "lib/reads.h"
#include "count/session.h"
#include "session-kernel.h"

#define EVENTS	"page-faults,task-clock,context-switches"
#define ALL	3

static struct gpmu_session_options options = {
	.size = sizeof(options), .cpus = "0", .interval = MS,
};

struct sums {
	uint64_t raw[ALL], intervals, longest;
	double end;
	bool contiguous, counted;
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
	sums->contiguous = sums->contiguous && row(test, 0)->begin == sums->end &&
			   row(test, 0)->end > sums->end;
	sums->end = row(test, 0)->end;
	for (size_t i = 0; i < ALL; i++) {
		sums->raw[i] += row(test, i)->raw;
		sums->counted = sums->counted && row(test, i)->state == GPMU_OK;
	}
}

/* Those that are there; 0, or as it failed */
static int drain(struct sums *sums, struct test *test)
{
	int ret;

	while ((ret = gpmu_session_next(test->session, &test->rows, &test->n)) == 1) {
		add(sums, test);
		sums->intervals++;
	}
	return ret;
}

static struct sums no_sums(void)
{
	return (struct sums){ .contiguous = true, .counted = true };
}

/* Read as of old until the kernel does it. How it was last asked whether it does: 0 */
static int begin(struct sums *sums, struct test *test)
{
	int ret = gpmu_session_next(test->session, &test->rows, &test->n);

	for (int i = 0; i < 100 && ret == -ENODATA; i++) {
		busy(1);
		if (test_interval(test))
			return -EIO;
		add(sums, test);
		ret = gpmu_session_next(test->session, &test->rows, &test->n);
	}
	return ret;
}

/* The same; a busy machine that has the kernel late meanwhile is tried again at once. */
static int start(struct sums *sums, struct test *test)
{
	int ret = begin(sums, test);

	for (int i = 0; i < 20 && ret == -ENODATA; i++) {
		test->session->rings.until = 0;
		test->session->rings.pause = SEC;
		ret = begin(sums, test);
	}
	return ret;
}

/* Whether the kernel has read @n intervals, before long */
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
	bool same = !test_total(test);

	for (size_t i = 0; i < ALL; i++) {
		same = same && row(test, i)->raw == sums->raw[i];
		if (row(test, i)->raw != sums->raw[i])
			diag("%s: %" PRIu64 " of all, %" PRIu64 " of intervals", row(test, i)->name,
			     row(test, i)->raw, sums->raw[i]);
	}
	return same && row(test, 0)->end == sums->end;
}

static void intervals(struct test *test)
{
	struct sums sums = no_sums();
	uint64_t before, most = 0;
	int ret;

	test_start(test, &options);
	ok(!start(&sums, test), "the kernel takes readings, which is tried first");
	for (int i = 0; i < 40 && sums.intervals < 100; i++) {
		before = reads();
		ret = drain(&sums, test);
		busy(25);
		most = reads() - before > most ? reads() - before : most;
		if (ret == -ENODATA)
			start(&sums, test);
	}
	/* A limit of the kernel's, as it is asked again */
	ok(most <= 2, "they are not read by system calls");
	ok(sums.intervals >= 100, "the kernel has read");
	diag("%" PRIu64 " intervals", sums.intervals);
	gpmu_session_disable(test->session);
	ok(!drain(&sums, test) && !test_interval(test), "the last interval is read");
	add(&sums, test);
	ok(sums.contiguous, "each interval begins where the one before it ended");
	ok(sums.counted, "and counts");
	ok(is_total(&sums, test), "all of them are the total");
	ok(sums.raw[0] > 100 && sums.raw[1] > 100 * MS, "which is what has run");
}

/* Again, and then as if there were no readings */
static void again(struct test *test)
{
	struct sums sums = no_sums();

	ok(!gpmu_session_enable(test->session) && !start(&sums, test), "it is enabled again");
	busy(20);
	drain(&sums, test);
	busy(5);
	ok(!test_interval(test), "one is read");
	add(&sums, test);
	ok(are_read(10, &sums, test), "and then those that the kernel has read");
	gpmu_session_disable(test->session);
	drain(&sums, test);
	ok(!test_interval(test), "and the last");
	add(&sums, test);
	ok(sums.contiguous && sums.counted && is_total(&sums, test),
	   "nothing is lost, nor there twice");
}

static void is_not(const char *events, const struct gpmu_session_options *of, const char *what)
{
	struct test test;

	test_plan(&test, NULL, NULL, NULL, events);
	ok(!test_session(&test, of) && !test.session->rings.interval &&
		   !gpmu_session_enable(test.session) &&
		   gpmu_session_next(test.session, &test.rows, &test.n) == -ENODATA &&
		   !test_interval(&test),
	   "%s", what);
	test_release(&test);
}

static void others(void)
{
	struct gpmu_session_options other = options;
	struct test test;

	is_not("task-clock,user_time", &options, "times of programs are not of such a reading");
	other.interval = 2 * MS + 1;
	is_not("task-clock", &other, "nor long intervals");
	other.interval = MS / 100;
	is_not("task-clock", &other, "nor very short ones");
	other = (struct gpmu_session_options){ .size = sizeof(other), .interval = MS };
	is_not("task-clock", &other, "nor what is of tasks");
	test_plan(&test, NULL, NULL, NULL, "{task-clock,page-faults}");
	ok(!test_session(&test, &options) && test.session->rings.interval == MS, "groups that were given are");
	test_release(&test);
	test_plan(&test, NULL, NULL, NULL, "task-clock");
	ok(!test_session(&test, &options) &&
		   gpmu_session_next(test.session, &test.rows, &test.n) == -EINVAL,
	   "it has to be enabled");
	test_release(&test);
}

/* Nobody looks until the rings are full. */
static void late(void)
{
	struct sums sums = no_sums();
	struct test test;

	test_plan(&test, NULL, NULL, NULL, EVENTS);
	test_start(&test, &options);
	ok(!start(&sums, &test), "readings of which nobody looks at one");
	busy(1200);
	ok(!drain(&sums, &test) && sums.intervals > 50 && sums.intervals <= RING_MOST,
	   "the kernel takes so many readings and no more");
	diag("%" PRIu64 " intervals in 1200 ms", sums.intervals);
	ok(are_read(20, &sums, &test), "it is asked for more");
	gpmu_session_disable(test.session);
	drain(&sums, &test);
	ok(!test_interval(&test), "the last interval");
	add(&sums, &test);
	ok(sums.contiguous && sums.counted && is_total(&sums, &test), "nothing is lost");
	test_release(&test);
}

/* The kernel writes no more; it is read as of old, and asked again later. */
static void too_few(struct test *test)
{
	struct session_rings *rings = &test->session->rings;
	struct sums sums = no_sums();
	int ret = 0;

	gpmu_session_enable(test->session);
	start(&sums, test);
	kept_lines = 0;
	busy(20);
	counter_ring_stop(rings->list[0]);
	/* As long as others let it wait there may be enough of those before. */
	for (int i = 0; i < 50 && !ret; i++) {
		busy(30);
		ret = drain(&sums, test);
	}
	ok(ret == -ENODATA && sums.intervals >= 1, "too few readings are given up");
	is_str(kept_line, "for 1 s the kernel is not asked for readings: CPU 0: there were too few",
	       "which is told");
	ok(!test_interval(test), "the next is read");
	add(&sums, test);
	is_u64((uint64_t)-gpmu_session_next(test->session, &test->rows, &test->n), ENODATA,
	       "at first it is not tried again");
	is_u64((uint64_t)kept_lines, 1, "it was told once");
	rings->until = 0;
	ok(!start(&sums, test), "a second later it is");
	ok(are_read(10, &sums, test), "and the kernel reads");
	gpmu_session_disable(test->session);
	drain(&sums, test);
	ok(!test_interval(test), "the last is read");
	add(&sums, test);
	ok(sums.contiguous && sums.counted && is_total(&sums, test), "nothing is lost");
}

/* It takes none when it is first tried. */
static void none(struct test *test)
{
	struct counter_ring *ring = test->session->rings.list[0];
	struct sums sums = no_sums();

	gpmu_session_enable(test->session);
	gpmu_session_next(test->session, &test->rows, &test->n);
	counter_ring_stop(ring);
	counter_ring_skip(ring);
	ring->seen = 0;
	kept_line[0] = '\0';
	ok(begin(&sums, test) == -ENODATA && strstr(kept_line, "there were too few"),
	   "without readings it is as of old, which is told");
	gpmu_session_disable(test->session);
	test_interval(test);
	add(&sums, test);
	ok(sums.contiguous && sums.counted && is_total(&sums, test), "nothing is lost");
}

/* The kernel refuses it while others are counted, as of a CPU that is offline. */
static void refused(void)
{
	struct sums sums = no_sums();
	struct test test;

	test_plan(&test, NULL, NULL, NULL, EVENTS);
	test_start(&test, &options);
	test.session->rings.list[0]->set->places[0].place.cpu = 99999;
	is_u64((uint64_t)-begin(&sums, &test), ENODATA, "what the kernel refuses is as of old");
	ok(strstr(kept_line, "readings: CPU 99999: "), "which is told: %s", kept_line);
	gpmu_session_disable(test.session);
	test_interval(&test);
	add(&sums, &test);
	ok(sums.contiguous && sums.counted && is_total(&sums, &test), "nothing is lost");
	test_release(&test);
}

/* No interval is shorter than half of what it is to be, the last one is neither. */
static void last(struct test *test)
{
	bool all = true;

	for (int i = 0; i < 10; i++) {
		struct sums sums = no_sums();

		gpmu_session_enable(test->session);
		start(&sums, test);
		busy(5);
		gpmu_session_disable(test->session);
		drain(&sums, test);
		test_interval(test);
		all = all && row(test, 0)->end - row(test, 0)->begin > 0.00045;
		add(&sums, test);
		all = all && sums.contiguous && is_total(&sums, test);
	}
	ok(all, "the last interval is not much shorter than the others");
}

/* The kernel tells that it has stopped the events for a while. Data that is the caller's to free */
static char *tell_of_stop(struct counter_ring *ring)
{
	const struct perf_event_header told = { .type = PERF_RECORD_THROTTLE, .size = sizeof(told) };
	/* Only the kernel can write into its own. */
	char *data = calloc(1, ring->mask + 1);

	if (!data)
		test_bail("no memory");
	memcpy(data + (ring->page->data_head & ring->mask), &told, sizeof(told));
	ring->data = data;
	ring->page->data_head += sizeof(told);
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
	ring = test.session->rings.list[0];
	counter_ring_stop(ring);
	ok(!drain(&sums, &test), "it tells nothing as yet");
	data = tell_of_stop(ring);
	ok(drain(&sums, &test) == -ENODATA && sums.counted && sums.contiguous,
	   "what the kernel stops is given up");
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_NOT_COUNTED,
	   "what it may have left out is not counted");
	busy(5);
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_OK, "what follows is");
	ok(!test_total(&test) && row(&test, 0)->state == GPMU_NOT_COUNTED, "all of it is not");
	test_release(&test);
	free(data);
}

/* Where readings of the ring are not looked at: as of old, or of another ring that is as bad */
static void interference_between(void)
{
	struct counter_ring *ring;
	struct sums sums = no_sums();
	struct test test;
	char *data;

	test_plan(&test, NULL, NULL, NULL, EVENTS);
	test_start(&test, &options);
	begin(&sums, &test);
	busy(2);
	ring = test.session->rings.list[0];
	counter_ring_stop(ring);
	data = tell_of_stop(ring);
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_NOT_COUNTED,
	   "what it may have left out of an interval that is read is not counted");
	busy(2);
	ok(!test_interval(&test) && row(&test, 0)->state == GPMU_OK, "what follows is");
	ok(!test_total(&test) && row(&test, 0)->state == GPMU_NOT_COUNTED, "all of it is not");
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
		skip("readings that the kernel takes", "this user may not count the first CPU");
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
