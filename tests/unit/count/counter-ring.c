// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counts that the kernel logs to ring buffers, with simulated ring buffers */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "count/counter/counter.h"
#include "count/counter/counter_ring.h"
#include "tap.h"

#define DATA	4096
#define PERIOD	1000
#define RINGS	2

static size_t slots[] = { 0, 1 };
static struct counter_set set = { .slots = slots, .slot_count = 2 };
static struct counter_ring *rings[RINGS];
static size_t bad;

static void start(void)
{
	size_t first = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < RINGS; i++) {
		void *page = mmap(NULL, first + DATA, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		rings[i] = malloc(sizeof(*rings[i]));
		if (page == MAP_FAILED || !rings[i] ||
		    counter_ring_init(rings[i], page, first, DATA, &set, i))
			exit(1);
	}
}

static void stop(void)
{
	for (size_t i = 0; i < RINGS; i++) {
		munmap(rings[i]->records.page, (size_t)sysconf(_SC_PAGESIZE) + DATA);
		counter_ring_free(rings[i]);
	}
}

/* Writes one number; all records consist of 64-bit numbers. */
static void put(struct counter_ring *ring, uint64_t number)
{
	memcpy(ring->records.data + (ring->records.page->data_head & (ring->records.size - 1)), &number, sizeof(number));
	ring->records.page->data_head += sizeof(number);
}

/* Writes a record of @n numbers. */
static void put_record(struct counter_ring *ring, unsigned int type, const uint64_t *numbers,
		       size_t n)
{
	const struct perf_event_header header = {
		.type = type, .size = (uint16_t)(sizeof(header) + n * sizeof(*numbers)),
	};
	uint64_t number;

	memcpy(&number, &header, sizeof(number));
	put(ring, number);
	for (size_t i = 0; i < n; i++)
		put(ring, numbers[i]);
}

static void put_reading(size_t ring, uint64_t time, uint64_t count)
{
	const uint64_t numbers[] = { time, 4, 1, 1, time * 2, count, count * 10, 1 };

	put_record(rings[ring], PERF_RECORD_SAMPLE, numbers, 8);
}

static int next(bool wants_all, uint64_t *time)
{
	int ret = counter_rings_next(rings, RINGS, PERIOD, wants_all, time, &bad);

	for (size_t i = 0; i < RINGS; i++)
		counter_ring_release(rings[i]);
	return ret;
}

/* Returns whether the next matching samples have this time and these first counts. */
static bool is_next(uint64_t time, uint64_t first, uint64_t second)
{
	uint64_t next_time = 0;

	return next(false, &next_time) == 1 && next_time == time && rings[0]->taken[RING_COUNTS] == first &&
	       rings[1]->taken[RING_COUNTS] == second;
}

static void matching(void)
{
	uint64_t time;

	start();
	ok(!next(false, &time), "ring: an empty ring has no sample");
	put_reading(0, 1000, 1);
	put_reading(1, 1300, 11);
	ok(!next(false, &time), "ring: a sample is held back while a better match can come");
	put_reading(1, 2300, 12);
	ok(is_next(1000, 1, 11), "ring: samples of about the same time are matched");
	put_reading(0, 2000, 2);
	put_reading(0, 3000, 3);
	put_reading(0, 4000, 4);
	put_reading(1, 4300, 14);
	put_reading(1, 5300, 15);
	ok(is_next(2000, 2, 12), "ring: the next samples of both rings are matched");
	ok(is_next(4000, 4, 14), "ring: a time at which one ring has no sample is left out");
	put_reading(0, 5000, 5);
	put_reading(0, 9000, 9);
	ok(!next(false, &time), "ring: a ring whose next sample is missing is waited for");
	ok(next(true, &time) == 1 && time == 5000 && rings[1]->taken[RING_COUNTS] == 15,
	   "ring: a ring without further samples ends the wait");
	ok(!next(true, &time), "ring: a sample without a match at the end is left out");
	put_reading(0, 10000, 10);
	put_reading(1, 10300, 20);
	ok(next(true, &time) == 1 && time == 10000,
	   "ring: samples match again after a missing one");
	put_reading(1, 11300, 21);
	put_reading(0, 15000, 15);
	put_reading(1, 17000, 26);
	put_reading(0, 17000, 17);
	ok(next(true, &time) == 1 && time == 17000,
	   "ring: samples more than a period apart do not match");
	put_reading(0, 18000, 18);
	put_reading(1, 18000, 28);
	for (size_t i = 0; i < RINGS; i++)
		counter_ring_skip(rings[i]);
	ok(!next(true, &time), "ring: skipped samples are no longer in the ring");
	ok(rings[0]->seen == 1 && rings[1]->seen == 1, "ring: skipped samples are counted as seen");
	stop();
}

/*
 * With many CPUs some timers are always half a period behind the first, plus the jitter of an
 * interrupt.
 */
static void jitter(void)
{
	bool is_same = true;
	uint64_t time;

	start();
	for (uint64_t i = 1; i < 8; i++) {
		put_reading(0, i * PERIOD, i);
		put_reading(1, i * PERIOD + PERIOD / 2 + i % 3 * 10 - 10, i + 10);
	}
	put_reading(1, 8 * PERIOD + PERIOD / 2, 18);
	for (uint64_t i = 1; i < 8; i++)
		is_same = is_same && is_next(i * PERIOD, i, i + 10);
	ok(is_same, "ring: samples half a period apart are in one row each");
	put_reading(0, 8 * PERIOD, 8);
	put_reading(0, 9 * PERIOD, 9);
	put_reading(1, 9 * PERIOD + PERIOD * 7 / 8, 19);
	put_reading(0, 10 * PERIOD, 10);
	put_reading(1, 10 * PERIOD + PERIOD * 7 / 8, 20);
	ok(is_next(8 * PERIOD, 8, 18) && next(true, &time) == 1 && time == 10 * PERIOD,
	   "ring: samples almost a period apart do not match");
	stop();
}

static void wrapping(void)
{
	const uint64_t lost[] = { 1, 5 };
	bool is_same = true;

	start();
	for (uint64_t i = 1; i < 1000; i++) {
		/*
		 * The size of a sample does not divide the ring's, so samples start at all
		 * offsets.
		 */
		if (i % 7 == 0)
			put_record(rings[0], PERF_RECORD_LOST, lost, 2);
		put_reading(0, i * PERIOD, i);
		put_reading(1, i * PERIOD, i * 2);
		put_reading(1, i * PERIOD + PERIOD - 1, i * 2 + 1);
		is_same = is_same && is_next(i * PERIOD, i, i * 2);
		is_same = is_same && rings[0]->records.page->data_tail == rings[0]->records.page->data_head;
	}
	ok(is_same, "ring: samples are unchanged across the end of the ring and after lost records");
	stop();
}

static void odd_records(void)
{
	const uint64_t few[] = { 1000, 3, 0, 0, 0, 0, 0 }, wrong[] = { 1000, 3, 0, 0, 0, 0, 0, 0 };
	uint64_t time;

	start();
	put_record(rings[0], PERF_RECORD_SAMPLE, few, 7);
	put_record(rings[0], PERF_RECORD_SAMPLE, wrong, 8);
	put_reading(0, 2000, 2);
	put_reading(1, 2000, 12);
	put_reading(1, 3000, 13);
	ok(is_next(2000, 2, 12), "ring: a sample without all counts is skipped");
	put_reading(0, 3000, 3);
	put_record(rings[1], PERF_RECORD_THROTTLE, few, 3);
	put_reading(1, 4000, 14);
	ok(next(false, &time) == -EIO && bad == 1,
	   "ring: a throttled ring is -EIO, and its index is returned");
	stop();
	start();
	put(rings[0], 0);
	ok(next(false, &time) == -EIO && bad == 0,
	   "ring: a malformed record is -EIO, and its index is returned");
	ok(!counter_ring_skip(rings[0]), "ring: a malformed record is reported once");
	put(rings[0], 0);
	put_reading(1, 5000, 15);
	put_record(rings[1], PERF_RECORD_THROTTLE, few, 3);
	put_reading(1, 6000, 16);
	ok(counter_ring_skip(rings[0]) == -EIO && counter_ring_skip(rings[1]) == -EIO &&
		   rings[1]->seen == 2,
		   "ring: malformed and throttled rings are -EIO when they are skipped");
	stop();
}

/* A group that was enabled for longer than it ran */
static void multiplexed(void)
{
	const uint64_t off[] = { 2000, 4, 900, 700, 4000, 12, 120, 1 };
	uint64_t time;

	start();
	put_reading(0, 1000, 1);
	put_reading(1, 1000, 11);
	put_reading(1, 1700, 11);
	ok(is_next(1000, 1, 11), "ring: a sample of a group that was always running is taken");
	put_reading(0, 2000, 2);
	put_record(rings[1], PERF_RECORD_SAMPLE, off, 8);
	put_reading(1, 3000, 13);
	ok(next(false, &time) == -EBUSY && bad == 1 && rings[1]->taken[RING_TIME] == 1700,
	   "ring: a sample of a multiplexed group is -EBUSY and not taken");
	put_record(rings[1], PERF_RECORD_SAMPLE, off, 8);
	ok(!counter_ring_skip(rings[1]) && rings[1]->seen == 1 && rings[1]->multiplexed == 1,
	   "ring: a multiplexed sample that is skipped is counted as such, not lost");
	stop();
}

/* Checks a group whose read(2) shows @off ns without counters. */
static int check(uint64_t off)
{
	const uint64_t group[] = { 4, 5000 + off, 5000, 5000, 1, 2, 3 };
	struct counter_target target;
	int ends[2], ret;

	if (pipe(ends) || write(ends[1], group, sizeof(group)) != (ssize_t)sizeof(group))
		exit(1);
	target = (struct counter_target){ .fd = ends[0] };
	set.targets = &target;
	ret = counter_ring_check(rings[0]);
	close(ends[0]);
	close(ends[1]);
	set.targets = NULL;
	return ret;
}

/* Multiplexing between two ticks, which no sample shows */
static void between_beats(void)
{
	start();
	rings[0]->off = 300;
	ok(!check(300), "ring: a group without multiplexing since its last read passes the check");
	ok(check(301) == -EBUSY,
	   "ring: a group that lost its counters for 1 ns since its last read fails the check");
	stop();
}

static void counting(void)
{
	const struct target targets[] = { { 0, -1, -1 }, { 1, -1, -1 } };
	struct gpmu_counts *counts = counts_new(2);
	struct count off = { .enabled = 5200, .running = 5000 };
	const struct count *count;
	uint64_t time;

	start();
	for (size_t i = 0; i < 2; i++)
		if (!counts || counts_set_targets(counts, i, targets, 2))
			exit(1);
	put_reading(0, 1000, 7);
	put_reading(1, 1000, 8);
	ok(next(true, &time) == 1, "ring: a sample of two rings is taken");
	for (size_t i = 0; i < RINGS; i++)
		counter_ring_counts(rings[i], counts);
	count = &counts->slots[1].counts[1];
	ok(count->raw == 80 && count->enabled == 2000 && count->running == 2000 &&
		   count->state == COUNT_OK && counts->slots[0].counts[0].raw == 7,
	   "ring: a sample's counts are stored by slot and target");
	counter_ring_times(rings[1], 2000, &off);
	ok(off.enabled == 2200 && off.running == 2000,
	   "ring: times of a group that is read are the clock's, and the time without counters");
	counter_ring_counts(rings[1], counts);
	ok(count->enabled == 2000 && count->running == 2000,
	   "ring: earlier samples keep their own times");
	rings[1]->off = rings[1]->read_off;
	counter_ring_counts(rings[1], counts);
	ok(count->enabled == 2200 && count->running == 2000,
	   "ring: later samples include the time without counters");
	counts_free(counts);
	stop();
}

int main(void)
{
	matching();
	jitter();
	wrapping();
	odd_records();
	multiplexed();
	between_beats();
	counting();
	return done_testing();
}
