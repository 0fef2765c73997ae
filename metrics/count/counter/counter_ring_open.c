// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <perf/evsel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "count/counter/counter.h"
#include "count/counter/counter_ring.h"

/* All events of the group use one clock for their times. */
static struct event_instance with_times(const struct event_instance *event)
{
	struct event_instance copy = *event;

	copy.attr.use_clockid = 1;
	copy.attr.clockid = CLOCK_MONOTONIC_RAW;
	return copy;
}

/*
 * Makes the attributes of a clock that only counts or, with a @period, of a timer. Nothing
 * is excluded, because the timer does not expire in excluded modes.
 */
static struct event_instance clock_of(uint64_t period)
{
	struct event_instance clock = {
		.attr = {
			.size = sizeof(struct perf_event_attr),
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
		},
	};

	if (period) {
		clock.attr.sample_period = period;
		clock.attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
		/* Nobody waits for the ring, so the wakeup position is far beyond its end. */
		clock.attr.watermark = 1;
		clock.attr.wakeup_watermark = INT32_MAX;
	}
	return with_times(&clock);
}

static size_t data_size(const struct counter_set *set)
{
	size_t reading = sizeof(struct perf_event_header) +
			 (RING_COUNTS + set->slot_count + 1) * sizeof(uint64_t);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < RING_MAX * reading)
		size *= 2;
	return size;
}

static int map_ring(struct counter_set *set, size_t index)
{
	struct counter_target *target = &set->targets[index];
	size_t first = (size_t)sysconf(_SC_PAGESIZE), data = data_size(set);
	int ret = perf_evsel__mmap(target->clock, (int)(data / first));
	struct counter_ring *ring;

	/* libperf returns -ENOMEM, or -1 with the errno of mmap(2). */
	if (ret)
		return ret == -1 ? -errno : ret;
	ring = malloc(sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ret = counter_ring_init(ring, perf_evsel__mmap_base(target->clock, 0, 0), first, data, set,
				index);
	if (ret)
		counter_ring_free(ring);
	else
		target->ring = ring;
	return ret;
}

static int open_target(struct counter_group *group, struct counter_set *set, size_t index)
{
	const struct event_instance clock = clock_of(0);
	struct counter_target *target = &set->targets[index];
	int ret = counter_event_open(&target->clock, &clock, NULL, &target->target, false, false);

	for (size_t i = 0; i < set->slot_count && !ret; i++) {
		struct event_instance event =
			with_times(group->plan->slots[set->slots[i]].instance);

		ret = counter_event_open(&target->events[i], &event, target->clock, &target->target,
					 false, false);
	}
	if (ret)
		return ret;
	target->fd = counter_evsel_fd(target->clock);
	return map_ring(set, index);
}

int counter_ring_open(struct counter_group *group, struct counter_set *set)
{
	int ret = 0;

	for (size_t i = 0; i < set->target_count && !ret; i++)
		ret = open_target(group, set, i);
	if (ret)
		counter_set_close(set);
	return ret;
}

size_t counter_ring_list(struct source_group *source, struct counter_ring **rings, size_t room)
{
	struct counter_group *group = counter_group_of(source);
	size_t n = 0;

	for (size_t i = 0; i < group->set_count; i++) {
		for (size_t j = 0; j < group->sets[i].target_count; j++) {
			struct counter_ring *ring = group->sets[i].targets[j].ring;

			if (ring && n++ < room)
				rings[n - 1] = ring;
		}
	}
	return n;
}

int counter_ring_begin(struct counter_ring *ring, uint64_t period, uint64_t limit)
{
	const struct counter_target *target = &ring->set->targets[ring->target];
	const struct event_instance timer = clock_of(period);
	int ret, fd;

	counter_ring_stop(ring);
	ring->seen = ring->multiplexed = 0;
	ret = counter_event_open(&ring->timer, &timer, target->clock, &target->target, false, false);
	if (ret)
		return ret;
	fd = counter_evsel_fd(ring->timer);
	if (!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target->fd) &&
	    !ioctl(fd, PERF_EVENT_IOC_REFRESH, limit))
		return 0;
	ret = -errno;
	counter_ring_stop(ring);
	return ret;
}

size_t counter_ring_timer_count(const struct counter_target *target)
{
	return target->ring->timer != NULL;
}
