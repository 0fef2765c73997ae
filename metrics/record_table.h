/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers by number: ids of a process, and what they stand for */
#ifndef GPMU_RECORD_TABLE_H
#define GPMU_RECORD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_slot {
	uint64_t key, value;
	bool used;
};

struct record_table {
	struct record_slot *slots;
	size_t length, room;	/* room: a power of 2, or 0 */
};

/* Its value, until the table changes; NULL: there is none */
uint64_t *record_table_find(const struct record_table *table, uint64_t key);
/* Likewise; one that is added is 0. NULL: no memory */
uint64_t *record_table_add(struct record_table *table, uint64_t key, bool *added);
/* Removes it; false: there is none */
bool record_table_take(struct record_table *table, uint64_t key, uint64_t *value);
void record_table_release(struct record_table *table);

#endif /* GPMU_RECORD_TABLE_H */
