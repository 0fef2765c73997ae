/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps a process's ids to objects */
#ifndef GPMU_RECORD_TABLE_H
#define GPMU_RECORD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number, or an object that the table's owner frees */
union record_cell {
	uint64_t number;
	void *of;
};

struct record_slot {
	uint64_t key;
	union record_cell cell;
	bool used;
};

struct record_table {
	struct record_slot *slots;
	size_t length, room;	/* room: a power of 2, or 0 */
};

/* Value of a key, valid until the table changes; NULL if there is none */
union record_cell *record_table_find(const struct record_table *table, uint64_t key);
/* Finds or adds a key; a new value is zero. NULL if out of memory */
union record_cell *record_table_add(struct record_table *table, uint64_t key, bool *added);
/* Removes a key and returns its value; false if there is none. */
bool record_table_take(struct record_table *table, uint64_t key, union record_cell *cell);
void record_table_release(struct record_table *table);

#endif /* GPMU_RECORD_TABLE_H */
