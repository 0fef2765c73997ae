// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Without perf record -k the times of a recording are the kernel's sched_clock(), whose difference to
 * CLOCK_MONOTONIC_RAW no recording has. But both count the same counter of the CPU, TIME_CONV has the kernel's
 * conversion of that counter, and its zero differs each time the machine starts. If this machine has the same
 * conversion now, the recording is of this machine since it started, and the difference can be measured.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "count/counter/counter_raw.h"
#include "event/event_fd.h"
#include "import/import_clock.h"

#define READINGS	8
/*
 * The kernel rounds the factors of clocks to at least 22 bits for counters of up to 7 GHz (clocks_calc_mult_shift() for 600 s),
 * so that one of the two clocks gains at most 250 ns per second on the other.
 */
#define DRIFT		4000000	/* ns in which one ns is gained */

static uint64_t raw_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Takes the conversion from the page of an event, which has it as in TIME_CONV. */
static bool take_page(struct import_now *now, const volatile struct perf_event_mmap_page *page)
{
	uint32_t lock;

	do {
		lock = page->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		now->conv = (struct gpmu_perfdata_time_conv){
			.shift = page->time_shift, .mult = page->time_mult, .zero = page->time_zero,
			.is_short = page->cap_user_time_short, .cycles = page->time_cycles, .mask = page->time_mask,
		};
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != lock);
	return page->cap_user_time_zero && gpmu_perfdata_has_times(&now->conv);
}

void import_clock_read(struct import_now *now)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1,
	};
	int fd = event_fd_open(&attr, 0, -1, -1);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	bool is_known = page != MAP_FAILED && take_page(now, page);

	if (!is_known)
		now->conv.mult = 0;
	for (int i = 0; i < READINGS && is_known; i++) {
		struct gpmu_clock_pair pair = { .before = raw_now() };

		pair.other = gpmu_perfdata_time_of(&now->conv, counter_raw_clock());
		pair.after = raw_now();
		if (!i || pair.after - pair.before < now->pair.after - now->pair.before)
			now->pair = pair;
	}
	if (page != MAP_FAILED)
		munmap(page, size);
	if (fd >= 0)
		close(fd);
}

static bool is_here(const struct gpmu_perfdata_time_conv *conv, const struct import_now *now)
{
	return conv->mult && now->conv.mult == conv->mult && now->conv.shift == conv->shift &&
	       now->conv.zero == conv->zero;
}

static const char *name_of(const struct perf_event_attr *attr)
{
	if (!attr || !attr->use_clockid)
		return "perf's clock";
	switch (attr->clockid) {
	case CLOCK_MONOTONIC_RAW: return "CLOCK_MONOTONIC_RAW";
	case CLOCK_MONOTONIC: return "CLOCK_MONOTONIC";
	case CLOCK_REALTIME: return "CLOCK_REALTIME";
	case CLOCK_BOOTTIME: return "CLOCK_BOOTTIME";
	case CLOCK_TAI: return "CLOCK_TAI";
	default: return "another clock";
	}
}

void import_clock_set(struct import_clock *clock, const struct gpmu_perfdata_info *info,
		      const struct perf_event_attr *attr, const struct import_now *now)
{
	uint64_t half = (now->pair.after - now->pair.before + 1) / 2;
	bool is_local = is_here(&info->time_conv, now), is_own = attr && attr->use_clockid;

	*clock = (struct import_clock){
		.name = name_of(attr), .is_raw = is_own && attr->clockid == CLOCK_MONOTONIC_RAW, .has_spe = !is_own,
	};
	if (!is_local || (is_own && !clock->is_raw))
		return;
	clock->now = now->pair.other;
	clock->spe_shift = now->pair.before + half - now->pair.other;
	clock->has_spe = true;
	clock->bound = half;
	if (is_own)
		return;
	clock->name = "perf's clock, converted by TIME_CONV";
	clock->is_raw = true;
	clock->is_converted = true;
	clock->shift = clock->spe_shift;
}

uint64_t import_clock_bound(const struct import_clock *clock, uint64_t time, bool has_spe)
{
	if (!clock->is_converted && !has_spe)
		return 0;
	time -= clock->spe_shift;
	return clock->bound + (clock->now > time ? clock->now - time : time - clock->now) / DRIFT + 1;
}
