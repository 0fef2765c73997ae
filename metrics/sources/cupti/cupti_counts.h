/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples of a GPU become counts at any time. They are kept until it is settled which of
 * them were counted: counting is switched on and off at times that can be asked for before
 * or after the samples of these times have come. A sample that a time is in the middle of
 * is split there, as if all in it had happened evenly.
 */
#ifndef GPMU_CUPTI_COUNTS_H
#define GPMU_CUPTI_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTS_KEPT	2000000000ull	/* ns that samples are kept for: nobody asks later */

/* What one event has come to */
struct count {
	uint64_t raw;
	double rest;		/* below 1, of raw */
	uint64_t running;	/* ns */
	uint64_t samples;	/* in which it had a value, counted or not */
	uint64_t nothing;	/* in which it had none */
};

struct counts {
	size_t length;		/* events */
	struct count *counts;
	struct count_event {
		bool mean;
		double scale;
	} *events;
	uint64_t enabled;	/* ns that it was on */

	/* Samples: begin, end, and a value for each event; a ring */
	double *values;
	struct sample_time {
		uint64_t start, end;
	} *times;
	size_t room, first, kept;
	uint64_t newest;	/* the end of the last one; 0: there was none */

	struct count_switch {
		uint64_t time;
		bool on;
	} *switches;		/* that are not settled, in their order */
	size_t switches_len;
	uint64_t settled;	/* up to then */
	bool on;		/* at that time */
};

/* Returns 0 or -ENOMEM. */
int counts_init(struct counts *counts, const struct count_event *events, size_t length);
void counts_release(struct counts *counts);
/*
 * Makes room for so many samples: making it when they come takes those who wait for the lock
 * tens of ms. Returns 0 or -ENOMEM.
 */
int counts_reserve(struct counts *counts, size_t samples);

/*
 * A sample behind the last one; a value that is not a number is none. Returns 0 or -ENOMEM,
 * then it is lost.
 */
int counts_add(struct counts *counts, uint64_t start, uint64_t end, const double *values);
/* Returns 0 or -ENOMEM. */
int counts_switch(struct counts *counts, uint64_t time, bool on);
/* All up to @time; what no sample covers was not running. */
void counts_settle(struct counts *counts, uint64_t time);

#endif /* GPMU_CUPTI_COUNTS_H */
