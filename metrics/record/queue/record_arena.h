/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of records that are freed in about the order in which they were copied. Records are stored one after the
 * other in chunks. A chunk is freed with the last of its records. A call to malloc() for each record would take as long as
 * writing the record.
 */
#ifndef GPMU_RECORD_ARENA_H
#define GPMU_RECORD_ARENA_H

#include <stddef.h>

#include "record/queue/record.h"

struct record_chunk;

/* All zero: an empty arena */
struct record_arena {
	struct record_chunk *current;	/* takes the next record */
	struct record_chunk *spare;	/* empty */
	size_t spare_count;
};

/* All of its records have been freed. */
void record_arena_release(struct record_arena *arena);
/* Returns a copy of @record, NULL without memory */
struct record *record_arena_copy(struct record_arena *arena, const struct record *record);
void record_arena_free(struct record_arena *arena, struct record *record);

#endif /* GPMU_RECORD_ARENA_H */
