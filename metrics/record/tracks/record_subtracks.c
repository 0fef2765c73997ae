// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "record/tracks/record_subtracks.h"

static struct record_subtrack *add(struct record_subtracks *subtracks, int track)
{
	struct record_subtrack *added = vector_append(subtracks->list, subtracks->length);

	if (added)
		*added = (struct record_subtrack){ .track = track };
	return added;
}

struct record_subtracks *record_subtracks_new(struct gpmu_trace *trace, int parent, int track, const char *name,
					      bool can_nest)
{
	struct record_subtracks *subtracks = calloc(1, sizeof(*subtracks));

	if (!subtracks)
		return NULL;
	*subtracks = (struct record_subtracks){ .trace = trace, .parent = parent, .name = strdup(name), .can_nest = can_nest };
	if (subtracks->name && (!track || add(subtracks, track)))
		return subtracks;
	record_subtracks_free(subtracks);
	return NULL;
}

void record_subtracks_free(struct record_subtracks *subtracks)
{
	if (!subtracks)
		return;
	free(subtracks->name);
	free(subtracks->list);
	free(subtracks);
}

static bool contains(const struct record_span *outer, const struct record_span *inner)
{
	return outer->begin <= inner->begin && inner->end <= outer->end;
}

static bool goes_with(const struct record_span *a, const struct record_span *b, bool can_nest)
{
	if (a->end <= b->begin || b->end <= a->begin)
		return true;
	return can_nest && (contains(a, b) || contains(b, a));
}

static bool can_place(const struct record_subtrack *subtrack, const struct record_span *span, bool can_nest)
{
	if (span->begin >= subtrack->end)
		return true;
	for (size_t i = 0; i < subtrack->recent_count; i++)
		if (!goes_with(&subtrack->recent[i], span, can_nest))
			return false;
	/* The slice must not be within the earlier ones, which are only known as a whole. */
	return !subtrack->before.end || span->begin >= subtrack->before.end ||
	       span->end <= subtrack->before.begin || (can_nest && contains(span, &subtrack->before));
}

/* Replaces the slice that ended first. */
static void keep(struct record_subtrack *subtrack, const struct record_span *span)
{
	size_t oldest = subtrack->oldest;

	subtrack->is_unordered = subtrack->is_unordered || span->end < subtrack->end;
	if (span->end > subtrack->end)
		subtrack->end = span->end;
	if (subtrack->recent_count < SUBTRACK_RECENT) {
		subtrack->recent[subtrack->recent_count++] = *span;
		return;
	}
	for (size_t i = 0; subtrack->is_unordered && i < subtrack->recent_count; i++)
		if (subtrack->recent[i].end < subtrack->recent[oldest].end)
			oldest = i;
	if (!subtrack->before.end || subtrack->recent[oldest].begin < subtrack->before.begin)
		subtrack->before.begin = subtrack->recent[oldest].begin;
	if (subtrack->recent[oldest].end > subtrack->before.end)
		subtrack->before.end = subtrack->recent[oldest].end;
	subtrack->recent[oldest] = *span;
	subtrack->oldest = (oldest + 1) % SUBTRACK_RECENT;
}

static struct record_subtrack *add_track(struct record_subtracks *subtracks)
{
	char *name = subtracks->length ?
			     text_print("%s (%zu)", subtracks->name, subtracks->length + 1) :
			     strdup(subtracks->name);
	int track = name ? gpmu_trace_track(subtracks->trace, subtracks->parent, name) : -ENOMEM;

	free(name);
	return track > 0 ? add(subtracks, track) : NULL;
}

int record_subtracks_place(struct record_subtracks *subtracks, uint64_t begin, uint64_t end,
			   bool *is_crossing)
{
	const struct record_span span = { begin, end };
	struct record_subtrack *subtrack = NULL;
	size_t i;

	for (i = 0; i < subtracks->length; i++) {
		subtrack = &subtracks->list[i];
		if (can_place(subtrack, &span, subtracks->can_nest))
			break;
	}
	if (i == subtracks->length && i < SUBTRACKS_MAX)
		subtrack = add_track(subtracks);
	if (!subtrack)
		return -ENOMEM;
	keep(subtrack, &span);
	*is_crossing = i > 0;
	return subtrack->track;
}
