// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu.h"
#include "base/list.h"
#include "record/tracks/record_lanes.h"

static struct record_lane *add(struct record_lanes *lanes, int track)
{
	struct record_lane *list = list_room(lanes->list, lanes->length, sizeof(*list));

	if (!list)
		return NULL;
	lanes->list = list;
	list[lanes->length] = (struct record_lane){ .track = track };
	return &list[lanes->length++];
}

int record_lanes_init(struct record_lanes *lanes, struct gpmu_trace *trace, int parent, int track,
		      const char *name, bool nests)
{
	*lanes = (struct record_lanes){ .trace = trace, .parent = parent, .nests = nests };
	lanes->name = strdup(name);
	if (lanes->name && (!track || add(lanes, track)))
		return 0;
	free(lanes->name);
	return -ENOMEM;
}

void record_lanes_release(struct record_lanes *lanes)
{
	free(lanes->name);
	free(lanes->list);
}

static bool contains(const struct record_span *outer, const struct record_span *inner)
{
	return outer->begin <= inner->begin && inner->end <= outer->end;
}

static bool goes_with(const struct record_span *a, const struct record_span *b, bool nests)
{
	if (a->end <= b->begin || b->end <= a->begin)
		return true;
	return nests && (contains(a, b) || contains(b, a));
}

static bool fits(const struct record_lane *lane, const struct record_span *span, bool nests)
{
	for (size_t i = 0; i < lane->n; i++)
		if (!goes_with(&lane->recent[i], span, nests))
			return false;
	/* The slice must not be within the earlier ones, which are only known as a whole. */
	return !lane->before.end || span->begin >= lane->before.end ||
	       span->end <= lane->before.begin || (nests && contains(span, &lane->before));
}

/* Replaces the slice that ended first. */
static void keep(struct record_lane *lane, const struct record_span *span)
{
	size_t oldest = 0;

	if (lane->n < LANE_RECENT) {
		lane->recent[lane->n++] = *span;
		return;
	}
	for (size_t i = 1; i < lane->n; i++)
		if (lane->recent[i].end < lane->recent[oldest].end)
			oldest = i;
	if (!lane->before.end || lane->recent[oldest].begin < lane->before.begin)
		lane->before.begin = lane->recent[oldest].begin;
	if (lane->recent[oldest].end > lane->before.end)
		lane->before.end = lane->recent[oldest].end;
	lane->recent[oldest] = *span;
}

static struct record_lane *add_track(struct record_lanes *lanes)
{
	char *name = lanes->length ? text_print("%s (%zu)", lanes->name, lanes->length + 1) :
				     strdup(lanes->name);
	int track = name ? gpmu_trace_track(lanes->trace, lanes->parent, name) : -ENOMEM;

	free(name);
	return track > 0 ? add(lanes, track) : NULL;
}

int record_lanes_place(struct record_lanes *lanes, uint64_t begin, uint64_t end, bool *crosses)
{
	const struct record_span span = { begin, end };
	struct record_lane *lane = NULL;
	size_t i;

	for (i = 0; i < lanes->length; i++) {
		lane = &lanes->list[i];
		if (fits(lane, &span, lanes->nests))
			break;
	}
	if (i == lanes->length && i < LANES_MOST)
		lane = add_track(lanes);
	if (!lane)
		return -ENOMEM;
	keep(lane, &span);
	*crosses = i > 0;
	return lane->track;
}
