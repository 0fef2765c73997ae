// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/profile_count.h"

static uint64_t hash_of(const struct profile_row *row)
{
	static const uint64_t factors[] = { 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb };
	uint64_t hash = (uint64_t)row->event << 32, pairs[GPMU_PROFILE_KEYS_MAX / 2];

	memcpy(pairs, row->keys, sizeof(pairs));
	/* The products do not wait for each other. Their high bits depend on all bits of the keys. */
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		hash += pairs[i] * factors[i];
	return hash >> 32;
}

static bool is_same(const struct profile_row *a, const struct profile_row *b)
{
	return a->event == b->event && !memcmp(a->keys, b->keys, sizeof(a->keys));
}

/* The slot of the row, or the free slot for it; at least one slot is free. */
static uint32_t *slot_of(const struct profile_rows *rows, const struct profile_row *row)
{
	size_t index = hash_of(row) & (rows->room - 1);

	while (rows->slots[index] && !is_same(&rows->list[rows->slots[index] - 1], row))
		index = (index + 1) & (rows->room - 1);
	return &rows->slots[index];
}

/* Half of the slots stay free. */
static int grow(struct profile_rows *rows)
{
	size_t room = rows->room ? rows->room * 2 : 1024;
	uint32_t *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(rows->slots);
	rows->slots = slots;
	rows->room = room;
	for (size_t i = 0; i < rows->n; i++)
		*slot_of(rows, &rows->list[i]) = (uint32_t)i + 1;
	return 0;
}

int profile_rows_add(struct profile_rows *rows, const struct profile_row *row)
{
	struct profile_row *to;
	uint32_t *slot;

	if (rows->n * 2 >= rows->room && grow(rows))
		return -ENOMEM;
	slot = slot_of(rows, row);
	if (!*slot) {
		if (vector_push(rows, row))
			return -ENOMEM;
		*slot = (uint32_t)rows->n;
		return 0;
	}
	to = &rows->list[*slot - 1];
	to->samples += row->samples;
	to->period += row->period;
	to->latency += row->latency;
	to->latency_samples += row->latency_samples;
	if (row->latency_max > to->latency_max)
		to->latency_max = row->latency_max;
	return 0;
}

void profile_rows_release(struct profile_rows *rows)
{
	free(rows->list);
	free(rows->slots);
	*rows = (struct profile_rows){ 0 };
}
