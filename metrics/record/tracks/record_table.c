// SPDX-License-Identifier: LGPL-2.1-or-later
/* A hash table of cells by number: open addressing, at most half full. */
#include <errno.h>
#include <stdlib.h>

#include "record/tracks/record_table.h"

#define ROOM_FIRST	64

static size_t slot_of(const struct record_table *table, uint64_t key)
{
	uint64_t hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15ULL;
	size_t at = (size_t)(hash >> 20) & (table->room - 1);

	while (table->slots[at].used && table->slots[at].key != key)
		at = (at + 1) & (table->room - 1);
	return at;
}

static int grow(struct record_table *table)
{
	struct record_table larger = { .room = table->room ? table->room * 2 : ROOM_FIRST };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->room; i++)
		if (table->slots[i].used)
			larger.slots[slot_of(&larger, table->slots[i].key)] = table->slots[i];
	larger.length = table->length;
	free(table->slots);
	*table = larger;
	return 0;
}

union record_cell *record_table_find(const struct record_table *table, uint64_t key)
{
	size_t at;

	if (!table->length)
		return NULL;
	at = slot_of(table, key);
	return table->slots[at].used ? &table->slots[at].cell : NULL;
}

union record_cell *record_table_add(struct record_table *table, uint64_t key, bool *added)
{
	size_t at;

	*added = false;
	if (table->length * 2 >= table->room && grow(table))
		return NULL;
	at = slot_of(table, key);
	if (!table->slots[at].used) {
		table->slots[at] = (struct record_slot){ .key = key, .used = true };
		table->length++;
		*added = true;
	}
	return &table->slots[at].cell;
}

/* Reinserts the entries after the freed slot, so that lookups find them. */
bool record_table_take(struct record_table *table, uint64_t key, union record_cell *cell)
{
	size_t at;

	if (!table->length)
		return false;
	at = slot_of(table, key);
	if (!table->slots[at].used)
		return false;
	*cell = table->slots[at].cell;
	table->slots[at].used = false;
	table->length--;
	for (at = (at + 1) & (table->room - 1); table->slots[at].used;
	     at = (at + 1) & (table->room - 1)) {
		struct record_slot moved = table->slots[at];

		table->slots[at].used = false;
		table->slots[slot_of(table, moved.key)] = moved;
	}
	return true;
}

void record_table_release(struct record_table *table)
{
	free(table->slots);
	*table = (struct record_table){ 0 };
}
