// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads a group by the seqlock of its mapped pages, as linux/perf_event.h prescribes.
 *
 * perf_mmap__read_self() of libperf reads one event. Its times are not up to date unless the
 * event was multiplexed, it does not extend the sign of a counter, and it swaps two of arm64's
 * counters (Linux 7.3).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "count/counter/counter.h"
#include "count/counter/counter_map.h"
#include "count/counter/counter_raw.h"
#include "event/event_build.h"
#include "machine/pmu.h"

#define USER_ACCESS	"proc/sys/kernel/perf_user_access"
#define MAP_EVENTS	64	/* a core PMU has fewer counters */
#define TRIES		16	/* a context switch between two of them is rare */

/*
 * The compiler makes a volatile access once, in the order of the program and of the instructions
 * of counter_raw.h. The processor needs no barrier: the kernel writes a page in an interrupt or a
 * context switch of the thread that reads it.
 */
typedef const volatile struct perf_event_mmap_page counter_page;

/*
 * The kernel clears this memory in a child of fork(), which does not inherit the pages. The child
 * therefore has no thread here and no page. If a thread has ended and another has got its
 * identity, the pages refer to no counter.
 */
struct counter_map {
	/* thread pointer of the thread that opened the events and is counted */
	const void *thread;
	size_t count;
	counter_page *pages[MAP_EVENTS];	/* the leader's page is first */
	uint64_t running;	/* ns, of the last reading */
};

static bool is_on(const struct gpmu_machine *machine, const char *path)
{
	char text[16];

	return gpmu_machine_read(machine, path, text, sizeof(text)) > 0 &&
	       strtol(text, NULL, 10) > 0;
}

static bool pmu_allows(const struct gpmu_machine *machine, const struct gpmu_pmu *pmu)
{
	char path[128];

	if (!pmu || pmu->kind != GPMU_PMU_CORE)
		return false;
	if (pmu_attrs_find(&pmu->formats, "rdpmc"))
		return is_on(machine, USER_ACCESS);
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/rdpmc", pmu->name);
	return is_on(machine, path);
}

bool counter_map_suits(const struct counter_group *group, const struct counter_set *set,
		       const struct target *target)
{
	const struct gpmu_pmu *pmu = group->plan->groups[group->index].pmu;

	if (group->wants_inherit || target->tid != gettid() || set->slot_count > MAP_EVENTS)
		return false;
	for (size_t i = 0; i < set->slot_count; i++)
		if (group->plan->slots[set->slots[i]].instance->pmu != pmu)
			return false;
	return pmu_allows(group->plan->machine, pmu);
}

/*
 * The term "long" is not needed: the kernel extends a counter of 32 bits in its overflow
 * interrupt, and the page has its width. On processors without 64-bit counters "long" would bind
 * cycles to the one cycle counter.
 */
void counter_map_ask(struct event_instance *event)
{
	const struct pmu_attr *attr = pmu_attrs_find(&event->pmu->formats, "rdpmc");
	struct event_format format;

	if (attr && !event_format_parse(attr->text, &format))
		event_format_set(&format, &event->attr, 1);
}

/* The bits cap_* of a page, by one access */
static inline struct perf_event_mmap_page bits_of(counter_page *page)
{
	return (struct perf_event_mmap_page){ .capabilities = page->capabilities };
}

/* Without the kernel's clock the times would end when the kernel wrote the page. */
static inline bool is_readable(counter_page *page)
{
	const struct perf_event_mmap_page bits = bits_of(page);

	return bits.cap_user_rdpmc && bits.cap_user_time;
}

static bool map_page(struct counter_map *map, int fd)
{
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		log_line(GPMU_LOG_INFO, "counters are not read in user space: %s%s", error_text(errno),
			 errno == EPERM ? ": more than kernel.perf_event_mlock_kb" : "");
		return false;
	}
	map->pages[map->count++] = page;
	return is_readable(page);
}

struct counter_map *counter_map_new(const struct counter_set *set,
				    const struct counter_target *target)
{
	struct counter_map *map = mmap(NULL, sizeof(*map), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool is_ready;

	if (map == MAP_FAILED)
		return NULL;
	is_ready = !madvise(map, sizeof(*map), MADV_WIPEONFORK);
	for (size_t i = 0; i < set->slot_count && is_ready; i++)
		is_ready = map_page(map, counter_evsel_fd(target->events[i]));
	if (is_ready) {
		map->thread = __builtin_thread_pointer();
		return map;
	}
	counter_map_free(map);
	return NULL;
}

void counter_map_free(struct counter_map *map)
{
	if (!map)
		return;
	while (map->count > 0)
		munmap((void *)map->pages[--map->count], (size_t)sysconf(_SC_PAGESIZE));
	munmap(map, sizeof(*map));
}

/*
 * The kernel's clock and the mapped clock are rounded differently; without this a later reading
 * could have earlier times.
 */
static inline void not_before(const struct counter_map *map, struct count *times)
{
	if (times->running < map->running) {
		times->enabled += map->running - times->running;
		times->running = map->running;
	}
}

static inline void read_times(const struct counter_map *map, counter_page *page,
			      struct count *times)
{
	uint64_t clock = counter_raw_clock(), mult = page->time_mult, age;
	const uint16_t shift = page->time_shift;

	if (page->cap_user_time_short) {
		const uint64_t cycles = page->time_cycles;

		clock = cycles + ((clock - cycles) & page->time_mask);
	}
	/* ns since the kernel wrote the page */
	age = page->time_offset + (clock >> shift) * mult +
	      ((clock & ((1ull << shift) - 1)) * mult >> shift);
	if ((int64_t)age < 0)
		age = 0;
	times->enabled = page->time_enabled + age;
	times->running = page->time_running + age;
	not_before(map, times);
	times->state = count_never_ran(times) ? COUNT_NOT_COUNTED : COUNT_OK;
}

void counter_map_settle(struct counter_map *map, struct count *times)
{
	not_before(map, times);
	map->running = times->running;
}

/*
 * While the leader's page does not change, all events of the group are in their counters. So the
 * counts are of the same moment, and the times are the leader's. If an event is in no counter, or
 * if user space may not read it, its index is 0, and counter_raw_read() refuses the number -1.
 */
bool counter_map_read(struct counter_map *map, const struct counter_set *set, size_t index,
		      struct gpmu_counts *counts)
{
	const struct counts_slot *slots = counts->slots;
	const size_t *numbers = set->slots, length = map->count;
	counter_page *leader = map->pages[0];

	if (map->thread != __builtin_thread_pointer())
		return false;
	for (int tries = 0; tries < TRIES; tries++) {
		const uint32_t leader_lock = leader->lock;
		struct count times = { 0 };
		size_t i;

		if (!is_readable(leader))
			return false;
		read_times(map, leader, &times);
		for (i = 0; i < length; i++) {
			counter_page *page = map->pages[i];
			const uint32_t lock = page->lock, number = page->index - 1;
			const uint64_t offset = (uint64_t)page->offset;
			const unsigned int unused = (64u - page->pmc_width) % 64;
			uint64_t value;

			if (!counter_raw_read(number, &value))
				return false;
			if (page->lock != lock || lock % 2)
				break;
			value = offset + (uint64_t)((int64_t)(value << unused) >> unused);
			slots[numbers[i]].counts[index] = (struct count){
				value, times.enabled, times.running, times.state,
			};
		}
		if (i == length && leader->lock == leader_lock) {
			map->running = times.running;
			return true;
		}
	}
	return false;
}
