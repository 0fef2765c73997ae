/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A track, and further ones of the same name for slices that overlap: "NAME (2)". Those of a thread
 * may be inside of each other, those of a stream not. What was there is known of the slices
 * that have ended last, and as a whole of those before.
 */
#ifndef GPMU_RECORD_LANES_H
#define GPMU_RECORD_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpmu_trace;

#define LANE_RECENT	32
#define LANES_MOST	64

struct record_span {
	uint64_t begin, end;
};

struct record_lane {
	int track;
	struct record_span recent[LANE_RECENT];
	size_t n;
	struct record_span before;	/* around all that was in recent once; end 0: none */
};

struct record_lanes {
	struct gpmu_trace *trace;
	int parent;			/* of the tracks */
	char *name;
	bool nests;
	struct record_lane *list;
	size_t length;
};

/* @track: the first; 0: it is made when it is needed. 0 or -ENOMEM */
int record_lanes_init(struct record_lanes *lanes, struct gpmu_trace *trace, int parent, int track,
		      const char *name, bool nests);
void record_lanes_release(struct record_lanes *lanes);
/* The track for a slice, or -errno; *crosses: it is not the first one */
int record_lanes_place(struct record_lanes *lanes, uint64_t begin, uint64_t end, bool *crosses);

#endif /* GPMU_RECORD_LANES_H */
