/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A track and its sub-tracks for slices that overlap, named "NAME (2)" and so on. Slices
 * of a thread may be nested, slices of a stream may not. The slices that ended last are
 * known individually, all earlier ones only as one span.
 */
#ifndef GPMU_RECORD_SUBTRACKS_H
#define GPMU_RECORD_SUBTRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/queue/record.h"
#include "trace/gpmu_trace.h"

struct gpmu_trace;

#define SUBTRACK_RECENT	32
#define SUBTRACKS_MAX	64

struct record_subtrack {
	int track;
	struct record_span recent[SUBTRACK_RECENT];
	size_t recent_count;
	uint64_t end;		/* of the slice that ends last */
	/* false: each slice ended after those before it, so the oldest of recent is known */
	bool is_unordered;
	size_t oldest;
	/* spans all slices that were dropped from recent; end 0: none */
	struct record_span before;
};

struct record_subtracks {
	struct gpmu_trace *trace;
	int parent;			/* parent track */
	char *name;
	bool can_nest;
	struct record_subtrack *list;
	size_t length;
};

/* Makes sub-tracks. @track: the first track; 0: it is made on demand. NULL: out of memory */
struct record_subtracks *record_subtracks_new(struct gpmu_trace *trace, int parent, int track, const char *name,
					      bool can_nest);
/* NULL is allowed. */
void record_subtracks_free(struct record_subtracks *subtracks);
/* Returns the track for a slice, or -errno. *@is_crossing: it is not the first track */
int record_subtracks_place(struct record_subtracks *subtracks, uint64_t begin, uint64_t end,
			   bool *is_crossing);

#endif /* GPMU_RECORD_SUBTRACKS_H */
