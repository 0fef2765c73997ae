// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/queue/record_arena.h"

#define CHUNK		((size_t)1 << 20)	/* bytes, and the alignment by which a record finds its chunk */
#define SPARE_MAX	8

struct record_chunk {
	struct record_chunk *next;
	size_t room, length;	/* bytes, with this head */
	size_t live;		/* records */
};

static size_t head(void)
{
	return (sizeof(struct record_chunk) + 15) / 16 * 16;
}

static void drop(struct record_arena *arena, struct record_chunk *chunk)
{
	if (chunk->room > CHUNK || arena->spare_count == SPARE_MAX) {
		free(chunk);
		return;
	}
	chunk->next = arena->spare;
	arena->spare = chunk;
	arena->spare_count++;
}

static struct record_chunk *take(struct record_arena *arena, size_t size)
{
	size_t room = (head() + size + CHUNK - 1) / CHUNK * CHUNK;
	struct record_chunk *chunk = arena->spare;

	if (room == CHUNK && chunk) {
		arena->spare = chunk->next;
		arena->spare_count--;
	} else {
		chunk = aligned_alloc(CHUNK, room);
	}
	if (chunk)
		*chunk = (struct record_chunk){ .room = room, .length = head() };
	return chunk;
}

struct record *record_arena_copy(struct record_arena *arena, const struct record *record)
{
	struct record_chunk *chunk = arena->current;
	struct record *copy;

	if (!chunk || chunk->room - chunk->length < record->size) {
		chunk = take(arena, record->size);
		if (!chunk)
			return NULL;
		/* A record finds a larger chunk only from its first CHUNK bytes: such a chunk has one record. */
		if (chunk->room == CHUNK)
			arena->current = chunk;
	}
	copy = (struct record *)((char *)chunk + chunk->length);
	memcpy(copy, record, record->size);
	chunk->length += record->size;
	chunk->live++;
	return copy;
}

void record_arena_free(struct record_arena *arena, struct record *record)
{
	struct record_chunk *chunk = (struct record_chunk *)((uintptr_t)record & ~(uintptr_t)(CHUNK - 1));

	if (--chunk->live)
		return;
	if (chunk == arena->current)
		chunk->length = head();
	else
		drop(arena, chunk);
}

void record_arena_release(struct record_arena *arena)
{
	while (arena->spare) {
		struct record_chunk *chunk = arena->spare;

		arena->spare = chunk->next;
		free(chunk);
	}
	free(arena->current);
	*arena = (struct record_arena){ 0 };
}
