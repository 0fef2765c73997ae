/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Instructions that read the processor's counters and its clock in user space. The functions are
 * inline, because a call costs as much as the instruction.
 */
#ifndef GPMU_COUNTER_RAW_H
#define GPMU_COUNTER_RAW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * counter_raw_read() reads a hardware counter. @number: index - 1 of struct perf_event_mmap_page.
 * Returns false if the counter does not hold a plain count, or if the processor has no such
 * instruction. The instruction is fatal for the process unless the kernel allows it.
 *
 * counter_raw_clock() reads the clock to which time_offset of that struct refers.
 */
#if defined(__aarch64__)

/* PMEVCNTR<n>_EL0, and PMCCNTR_EL0 as 31 (Arm DDI 0487). The instruction contains the number. */
#define COUNTER_RAW_CASE(n)							\
	case n:									\
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(*value));	\
		return true;

static inline bool counter_raw_read(uint32_t number, uint64_t *value)
{
	switch (number) {
	COUNTER_RAW_CASE(0) COUNTER_RAW_CASE(1) COUNTER_RAW_CASE(2) COUNTER_RAW_CASE(3)
	COUNTER_RAW_CASE(4) COUNTER_RAW_CASE(5) COUNTER_RAW_CASE(6) COUNTER_RAW_CASE(7)
	COUNTER_RAW_CASE(8) COUNTER_RAW_CASE(9) COUNTER_RAW_CASE(10) COUNTER_RAW_CASE(11)
	COUNTER_RAW_CASE(12) COUNTER_RAW_CASE(13) COUNTER_RAW_CASE(14) COUNTER_RAW_CASE(15)
	COUNTER_RAW_CASE(16) COUNTER_RAW_CASE(17) COUNTER_RAW_CASE(18) COUNTER_RAW_CASE(19)
	COUNTER_RAW_CASE(20) COUNTER_RAW_CASE(21) COUNTER_RAW_CASE(22) COUNTER_RAW_CASE(23)
	COUNTER_RAW_CASE(24) COUNTER_RAW_CASE(25) COUNTER_RAW_CASE(26) COUNTER_RAW_CASE(27)
	COUNTER_RAW_CASE(28) COUNTER_RAW_CASE(29) COUNTER_RAW_CASE(30)
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(*value));
		return true;
	default:
		return false;
	}
}

static inline uint64_t counter_raw_clock(void)
{
	uint64_t clock;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(clock));
	return clock;
}

#elif defined(__x86_64__)

/*
 * Intel SDM, RDPMC: bit 30 selects the fixed counters. Number 3 of these (slots) and the metrics
 * of bit 29 do not hold plain counts: the kernel computes top-down events from both.
 */
#define COUNTER_RAW_METRICS	(1u << 29)
#define COUNTER_RAW_FIXED	(1u << 30)

static inline bool counter_raw_read(uint32_t number, uint64_t *value)
{
	uint32_t low, high;

	if (number >= COUNTER_RAW_METRICS &&
	    (number < COUNTER_RAW_FIXED || number > COUNTER_RAW_FIXED + 2))
		return false;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
	*value = (uint64_t)high << 32 | low;
	return true;
}

static inline uint64_t counter_raw_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#else

static inline bool counter_raw_read(uint32_t number, uint64_t *value)
{
	(void)number;
	(void)value;
	return false;
}

static inline uint64_t counter_raw_clock(void)
{
	return 0;
}

#endif

#endif /* GPMU_COUNTER_RAW_H */
