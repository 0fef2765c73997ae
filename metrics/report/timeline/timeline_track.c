// SPDX-License-Identifier: LGPL-2.1-or-later
/* Identifies tracks by their names and parents, as defined in metrics/record/timeline.rst. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/timeline/timeline.h"

#define NAME_BYTES_MAX	512	/* bytes of a name that are compared */

/* Copies a name without the suffix of a sub-track, " (2)". */
static void plain_name(const char *name, char *text, size_t size)
{
	size_t length;

	snprintf(text, size, "%s", name ? name : "");
	length = strlen(text);
	if (!length || text[length - 1] != ')')
		return;
	for (length--; length && isdigit((unsigned char)text[length - 1]); length--)
		;
	if (length > 2 && text[length] != ')' && text[length - 1] == '(' && text[length - 2] == ' ')
		text[length - 2] = '\0';
}

static bool is_same_gpu(const struct timeline_gpu *gpu, uint32_t file, int number, uint32_t uuid)
{
	if (uuid != TIMELINE_NONE)
		return gpu->uuid == uuid;
	return gpu->file == file && gpu->number == number;
}

/* @uuid: a string, or TIMELINE_NONE. Returns 0 or -ENOMEM. */
static int find_gpu(struct timeline *timeline, int number, uint32_t uuid, const char *name, uint32_t *index)
{
	uint32_t file = (uint32_t)timeline->files.n - 1, word;

	if (strings_number(&timeline->strings, name, &word))
		return -1;
	for (*index = 0; *index < timeline->gpus.n; (*index)++)
		if (is_same_gpu(&timeline->gpus.list[*index], file, number, uuid))
			return 0;
	return vector_push(&timeline->gpus,
			   &(struct timeline_gpu){ .number = number, .uuid = uuid, .name = word, .file = file });
}

/* Parses "GPU N: NAME (UUID)". Returns 0 or -ENOMEM. */
static int find_titled_gpu(struct timeline *timeline, int number, char *rest, uint32_t *index)
{
	uint32_t uuid = TIMELINE_NONE;
	char *open = strrchr(rest, '('), *close = open ? strchr(open, ')') : NULL;

	if (close && open > rest) {
		*close = '\0';
		open[-1] = '\0';
		if (strings_number(&timeline->strings, open + 1, &uuid))
			return -1;
	}
	return find_gpu(timeline, number, uuid, rest, index);
}

/* Finds the GPU that a trace describes by that number. Returns 0 or -ENOMEM. */
static int find_described_gpu(struct timeline *timeline, const struct gpmu_trace_reader *reader, int number, uint32_t *index)
{
	const struct gpmu_trace_gpu *gpu = gpmu_trace_reader_gpu(reader, number);
	uint32_t uuid = TIMELINE_NONE;

	if (gpu && gpu->uuid && strings_number(&timeline->strings, gpu->uuid, &uuid))
		return -1;
	return find_gpu(timeline, number, uuid, gpu && gpu->name ? gpu->name : "?", index);
}

/*
 * Sets the process of a track: that of a process's own track, else the one above, else the part of the name before its
 * purpose: "100 train: stream 7".
 */
static int find_process(struct timeline *timeline, const struct gpmu_trace_track_info *info, const char *name,
			const struct timeline_track *above, uint32_t *process)
{
	const char *end = strstr(name, ": ");
	char text[NAME_BYTES_MAX];

	for (const char *next = end; next; next = strstr(next + 1, ": "))
		end = next;
	*process = above ? above->process : TIMELINE_NONE;
	if (info->kind == GPMU_TRACE_TRACK_PROCESS)
		snprintf(text, sizeof(text), "%d %s", info->pid, *name ? name : "[unknown]");
	else if (*process == TIMELINE_NONE && end && isdigit((unsigned char)*name))
		snprintf(text, sizeof(text), "%.*s", (int)(end - name), name);
	else
		return 0;
	return strings_number(&timeline->strings, text, process);
}

static int find_stream(struct timeline *timeline, const struct timeline_track *track, const char *name, uint32_t *index)
{
	uint32_t file = (uint32_t)timeline->files.n - 1, word;

	if (strings_number(&timeline->strings, name, &word))
		return -1;
	for (*index = 0; *index < timeline->streams.n; (*index)++) {
		const struct timeline_stream *stream = &timeline->streams.list[*index];

		if (stream->file == file && stream->gpu == track->gpu && stream->name == word)
			return 0;
	}
	return vector_push(&timeline->streams, &(struct timeline_stream){
		.file = file, .gpu = track->gpu, .name = word, .process = track->process,
	});
}

/* Derives from the parent what a counter counts; NULL if unknown. */
static int of_counter(struct timeline *timeline, struct gpmu_trace_reader *reader, int parent,
		      const struct timeline_track *above, uint32_t *counted)
{
	const struct gpmu_trace_track_info *info =
		above ? gpmu_trace_reader_track(reader, parent) : NULL;
	const char *name = info && info->name ? info->name : "";
	char text[NAME_BYTES_MAX];

	if (info && (info->kind == GPMU_TRACE_TRACK_PROCESS || info->kind == GPMU_TRACE_TRACK_THREAD)) {
		snprintf(text, sizeof(text), "%d %s", info->kind == GPMU_TRACE_TRACK_THREAD ? info->tid : info->pid,
			 *name ? name : "[unknown]");
		name = text;
	}
	return strings_number(&timeline->strings, *name ? name : "machine", counted);
}

/* @above: the parent, or NULL */
static int add_counter(struct timeline *timeline, struct gpmu_trace_reader *reader,
		       const struct gpmu_trace_track_info *info, const struct timeline_track *above,
		       struct timeline_track *track)
{
	struct timeline_counter *counter = vector_append(timeline->counters.list, timeline->counters.n);

	if (!counter)
		return -1;
	track->index = (uint32_t)timeline->counters.n - 1;
	counter->file = (uint32_t)timeline->files.n - 1;
	counter->gpu = track->gpu;
	counter->node = above && above->role == TIMELINE_NODE ? above->index : TIMELINE_NONE;
	counter->is_held = above && above->role == TIMELINE_PROCESS;
	counter->is_of_process = counter->is_held || (above && above->role == TIMELINE_COMMAND);
	counter->unit = TIMELINE_NONE;
	if ((info->unit && strings_number(&timeline->strings, info->unit, &counter->unit)) ||
	    strings_number(&timeline->strings, info->name ? info->name : "", &counter->name))
		return -1;
	if (track->gpu != TIMELINE_NONE) {
		counter->parent = timeline->gpus.list[track->gpu].uuid;
		return 0;
	}
	return of_counter(timeline, reader, info->parent, above, &counter->parent);
}

/* Parses the number after @word at *@text and advances *@text; false if there is none. */
static bool number_behind(const char **text, const char *word, uint32_t *number)
{
	size_t length = strlen(word);
	unsigned long value;
	char *end;

	if (strncmp(*text, word, length) != 0 || !isdigit((unsigned char)(*text)[length]))
		return false;
	value = strtoul(*text + length, &end, 10);
	if (value >= TIMELINE_NONE)
		return false;
	*number = (uint32_t)value;
	*text = end;
	return true;
}

/* Identifies a track without parent. */
static int by_name(struct timeline *timeline, char *name, struct timeline_track *track)
{
	const char *rest = name;
	uint32_t number;

	if (number_behind(&rest, "GPU ", &number) && rest[0] == ':' && rest[1] == ' ') {
		track->role = TIMELINE_GPU;
		if (find_titled_gpu(timeline, (int)number, name + (rest - name) + 2, &track->index))
			return -1;
		track->gpu = track->index;
		return 0;
	}
	rest = name;
	if (number_behind(&rest, "node ", &number) && !*rest) {
		track->role = TIMELINE_NODE;
		track->index = number;
	} else if (!strcmp(name, "machine")) {
		track->role = TIMELINE_MACHINE;
	} else if (!strcmp(name, "command")) {
		track->role = TIMELINE_COMMAND;
	}
	return 0;
}

/* Returns whether a name ends with a stream's number: ": stream 7", ": context 2 stream 7". */
static bool is_stream(const char *name)
{
	const char *colon = strrchr(name, ':'), *rest = colon;
	uint32_t number;

	if (!colon)
		return false;
	if (number_behind(&rest, ": stream ", &number))
		return !*rest;
	return number_behind(&rest, ": context ", &number) &&
	       number_behind(&rest, " stream ", &number) && !*rest;
}

static int look(struct timeline *timeline, struct gpmu_trace_reader *reader, int number,
		struct timeline_track *track)
{
	const struct timeline_track *above = NULL;
	struct gpmu_trace_track_info info;
	char name[NAME_BYTES_MAX];

	info = *gpmu_trace_reader_track(reader, number);
	if (info.parent && info.parent != number) {
		above = timeline_track(timeline, reader, info.parent);
		if (!above)
			return -1;
	}
	plain_name(info.name, name, sizeof(name));
	track->role = TIMELINE_OTHER;
	track->gpu = above ? above->gpu : TIMELINE_NONE;
	track->thread = above ? above->thread : TIMELINE_NONE;
	track->pid = info.pid ? (uint32_t)info.pid : above ? above->pid : 0;
	if (info.gpu >= 0 && find_described_gpu(timeline, reader, info.gpu, &track->gpu))
		return -1;
	if (find_process(timeline, &info, name, above, &track->process))
		return -1;
	if (info.kind == GPMU_TRACE_TRACK_QUEUE) {
		track->role = TIMELINE_STREAM;
		return find_stream(timeline, track, name, &track->index);
	}
	if (info.kind == GPMU_TRACE_TRACK_COUNTER) {
		track->role = TIMELINE_COUNTER;
		return add_counter(timeline, reader, &info, above, track);
	}
	if (info.kind == GPMU_TRACE_TRACK_PROCESS) {
		track->role = TIMELINE_PROCESS;
	} else if (info.kind == GPMU_TRACE_TRACK_THREAD) {
		track->role = TIMELINE_THREAD;
		track->index = timeline->thread_count++;
		track->thread = track->index;
	} else if (above && above->role == TIMELINE_GPU && is_stream(name)) {
		track->role = TIMELINE_STREAM;
		return find_stream(timeline, track, name, &track->index);
	} else if (!above) {
		return by_name(timeline, name, track);
	}
	return 0;
}

const struct timeline_track *timeline_track(struct timeline *timeline,
					    struct gpmu_trace_reader *reader, int number)
{
	struct timeline_track track = {
		.gpu = TIMELINE_NONE, .thread = TIMELINE_NONE, .process = TIMELINE_NONE,
	}, *known;

	while (timeline->tracks.n < (size_t)number)
		if (!vector_append(timeline->tracks.list, timeline->tracks.n))
			return NULL;
	known = &timeline->tracks.list[number - 1];
	if (known->role != TIMELINE_NOTHING)
		return known;
	/* A track that is its own ancestor stays unidentified. */
	track.role = TIMELINE_OTHER;
	*known = track;
	if (look(timeline, reader, number, &track))
		return NULL;
	known = &timeline->tracks.list[number - 1];
	*known = track;
	return known;
}
