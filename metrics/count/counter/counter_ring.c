// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/counter/counter.h"
#include "count/counter/counter_ring.h"

int counter_ring_init(struct counter_ring *ring, struct perf_event_mmap_page *page, size_t first,
		      size_t data, const struct counter_set *set, size_t target)
{
	*ring = (struct counter_ring){
		.numbers = RING_COUNTS + set->slot_count + 1,
		.set = set,
		.target = target,
	};
	event_ring_init(&ring->records, page, first, data);
	ring->taken = calloc(ring->numbers, sizeof(*ring->taken));
	ring->ahead = calloc(ring->numbers, sizeof(*ring->ahead));
	ring->group = calloc(ring->numbers, sizeof(*ring->group));
	return ring->taken && ring->ahead && ring->group ? 0 : -ENOMEM;
}

void counter_ring_stop(struct counter_ring *ring)
{
	counter_event_close(ring->timer);
	ring->timer = NULL;
}

void counter_ring_free(struct counter_ring *ring)
{
	if (!ring)
		return;
	counter_ring_stop(ring);
	free(ring->taken);
	free(ring->ahead);
	free(ring->group);
	free(ring);
}

int counter_ring_look(struct counter_ring *ring)
{
	const size_t size = ring->numbers * sizeof(*ring->ahead);
	struct perf_event_header header;
	int ret;

	if (ring->is_ahead)
		return 1;
	event_ring_look(&ring->records);
	while ((ret = event_ring_next(&ring->records, &header)) == 1) {
		if (header.type == PERF_RECORD_THROTTLE)
			return -EIO;
		/*
		 * A CPU that goes offline splits its groups, so the reading has fewer
		 * events.
		 */
		if (header.type != PERF_RECORD_SAMPLE || header.size != sizeof(header) + size)
			continue;
		event_ring_copy(&ring->records, ring->ahead, size);
		if (ring->ahead[RING_LENGTH] != ring->set->slot_count + 2)
			continue;
		if (ring->ahead[RING_ENABLED] != ring->ahead[RING_RUNNING])
			return -EBUSY;
		ring->is_ahead = true;
		return 1;
	}
	return ret;
}

void counter_ring_take(struct counter_ring *ring)
{
	uint64_t *taken = ring->taken;

	ring->taken = ring->ahead;
	ring->ahead = taken;
	ring->is_taken = true;
	ring->is_ahead = false;
}

int counter_ring_skip(struct counter_ring *ring)
{
	int ret, failed = 0;

	ring->is_ahead = ring->is_taken = false;
	while ((ret = counter_ring_look(ring))) {
		if (ret == -EIO)
			failed = ret;
		else if (ret == -EBUSY)
			ring->multiplexed++;
		else
			ring->seen++;
		ring->is_ahead = false;
	}
	counter_ring_release(ring);
	return failed;
}

void counter_ring_release(struct counter_ring *ring)
{
	event_ring_release(&ring->records);
}

void counter_ring_times(struct counter_ring *ring, uint64_t clock, struct count *count)
{
	ring->read_off = count->enabled - count->running;
	count->enabled = clock + ring->read_off;
	count->running = clock;
}

int counter_ring_check(const struct counter_ring *ring)
{
	const struct counter_target *target = &ring->set->targets[ring->target];
	ssize_t got = read(target->fd, ring->group, ring->numbers * sizeof(*ring->group));

	/* The next read for a row reports the error. */
	if (got < (ssize_t)(COUNTER_HEAD * sizeof(*ring->group)))
		return 0;
	return ring->group[1] - ring->group[2] == ring->off ? 0 : -EBUSY;
}

void counter_ring_counts(const struct counter_ring *ring, struct gpmu_counts *counts)
{
	const uint64_t *reading = ring->taken;
	struct count count = {
		.enabled = reading[RING_CLOCK] + ring->off, .running = reading[RING_CLOCK],
	};

	count.state = count_never_ran(&count) ? COUNT_NOT_COUNTED : COUNT_OK;
	for (size_t i = 0; i < ring->set->slot_count; i++) {
		count.raw = reading[RING_COUNTS + i];
		counts->slots[ring->set->slots[i]].counts[ring->target] = count;
	}
}

/*
 * Takes all readings up to @time. Returns 1 if there is a later reading, else as
 * counter_ring_look().
 */
static int take_until(struct counter_ring *ring, uint64_t time)
{
	int ret;

	while ((ret = counter_ring_look(ring)) == 1 && ring->ahead[RING_TIME] <= time)
		counter_ring_take(ring);
	return ret;
}

/*
 * Takes all readings up to @time. If none was taken since the last row, also takes the
 * next one up to @more later: a reading whose time jitters around @time is thus in each
 * row once.
 */
static int take_near(struct counter_ring *ring, uint64_t time, uint64_t more)
{
	int ret = take_until(ring, time);

	if (ret == 1 && !ring->is_taken)
		ret = take_until(ring, time + more);
	return ret;
}

/* Returns whether each ring has taken a reading since the last row, none older than @time. */
static bool are_taken(struct counter_ring *const *rings, size_t length, uint64_t time)
{
	for (size_t i = 0; i < length; i++)
		if (!rings[i]->is_taken || rings[i]->taken[RING_TIME] < time)
			return false;
	return true;
}

int counter_rings_next(struct counter_ring *const *rings, size_t length, uint64_t period,
		       bool wants_all, uint64_t *time, size_t *bad)
{
	for (;;) {
		int ret = counter_ring_look(rings[0]);

		*bad = 0;
		if (ret != 1)
			return ret;
		*time = rings[0]->ahead[RING_TIME];
		for (size_t i = 1; i < length; i++) {
			ret = take_near(rings[i], *time + period / 2, period / 4);
			*bad = i;
			if (ret < 0 || (!ret && !wants_all))
				return ret;
		}
		counter_ring_take(rings[0]);
		if (!are_taken(rings, length, *time - period))
			continue;
		for (size_t i = 0; i < length; i++)
			rings[i]->is_taken = false;
		return 1;
	}
}
