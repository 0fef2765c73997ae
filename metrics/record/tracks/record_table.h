/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ids of a process stand for */
#ifndef GPMU_RECORD_TABLE_H
#define GPMU_RECORD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number, or what belongs to who has the table */
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

/* Its value, until the table changes; NULL: there is none */
union record_cell *record_table_find(const struct record_table *table, uint64_t key);
/* Likewise; one that is added is 0 and NULL. NULL: no memory */
union record_cell *record_table_add(struct record_table *table, uint64_t key, bool *added);
/* Removes it; false: there is none */
bool record_table_take(struct record_table *table, uint64_t key, union record_cell *cell);
void record_table_release(struct record_table *table);

#endif /* GPMU_RECORD_TABLE_H */
