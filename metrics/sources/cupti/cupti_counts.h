/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns the samples of a GPU into counts for any time. Counting is switched on and off at times that may lie before or
 * after the newest sample, so samples are kept until it is settled whether they count. A sample that contains such a
 * time is split there in proportion.
 */
#ifndef GPMU_CUPTI_COUNTS_H
#define GPMU_CUPTI_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTS_KEPT	2000000000ull	/* ns; samples are kept no longer */

/* The count of one event */
struct count {
	uint64_t raw;
	double rest;		/* fraction of raw, below 1 */
	uint64_t running;	/* ns */
	uint64_t samples;	/* samples with a value, counted or not */
	uint64_t nothing;	/* samples without a value */
};

struct counts {
	size_t length;		/* events */
	struct count *counts;
	struct count_event {
		bool is_mean;
		double scale;
	} *events;
	uint64_t enabled;	/* ns that counting was on */

	/* A ring of samples: begin, end, and a value for each event */
	double *values;
	struct sample_time {
		uint64_t start, end;
	} *times;
	size_t room, first, kept;
	uint64_t newest;	/* end of the last sample; 0: no sample yet */

	struct count_switch {
		uint64_t time;
		bool is_on;
	} *switches;		/* not settled yet, in order of time */
	size_t switches_len;
	uint64_t settled;	/* counts are settled up to this time */
	bool is_on;		/* counting is on at that time */
};

/* Returns 0 or -ENOMEM. */
int counts_init(struct counts *counts, const struct count_event *events, size_t length);
void counts_release(struct counts *counts);
/*
 * Makes room for @samples. Growing the ring later takes tens of ms under the lock, for which readers would wait.
 * Returns 0 or -ENOMEM.
 */
int counts_reserve(struct counts *counts, size_t samples);

/*
 * Adds a sample after the last one; a NaN is no value. Returns 0, or -ENOMEM if the sample is lost.
 */
int counts_add(struct counts *counts, uint64_t start, uint64_t end, const double *values);
/* Switches counting on or off at @time. Returns 0 or -ENOMEM. */
int counts_switch(struct counts *counts, uint64_t time, bool is_on);
/* Settles all counts up to @time; time without samples is not running time. */
void counts_settle(struct counts *counts, uint64_t time);

#endif /* GPMU_CUPTI_COUNTS_H */
