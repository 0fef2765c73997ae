/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A track and its sub-tracks for slices that overlap, named "NAME (2)" and so on. Slices
 * of a thread may be nested, slices of a stream may not. The slices that ended last are
 * known individually, all earlier ones only as one span.
 */
#ifndef GPMU_RECORD_LANES_H
#define GPMU_RECORD_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/queue/record.h"

struct gpmu_trace;

#define LANE_RECENT	32
#define LANES_MOST	64

struct record_lane {
	int track;
	struct record_span recent[LANE_RECENT];
	size_t n;
	/* spans all slices that were dropped from recent; end 0: none */
	struct record_span before;
};

struct record_lanes {
	struct gpmu_trace *trace;
	int parent;			/* parent track */
	char *name;
	bool nests;
	struct record_lane *list;
	size_t length;
};

/*
 * Initialises sub-tracks. @track: the first track; 0: it is made on demand. Returns 0 or
 * -ENOMEM.
 */
int record_lanes_init(struct record_lanes *lanes, struct gpmu_trace *trace, int parent, int track,
		      const char *name, bool nests);
void record_lanes_release(struct record_lanes *lanes);
/* Returns the track for a slice, or -errno. *crosses: it is not the first track */
int record_lanes_place(struct record_lanes *lanes, uint64_t begin, uint64_t end, bool *crosses);

#endif /* GPMU_RECORD_LANES_H */
