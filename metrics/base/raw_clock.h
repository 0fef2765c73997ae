/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of all time stamps */
#ifndef GPMU_RAW_CLOCK_H
#define GPMU_RAW_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Reads CLOCK_MONOTONIC_RAW in ns. Inline, so that a plugin needs the header only. */
static inline uint64_t raw_clock_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#endif /* GPMU_RAW_CLOCK_H */
