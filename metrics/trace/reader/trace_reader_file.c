// SPDX-License-Identifier: LGPL-2.1-or-later
/* Splits a file into packets. The buffer grows to the size of the largest packet. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "trace/reader/trace_reader.h"

#define BUFFER		(256U << 10)
#define ARENA		(16U << 10)
#define ARENA_ALIGN	16U
#define HEAD_MAX	15		/* bytes of a tag (5) and a length (10) */
#define PACKET_FIELD	1		/* field number in Trace */

/* Wire types of protocol buffers */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

int reader_fail(struct gpmu_trace_reader *reader, int ret, const char *fmt, ...)
{
	char text[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set_path(&reader->why, (size_t)reader->packet_offset, reader->path, ":%" PRIu64 ": %s",
		       reader->packet_offset, text);
	reader->failed = ret;
	return ret;
}

int reader_no_memory(struct gpmu_trace_reader *reader)
{
	error_no_memory(&reader->why);
	reader->failed = -ENOMEM;
	return -ENOMEM;
}

/* --- memory of a packet */

static void *arena_alloc(void *data, size_t size)
{
	struct reader_arena *arena = data;
	void **more, *memory;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	arena->wanted += size;
	if (size <= arena->room - arena->used) {
		arena->used += size;
		return arena->data + arena->used - size;
	}
	memory = malloc(size);
	more = memory ? vector_append(arena->more, arena->more_count) : NULL;
	if (!more) {
		free(memory);
		arena->has_failed = true;
		return NULL;
	}
	*more = memory;
	return memory;
}

void *reader_alloc(struct gpmu_trace_reader *reader, size_t size)
{
	return arena_alloc(&reader->arena, size);
}

static void arena_free(void *data, void *memory)
{
	(void)data;
	(void)memory;
}

/*
 * Empties the arena. If a packet needed more than one block, the next one gets that much
 * at once.
 */
static int arena_reset(struct reader_arena *arena)
{
	size_t room = arena->wanted > ARENA ? arena->wanted : ARENA;

	while (arena->more_count)
		free(arena->more[--arena->more_count]);
	arena->used = arena->wanted = 0;
	if (room <= arena->room)
		return 0;
	free(arena->data);
	arena->data = malloc(room);
	arena->room = arena->data ? room : 0;
	return arena->data ? 0 : -ENOMEM;
}

void reader_file_release(struct gpmu_trace_reader *reader)
{
	struct reader_arena *arena = &reader->arena;

	while (arena->more_count)
		free(arena->more[--arena->more_count]);
	free(arena->more);
	free(arena->data);
	free(reader->data);
}

/* --- bytes */

static int make_room(struct gpmu_trace_reader *reader, size_t n)
{
	size_t left = reader->length - reader->pos;

	if (n > reader->room) {
		size_t room = n > BUFFER ? n : BUFFER;
		uint8_t *data = malloc(room);

		if (!data)
			return reader_no_memory(reader);
		if (left)
			memcpy(data, reader->data + reader->pos, left);
		free(reader->data);
		reader->data = data;
		reader->room = room;
	} else if (reader->pos + n > reader->room) {
		memmove(reader->data, reader->data + reader->pos, left);
	} else {
		return 0;
	}
	reader->offset += reader->pos;
	reader->length = left;
	reader->pos = 0;
	return 0;
}

/*
 * Reads until the buffer has @n bytes or the file ends. Returns the number of bytes there,
 * or -errno.
 */
static ssize_t fill(struct gpmu_trace_reader *reader, size_t n)
{
	if (reader->length - reader->pos < n && make_room(reader, n))
		return -ENOMEM;
	while (!reader->has_ended && reader->length - reader->pos < n) {
		ssize_t got = read(reader->fd, reader->data + reader->length,
				   reader->room - reader->length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int ret = -errno;

			reader->packet_offset = reader->offset + reader->length;
			return reader_fail(reader, ret, "%s", error_text(-ret));
		}
		reader->has_ended = got == 0;
		reader->length += (size_t)got;
	}
	return (ssize_t)(reader->length - reader->pos);
}

/*
 * Returns the bytes of the varint at @data, 0 if it is incomplete, or -1 if it has more
 * than 10.
 */
static int varint(const uint8_t *data, size_t length, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < length && i < 10; i++) {
		*value |= (uint64_t)(data[i] & 0x7f) << 7 * i;
		if (!(data[i] & 0x80))
			return (int)i + 1;
	}
	return length < 10 ? 0 : -1;
}

/* --- the file's fields, which are packets */

struct field {
	unsigned int number, type;
	size_t head;			/* bytes of tag and length */
	uint64_t length;		/* bytes of the content */
};

/* Returns 1, 0 if the field is incomplete, or -EINVAL. */
static int read_head(struct gpmu_trace_reader *reader, size_t n, struct field *field)
{
	const uint8_t *data = reader->data + reader->pos;
	uint64_t tag, value = 0;
	int used = varint(data, n, &tag), more = 1;

	if (!used)
		return 0;
	field->number = (unsigned int)(tag >> 3);
	field->type = tag & 7;
	if (used < 0 || tag > UINT32_MAX || !field->number ||
	    (field->type != VARINT && field->type != FIXED64 && field->type != BYTES && field->type != FIXED32))
		return reader_fail(reader, -EINVAL, "expected a packet of a trace");
	field->head = (size_t)used;
	field->length = field->type == FIXED64 ? 8 : 4;
	if (field->type == FIXED64 || field->type == FIXED32)
		return 1;
	more = varint(data + used, n - (size_t)used, &value);
	if (!more)
		return 0;
	if (more < 0 || value >= READER_TIME_END)
		return reader_fail(reader, -EINVAL, "expected the length of a packet");
	field->head += (size_t)more;
	field->length = field->type == BYTES ? value : 0;
	return 1;
}

/* Notes that the file is truncated: it has less than the length requires. */
static int cut_off(struct gpmu_trace_reader *reader, uint64_t bytes)
{
	reader->stats.cut = bytes;
	reader->pos = reader->length;
	return 0;
}

/* Returns 1, 0 at the end of the file, or -errno. */
static int skip(struct gpmu_trace_reader *reader, const struct field *field)
{
	uint64_t left = field->head + field->length;

	while (left) {
		ssize_t n = fill(reader, 1);
		size_t step;

		if (n < 0)
			return (int)n;
		if (!n)
			return cut_off(reader, field->head + field->length - left);
		step = (uint64_t)n < left ? (size_t)n : (size_t)left;
		reader->pos += step;
		left -= step;
	}
	reader->stats.bytes += field->head + field->length;
	reader->stats.packets++;
	reader->stats.others++;
	return 1;
}

static int unpack(struct gpmu_trace_reader *reader, const struct field *field)
{
	ProtobufCAllocator allocator = {
		.alloc = arena_alloc, .free = arena_free, .allocator_data = &reader->arena,
	};
	ssize_t n = fill(reader, field->head + (size_t)field->length);

	if (n < 0)
		return (int)n;
	if ((uint64_t)n < field->head + field->length)
		return cut_off(reader, (uint64_t)n);
	if (arena_reset(&reader->arena))
		return reader_no_memory(reader);
	reader->packet = gpmu_pb__trace_packet__unpack(&allocator, (size_t)field->length,
						       reader->data + reader->pos + field->head);
	if (reader->arena.has_failed)
		return reader_no_memory(reader);
	if (!reader->packet)
		return reader_fail(reader, -EINVAL, "expected a packet of a trace, found %llu other bytes",
				   (unsigned long long)field->length);
	reader->pos += field->head + (size_t)field->length;
	reader->stats.bytes += field->head + field->length;
	reader->stats.packets++;
	return 1;
}

int reader_packet(struct gpmu_trace_reader *reader)
{
	struct field field = { 0 };
	int ret;

	for (;;) {
		ssize_t n = fill(reader, HEAD_MAX);

		reader->packet = NULL;
		if (n <= 0)
			return (int)n;
		reader->packet_offset = reader->offset + reader->pos;
		ret = read_head(reader, (size_t)n, &field);
		if (ret <= 0)
			return ret ? ret : cut_off(reader, (uint64_t)n);
		if (field.number == PACKET_FIELD && field.type == BYTES && field.length <= READER_PACKET_MAX)
			return unpack(reader, &field);
		ret = skip(reader, &field);
		if (ret <= 0)
			return ret;
	}
}
