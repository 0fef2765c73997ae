// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps what packets before an event define: clocks, string tables, tracks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"
#include "trace/reader/trace_reader.h"

#define NO_FUNCTION	"[unknown]"

/* --- names */

const char *reader_name(const struct gpmu_trace_reader *reader, enum reader_name_kind kind,
			uint64_t number)
{
	const struct reader_names *names = &reader->names[kind];
	uint32_t index;

	return map_get(&names->numbers, number, &index) ? names->texts[index] : NULL;
}

const char *reader_need_name(struct gpmu_trace_reader *reader, enum reader_name_kind kind, uint64_t base,
			     uint64_t number, const char *user)
{
	const char *name = reader_name(reader, kind, base ^ number);

	if (!name)
		reader_fail(reader, -EINVAL, "%s %llu, which is not in the string table", user,
			    (unsigned long long)number);
	return name;
}

static void forget_names(struct reader_names *names)
{
	while (names->count)
		free(names->texts[--names->count]);
	map_release(&names->numbers);
}

/* Adds a name; @text is taken, and NULL stands for no memory. */
static int learn_name(struct gpmu_trace_reader *reader, enum reader_name_kind kind, uint64_t number, char *text)
{
	struct reader_names *names = &reader->names[kind];
	char **added = text ? vector_append(names->texts, names->count) : NULL;

	if (!added) {
		free(text);
		return reader_no_memory(reader);
	}
	*added = text;
	return map_set(&names->numbers, number, (uint32_t)names->count - 1) ? reader_no_memory(reader) : 0;
}

/* @base: number of the sequence's entry 0 */
static int learn_names(struct gpmu_trace_reader *reader, enum reader_name_kind kind, uint64_t base, size_t n,
		       GpmuPb__InternedName *const *given)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		if (!given[i]->has_iid || !given[i]->name)
			return reader_fail(reader, -EINVAL, "expected names with ids in the string table");
		ret = learn_name(reader, kind, base ^ given[i]->iid, strdup(given[i]->name));
	}
	return ret;
}

/* Joins the functions of a stack. */
static int learn_stack(struct gpmu_trace_reader *reader, uint64_t base, const GpmuPb__Callstack *stack)
{
	size_t length = 0, pos = 0;
	char *text;

	for (size_t i = 0; i < stack->n_frame_ids; i++) {
		const char *name = reader_need_name(reader, READER_FRAME, base, stack->frame_ids[i], "a stack has the frame");

		if (!name)
			return reader->failed;
		length += strlen(name) + 1;
	}
	text = malloc(length + 1);
	for (size_t i = 0; text && i < stack->n_frame_ids; i++)
		pos += (size_t)sprintf(text + pos, "%s%s", i ? ";" : "",
				       reader_name(reader, READER_FRAME, base ^ stack->frame_ids[i]));
	if (text)
		text[pos] = '\0';
	return learn_name(reader, READER_STACK, base ^ stack->iid, text);
}

static int learn_stacks(struct gpmu_trace_reader *reader, uint64_t base, const GpmuPb__InternedData *data)
{
	int ret = learn_names(reader, READER_FUNCTION, base, data->n_function_names, data->function_names);

	for (size_t i = 0; i < data->n_frames && !ret; i++) {
		const GpmuPb__Frame *frame = data->frames[i];
		const char *name = !frame->has_function_name_id ? NO_FUNCTION :
				   reader_need_name(reader, READER_FUNCTION, base, frame->function_name_id,
						    "a frame has the function");

		if (!name)
			return reader->failed;
		ret = learn_name(reader, READER_FRAME, base ^ frame->iid, strdup(name));
	}
	for (size_t i = 0; i < data->n_callstacks && !ret; i++)
		ret = learn_stack(reader, base, data->callstacks[i]);
	return ret;
}

/*
 * Learns from a packet of a sampled event, whose sequence has tables of its own. A restart of the main sequence clears
 * them too. Returns as reader_learn().
 */
static int learn_sample(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	const GpmuPb__TracePacketDefaults *defaults = packet->trace_packet_defaults;
	const GpmuPb__PerfSampleDefaults *samples = defaults ? defaults->perf_sample_defaults : NULL;
	int ret = 0;

	if (samples && samples->timebase && samples->timebase->name && defaults->timestamp_clock_id == TRACE_CLOCK_RAW)
		return learn_name(reader, READER_SAMPLER, reader_key(packet, 0), strdup(samples->timebase->name));
	if (!packet->perf_sample || !reader_name(reader, READER_SAMPLER, reader_key(packet, 0)))
		return 0;
	if (packet->interned_data)
		ret = learn_stacks(reader, reader_key(packet, 0), packet->interned_data);
	return ret ? ret : 1;
}

static int learn_all_names(struct gpmu_trace_reader *reader, const GpmuPb__InternedData *data)
{
	int ret = learn_names(reader, READER_CATEGORY, 0, data->n_event_categories, data->event_categories);

	if (!ret)
		ret = learn_names(reader, READER_EVENT_NAME, 0, data->n_event_names, data->event_names);
	if (!ret)
		ret = learn_names(reader, READER_ARG_NAME, 0, data->n_debug_annotation_names,
				  data->debug_annotation_names);
	if (!ret)
		ret = learn_names(reader, READER_ARG_TEXT, 0, data->n_debug_annotation_string_values,
				  data->debug_annotation_string_values);
	if (!ret)
		ret = learn_names(reader, READER_COMPUTE_ARG, 0, data->n_compute_arg_names, data->compute_arg_names);
	return ret;
}

/* --- clocks */

static const GpmuPb__ClockSnapshot__Clock *clock_of(const GpmuPb__ClockSnapshot *snapshot, uint32_t id)
{
	for (size_t i = 0; i < snapshot->n_clocks; i++)
		if (snapshot->clocks[i]->clock_id == id && snapshot->clocks[i]->has_timestamp)
			return snapshot->clocks[i];
	return NULL;
}

static bool counts_steps(const GpmuPb__ClockSnapshot__Clock *clock)
{
	return clock && clock->is_incremental && clock->unit_multiplier_ns == 1 &&
	       clock->timestamp < READER_TIME_END;
}

/*
 * Returns whether the packet is a restart by gpmu_trace; other writers lack that clock or use
 * other numbers
 */
static bool is_restart(const GpmuPb__TracePacket *packet)
{
	const GpmuPb__ClockSnapshot *snapshot = packet->clock_snapshot;

	return snapshot && packet->has_trusted_packet_sequence_id &&
	       packet->sequence_flags & TRACE_STATE_CLEARED &&
	       snapshot->primary_trace_clock == TRACE_CLOCK_RAW &&
	       counts_steps(clock_of(snapshot, TRACE_CLOCK_STEPS)) &&
	       counts_steps(clock_of(snapshot, TRACE_CLOCK_ENDS));
}

static void restart(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	reader->is_known = true;
	reader->sequence = packet->trusted_packet_sequence_id;
	reader->steps = clock_of(packet->clock_snapshot, TRACE_CLOCK_STEPS)->timestamp;
	reader->ends = clock_of(packet->clock_snapshot, TRACE_CLOCK_ENDS)->timestamp;
	for (size_t kind = 0; kind < READER_NAME_KINDS; kind++)
		forget_names(&reader->names[kind]);
	reader_forget_gpu(reader);
	reader->stats.restarts++;
}

/* --- tracks */

/* Finds or adds the track with that uuid; NULL if out of memory */
static struct reader_track *track_of(struct gpmu_trace_reader *reader, uint64_t uuid)
{
	struct reader_track *track;
	uint32_t index;

	if (map_get(&reader->numbers, uuid, &index))
		return &reader->tracks[index];
	track = vector_append(reader->tracks, reader->track_count);
	if (!track)
		return NULL;
	track->info.size = sizeof(track->info);
	track->info.gpu = -1;
	if (!map_set(&reader->numbers, uuid, (uint32_t)reader->track_count - 1))
		return track;
	reader->track_count--;
	return NULL;
}

/* Sets a text; NULL leaves it unchanged. Returns 0 or -ENOMEM. */
static int set_text(const char **text, const char *given)
{
	char *copy;

	if (!given || (*text && !strcmp(*text, given)))
		return 0;
	copy = strdup(given);
	if (!copy)
		return -ENOMEM;
	free((char *)*text);
	*text = copy;
	return 0;
}

static const char *unit_of(const GpmuPb__CounterDescriptor *counter)
{
	if (counter->unit == 1)
		return "ns";
	return counter->unit == 3 ? "B" : counter->unit_name;
}

static int describe(struct reader_track *track, const GpmuPb__TrackDescriptor *given)
{
	struct gpmu_trace_track_info *info = &track->info;

	info->kind = GPMU_TRACE_TRACK_PLAIN;
	track->parent = given->parent_uuid;
	if (given->process) {
		info->kind = GPMU_TRACE_TRACK_PROCESS;
		info->pid = given->process->pid;
		return set_text(&info->name, given->process->process_name);
	}
	if (given->thread) {
		info->kind = GPMU_TRACE_TRACK_THREAD;
		info->pid = given->thread->pid;
		info->tid = given->thread->tid;
		return set_text(&info->name, given->thread->thread_name);
	}
	if (given->counter) {
		info->kind = GPMU_TRACE_TRACK_COUNTER;
		if (set_text(&info->unit, unit_of(given->counter)))
			return -ENOMEM;
	}
	return set_text(&info->name, given->name);
}

int64_t reader_add_track(struct gpmu_trace_reader *reader, enum gpmu_trace_track_kind kind, int gpu, const char *name)
{
	struct reader_track *track = vector_append(reader->tracks, reader->track_count);

	if (!track)
		return reader_no_memory(reader);
	track->info = (struct gpmu_trace_track_info){ .size = sizeof(track->info), .kind = kind, .gpu = gpu };
	if (set_text(&track->info.name, name)) {
		reader->track_count--;
		return reader_no_memory(reader);
	}
	return (int64_t)reader->track_count - 1;
}

static int learn_track(struct gpmu_trace_reader *reader, const GpmuPb__TrackDescriptor *given)
{
	struct reader_track *track;

	if (!given->has_uuid || !given->uuid)
		return reader_fail(reader, -EINVAL, "expected the uuid of a track");
	/* Add the parent, so that it has a number for callers to query. */
	if (given->parent_uuid && !track_of(reader, given->parent_uuid))
		return reader_no_memory(reader);
	track = track_of(reader, given->uuid);
	return track && !describe(track, given) ? 0 : reader_no_memory(reader);
}

void reader_state_release(struct gpmu_trace_reader *reader)
{
	for (size_t kind = 0; kind < READER_NAME_KINDS; kind++) {
		forget_names(&reader->names[kind]);
		free(reader->names[kind].texts);
	}
	for (size_t i = 0; i < reader->track_count; i++) {
		struct reader_track *track = &reader->tracks[i];

		while (track->open_count)
			free(track->open[--track->open_count].args);
		free(track->open);
		free((char *)track->info.name);
		free((char *)track->info.unit);
	}
	free(reader->tracks);
	map_release(&reader->numbers);
	map_release(&reader->counts);
}

/* Samples are in sequences of their own. */
static bool is_sample(const GpmuPb__TracePacket *packet)
{
	return packet->perf_sample ||
	       (packet->trace_packet_defaults && packet->trace_packet_defaults->perf_sample_defaults);
}

int reader_learn(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	int ret = 0;

	if (is_restart(packet))
		restart(reader, packet);
	if (!reader->is_known || packet->trusted_packet_sequence_id != reader->sequence) {
		if (is_sample(packet))
			return reader->is_known ? learn_sample(reader, packet) : 0;
		if (!reader->is_known && packet->sequence_flags & TRACE_STATE_NEEDED)
			reader->stats.early++;
		else
			reader->stats.others++;
		return 0;
	}
	if (packet->interned_data)
		ret = learn_all_names(reader, packet->interned_data);
	if (!ret && (packet->interned_data || packet->gpu_info))
		ret = reader_learn_gpu(reader, packet);
	if (!ret && packet->track_descriptor)
		ret = learn_track(reader, packet->track_descriptor);
	return ret ? ret : 1;
}
