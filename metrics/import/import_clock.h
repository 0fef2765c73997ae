/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the times of a recording to CLOCK_MONOTONIC_RAW, if the recording allows it. */
#ifndef GPMU_IMPORT_CLOCK_H
#define GPMU_IMPORT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "perfdata/gpmu_perfdata.h"
#include "trace/gpmu_clock.h"

/* The perf clock of this machine, now */
struct import_now {
	struct gpmu_perfdata_time_conv conv;	/* mult 0: not known */
	struct gpmu_clock_pair pair;		/* the perf clock, and CLOCK_MONOTONIC_RAW around it */
};

/* A time of the trace is the sum of the shift and the time of the recording. */
struct import_clock {
	const char *name;			/* the clock of the trace, for the audit */
	bool is_raw;			/* that is CLOCK_MONOTONIC_RAW */
	bool is_converted;		/* by TIME_CONV */
	uint64_t shift, spe_shift;	/* modulo 2^64; @spe_shift: of times by TIME_CONV */
	bool has_spe;			/* times by TIME_CONV can be placed */
	uint64_t now;			/* perf clock for which @bound holds */
	uint64_t bound;			/* error of times by TIME_CONV, ns */
};

/* Reads the perf clock of this machine. Leaves it unknown if the kernel does not provide the conversion. */
void import_clock_read(struct import_now *now);
/* Decides by the facts of a recording, and by whether it is of this machine since it started. */
void import_clock_set(struct import_clock *clock, const struct gpmu_perfdata_info *info,
		      const struct perf_event_attr *attr, const struct import_now *now);
/* Error in ns at a time of the trace, if @clock is CLOCK_MONOTONIC_RAW. @has_spe: also of times by TIME_CONV */
uint64_t import_clock_bound(const struct import_clock *clock, uint64_t time, bool has_spe);

#endif /* GPMU_IMPORT_CLOCK_H */
