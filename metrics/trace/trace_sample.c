// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writes samples. Each event has a sequence of packets of its own, because the name of the event is a default
 * of the sequence. A packet begins with the names, frames and stacks that it is the first to use since
 * the last restart; then the tables are empty again, so memory is bounded.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/sized.h"
#include "trace/trace_wire.h"

#define PLAIN_MAX	112	/* bytes of a packet without its tables */
#define ENTRY_MAX	32	/* bytes of an entry of a table without its text and numbers */
#define NUMBER_MAX	12	/* bytes of a number of a frame */
#define NO_OBJECT	"[unknown]"

/* Fields of InternedData */
enum { FUNCTIONS = 5, FRAMES = 6, STACKS = 7, PATHS = 17, MAPPINGS = 19 };

/* @function, @object: numbers; @function 0: not known */
struct trace_frame {
	uint64_t address;
	uint32_t function, object;
};

/* The frames of a stack in stack_frames, the innermost first */
struct trace_stack {
	size_t begin, count;
};

/* Lengths of a sampler's tables */
struct lengths {
	size_t functions, objects, frames, stacks;
};

static struct trace_sampler *sampler_of(struct gpmu_trace *trace, int sampler)
{
	return sampler > 0 && (size_t)sampler <= trace->sampler_count ? &trace->samplers[sampler - 1] : NULL;
}

static struct lengths lengths_of(const struct trace_sampler *sampler)
{
	return (struct lengths){ sampler->functions.texts.n, sampler->objects.texts.n, sampler->frame_count,
				 sampler->stack_count };
}

static void forget(struct trace_sampler *sampler)
{
	strings_release(&sampler->functions);
	strings_release(&sampler->objects);
	map_clear(&sampler->frame_indices);
	map_clear(&sampler->stack_indices);
	sampler->frame_count = sampler->stack_count = sampler->stack_frame_count = 0;
}

void trace_samplers_release(struct gpmu_trace *trace)
{
	for (size_t i = 0; i < trace->sampler_count; i++) {
		struct trace_sampler *sampler = &trace->samplers[i];

		forget(sampler);
		free(sampler->frames);
		free(sampler->stacks);
		free(sampler->stack_frames);
		map_release(&sampler->frame_indices);
		map_release(&sampler->stack_indices);
		free(sampler->counts);
		free(sampler->event);
	}
	free(trace->samplers);
}

int gpmu_trace_sampler(struct gpmu_trace *trace, const char *event)
{
	struct trace_sampler sampler = { 0 }, *added = NULL;

	if (!event)
		return -EINVAL;
	if (trace_text_copy(trace, event, &sampler.event))
		return -ENOMEM;
	sampler.counts = calloc(TRACE_CPUS_MAX + 1, sizeof(*sampler.counts));
	if (sampler.counts)
		added = vector_append(trace->samplers, trace->sampler_count);
	if (!added) {
		free(sampler.event);
		free(sampler.counts);
		return -ENOMEM;
	}
	*added = sampler;
	return (int)trace->sampler_count;
}

/* --- tables */

static int frame_number(struct trace_sampler *sampler, const struct gpmu_trace_frame *from, uint32_t *number)
{
	struct trace_frame frame = { .address = from->address }, *added;
	uint64_t hash;
	uint32_t index;

	if (from->function && strings_number(&sampler->functions, from->function, &frame.function))
		return -ENOMEM;
	frame.function += from->function != NULL;
	if (strings_number(&sampler->objects, from->object ? from->object : NO_OBJECT, &frame.object))
		return -ENOMEM;
	frame.object++;
	/* If another frame has this hash, try the next one. */
	for (hash = trace_hash((const char *)&frame, sizeof(frame)); map_get(&sampler->frame_indices, hash, &index);
	     hash++)
		if (!memcmp(&sampler->frames[index], &frame, sizeof(frame))) {
			*number = index + 1;
			return 0;
		}
	added = vector_append(sampler->frames, sampler->frame_count);
	if (!added || map_set(&sampler->frame_indices, hash, (uint32_t)sampler->frame_count - 1))
		return -ENOMEM;
	*added = frame;
	*number = (uint32_t)sampler->frame_count;
	return 0;
}

static int add_stack(struct trace_sampler *sampler, const uint32_t *frames, size_t count)
{
	struct trace_stack *stack = vector_append(sampler->stacks, sampler->stack_count);

	if (!stack)
		return -ENOMEM;
	*stack = (struct trace_stack){ .begin = sampler->stack_frame_count, .count = count };
	for (size_t i = 0; i < count; i++) {
		uint32_t *frame = vector_append(sampler->stack_frames, sampler->stack_frame_count);

		if (!frame)
			return -ENOMEM;
		*frame = frames[i];
	}
	return 0;
}

/* Sets the number of a stack; 0: it has no frames. */
static int stack_number(struct trace_sampler *sampler, const struct gpmu_trace_sample *sample, uint64_t *number)
{
	uint32_t frames[TRACE_FRAMES_MAX], index;
	size_t count = sample->frame_count;
	uint64_t hash;

	*number = 0;
	for (size_t i = 0; i < count; i++)
		if (frame_number(sampler, &sample->frames[i], &frames[i]))
			return -ENOMEM;
	if (!count)
		return 0;
	hash = trace_hash((const char *)frames, count * sizeof(frames[0]));
	for (; map_get(&sampler->stack_indices, hash, &index); hash++) {
		const struct trace_stack *known = &sampler->stacks[index];

		*number = index + 1ULL;
		if (known->count == count &&
		    !memcmp(&sampler->stack_frames[known->begin], frames, count * sizeof(frames[0])))
			return 0;
	}
	if (add_stack(sampler, frames, count) ||
	    map_set(&sampler->stack_indices, hash, (uint32_t)sampler->stack_count - 1))
		return -ENOMEM;
	*number = sampler->stack_count;
	return 0;
}

/* --- packets */

/* Puts the texts from @first on. Returns NULL if out of memory. */
static uint8_t *put_texts(uint8_t *p, struct gpmu_trace *trace, unsigned int field, const struct strings *texts,
			  size_t first)
{
	for (size_t i = texts->texts.n; i-- > first;) {
		const char *text = strings_text(texts, (uint32_t)i);
		const uint8_t *end = p;
		char *mended;
		size_t length;

		if (trace_text(trace, text, &mended, &length))
			return NULL;
		p = wire_text(p, 2, mended ? mended : text, length);
		free(mended);
		p = wire_number(p, 1, i + 1);
		p = wire_message(p, field, end);
	}
	return p;
}

static uint8_t *put_frames(uint8_t *p, const struct trace_sampler *sampler, size_t first)
{
	const struct trace_frame *frames = sampler->frames;

	for (size_t i = sampler->frame_count; i-- > first;) {
		const uint8_t *end = p;

		p = wire_number(p, 4, frames[i].address);
		p = wire_number(p, 3, frames[i].object);
		if (frames[i].function)
			p = wire_number(p, 2, frames[i].function);
		p = wire_number(p, 1, i + 1);
		p = wire_message(p, FRAMES, end);
	}
	return p;
}

static uint8_t *put_stacks(uint8_t *p, const struct trace_sampler *sampler, size_t first)
{
	const struct trace_stack *stacks = sampler->stacks;

	for (size_t i = sampler->stack_count; i-- > first;) {
		const uint32_t *frames = &sampler->stack_frames[stacks[i].begin];
		const uint8_t *end = p;

		/* The last field is written first, and the trace has the outermost frame first. */
		for (size_t k = 0; k < stacks[i].count; k++)
			p = wire_number(p, 2, frames[k]);
		p = wire_number(p, 1, i + 1);
		p = wire_message(p, STACKS, end);
	}
	return p;
}

/* Puts the entries of the tables from @first on. Returns NULL if out of memory. */
static uint8_t *put_tables(uint8_t *p, struct gpmu_trace *trace, const struct trace_sampler *sampler,
			   const struct lengths *first)
{
	const uint8_t *end = p, *mapping;

	for (size_t i = sampler->objects.texts.n; i-- > first->objects;) {
		mapping = p;
		p = wire_number(p, 7, i + 1);
		p = wire_number(p, 1, i + 1);
		p = wire_message(p, MAPPINGS, mapping);
	}
	p = put_texts(p, trace, PATHS, &sampler->objects, first->objects);
	if (!p)
		return NULL;
	p = put_stacks(p, sampler, first->stacks);
	p = put_frames(p, sampler, first->frames);
	p = put_texts(p, trace, FUNCTIONS, &sampler->functions, first->functions);
	return p && p != end ? wire_message(p, 12, end) : p;
}

static uint8_t *put_sample(uint8_t *p, const struct gpmu_trace_sample *sample, uint64_t stack, uint64_t count)
{
	const uint8_t *end = p;

	p = wire_number(p, 6, count);
	p = wire_number(p, 5, sample->mode);
	if (stack)
		p = wire_number(p, 4, stack);
	p = wire_number(p, 3, (uint64_t)sample->tid);
	p = wire_number(p, 2, (uint64_t)sample->pid);
	if (sample->cpu != UINT32_MAX)
		p = wire_number(p, 1, sample->cpu);
	return wire_message(p, 66, end);
}

/* Bytes that a packet has at most */
static size_t bytes_max(const struct trace_sampler *sampler, const struct lengths *first, size_t frame_count)
{
	const struct lengths now = lengths_of(sampler);
	size_t max = PLAIN_MAX + frame_count * NUMBER_MAX;

	max += ENTRY_MAX * (now.functions - first->functions + 2 * (now.objects - first->objects) +
			     now.frames - first->frames + now.stacks - first->stacks);
	/* An invalid byte becomes three. */
	for (size_t i = first->functions; i < now.functions; i++)
		max += 3 * strnlen(strings_text(&sampler->functions, (uint32_t)i), TRACE_NAME_MAX);
	for (size_t i = first->objects; i < now.objects; i++)
		max += 3 * strnlen(strings_text(&sampler->objects, (uint32_t)i), TRACE_NAME_MAX);
	return max;
}

static int put(struct gpmu_trace *trace, struct trace_sampler *sampler, const struct gpmu_trace_sample *sample,
	       uint64_t stack, const struct lengths *first)
{
	size_t max = bytes_max(sampler, first, sample->frame_count);
	uint64_t *count = &sampler->counts[sample->cpu == UINT32_MAX ? TRACE_CPUS_MAX : sample->cpu];
	uint8_t *p, *end;

	if (!trace_room(&trace->scratch, max) || !trace_room(&trace->out, max))
		return -ENOMEM;
	p = end = trace->scratch.data + trace->scratch.room;
	p = put_sample(p, sample, stack, *count + sample->period);
	p = wire_number(p, 13, TRACE_STATE_NEEDED);
	p = put_tables(p, trace, sampler, first);
	if (!p)
		return -ENOMEM;
	p = wire_number(p, 10, TRACE_SEQUENCE + (uint64_t)sample->sampler);
	p = wire_number(p, 8, sample->time);
	wire_packet(trace, wire_message(p, 1, end), end, sample->time);
	*count += sample->period;
	trace->stats.events++;
	return 0;
}

static int write_sample(struct gpmu_trace *trace, const struct gpmu_trace_sample *sample)
{
	struct trace_sampler *sampler = sampler_of(trace, sample->sampler);
	int ret = trace_prepare(trace, sample->track, sample->time);
	struct lengths first;
	uint64_t stack;

	if (!ret && sampler->given != trace->restart) {
		forget(sampler);
		ret = trace_put_sampler(trace, sample->sampler);
		sampler->given = ret ? 0 : trace->restart;
	}
	if (ret)
		return ret;
	first = lengths_of(sampler);
	ret = stack_number(sampler, sample, &stack);
	if (!ret)
		ret = put(trace, sampler, sample, stack, &first);
	if (ret) {
		sampler->given = 0;	/* the tables have entries that are not in the trace */
		return ret;
	}
	return trace_done(trace);
}

int gpmu_trace_sample(struct gpmu_trace *trace, const struct gpmu_trace_sample *sample)
{
	struct gpmu_trace_sample own = { 0 };

	if (sample->size < offsetof(struct gpmu_trace_sample, mode))
		return -EINVAL;
	sized_copy(&own, sizeof(own), sample);
	if (!sampler_of(trace, own.sampler) || own.time >= TRACE_TIME_END || own.pid < 0 || own.tid < 0 ||
	    (own.cpu >= TRACE_CPUS_MAX && own.cpu != UINT32_MAX) || own.frame_count > TRACE_FRAMES_MAX ||
	    (own.frame_count && !own.frames) || (own.track && !trace_track_of(trace, own.track)))
		return -EINVAL;
	return write_sample(trace, &own);
}
