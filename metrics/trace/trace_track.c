// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>

#include "trace/trace.h"

const struct trace_track *trace_track_of(const struct gpmu_trace *trace, int track)
{
	return track > 0 && (size_t)track <= trace->track_count ? &trace->tracks[track - 1] : NULL;
}

int trace_track_add(struct gpmu_trace *trace, struct trace_track track, const char *name, const char *unit)
{
	struct trace_track *added;

	if (trace_text_copy(trace, name, &track.name))
		return -ENOMEM;
	added = trace_text_copy(trace, unit, &track.unit) ? NULL : vector_append(trace->tracks, trace->track_count);
	if (!added) {
		free(track.name);
		free(track.unit);
		return -ENOMEM;
	}
	*added = track;
	return (int)trace->track_count;
}

/* A linear search suffices: there are few such tracks, and callers look each up once. */
static int find(const struct gpmu_trace *trace, enum trace_track_kind kind, pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < trace->track_count; i++) {
		const struct trace_track *track = &trace->tracks[i];

		if (track->kind == kind && track->pid == pid && track->tid == tid)
			return (int)i + 1;
	}
	return 0;
}

/* Renames a track; if its name is already in the file, the new one is written at once. */
static int rename_track(struct gpmu_trace *trace, int number, const char *name)
{
	struct trace_track *track = &trace->tracks[number - 1];
	char *copy, *old;

	if (!name)
		return number;
	if (trace_text_copy(trace, name, &copy))
		return -ENOMEM;
	if (track->name && !strcmp(track->name, copy)) {
		free(copy);
		return number;
	}
	old = track->name;
	track->name = copy;
	if (track->given && trace_put_track(trace, number)) {
		track->name = old;
		free(copy);
		return -ENOMEM;
	}
	free(old);
	return number;
}

int gpmu_trace_process(struct gpmu_trace *trace, pid_t pid, const char *name)
{
	struct trace_track track = { .kind = TRACE_TRACK_PROCESS, .pid = pid };
	int number;

	if (pid <= 0)
		return -EINVAL;
	number = find(trace, TRACE_TRACK_PROCESS, pid, 0);
	return number ? rename_track(trace, number, name) : trace_track_add(trace, track, name, NULL);
}

int gpmu_trace_thread(struct gpmu_trace *trace, pid_t pid, pid_t tid, const char *name)
{
	struct trace_track track = { .kind = TRACE_TRACK_THREAD, .pid = pid, .tid = tid };
	int number;

	if (pid <= 0 || tid <= 0)
		return -EINVAL;
	number = find(trace, TRACE_TRACK_THREAD, pid, tid);
	track.parent = find(trace, TRACE_TRACK_PROCESS, pid, 0);
	track.depth = track.parent ? 1 : 0;
	return number ? rename_track(trace, number, name) : trace_track_add(trace, track, name, NULL);
}

static int add_below(struct gpmu_trace *trace, int parent, struct trace_track track,
		     const char *name, const char *unit)
{
	const struct trace_track *above = trace_track_of(trace, parent);

	if (!name || (parent && !above) || (above && above->kind >= TRACE_TRACK_COUNTER))
		return -EINVAL;
	track.parent = parent;
	track.depth = above ? above->depth + 1 : 0;
	return track.depth < TRACE_DEPTH_MAX ? trace_track_add(trace, track, name, unit) : -EINVAL;
}

int gpmu_trace_track(struct gpmu_trace *trace, int parent, const char *name)
{
	return add_below(trace, parent, (struct trace_track){ .kind = TRACE_TRACK_PLAIN }, name,
			 NULL);
}

int gpmu_trace_counter(struct gpmu_trace *trace, int parent, const char *name, const char *unit)
{
	return add_below(trace, parent, (struct trace_track){ .kind = TRACE_TRACK_COUNTER }, name,
			 unit);
}

void trace_tracks_release(struct gpmu_trace *trace)
{
	for (size_t i = 0; i < trace->track_count; i++) {
		free(trace->tracks[i].name);
		free(trace->tracks[i].unit);
		free(trace->tracks[i].description);
	}
	free(trace->tracks);
}
