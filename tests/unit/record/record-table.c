// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "record/tracks/record_table.h"
#include "tap.h"

#define KEYS	2000u

static bool add(struct record_table *table, uint64_t key, uint64_t value)
{
	union record_cell *of;
	bool added;

	of = record_table_add(table, key, &added);
	if (of)
		of->number = value;
	return of && added;
}

/* Compares the table with a plain array, in a reproducible random order. */
static void many(void)
{
	struct record_table table = { 0 };
	uint64_t values[KEYS] = { 0 };
	union record_cell value;
	unsigned int wrong = 0;

	srandom(1);
	for (int i = 0; i < 40000; i++) {
		uint64_t key = (uint64_t)random() % KEYS;
		const union record_cell *found = record_table_find(&table, key << 32);

		wrong += (found ? found->number : 0) != values[key];
		if (random() % 2) {
			add(&table, key << 32, (uint64_t)i + 1);
			values[key] = (uint64_t)i + 1;
		} else {
			wrong += record_table_take(&table, key << 32, &value) != (values[key] != 0);
			values[key] = 0;
		}
	}
	ok(!wrong, "record table: 40,000 times a key is found if it was added and not yet taken");
	record_table_release(&table);
}

int main(void)
{
	struct record_table table = { 0 };
	union record_cell value = { 0 };

	ok(!record_table_find(&table, 0) && !record_table_take(&table, 0, &value),
	   "record table: an empty table has no key");
	ok(add(&table, 0, 5) && add(&table, UINT64_MAX, 6) && !add(&table, 0, 7),
	   "record table: 0 and the largest number are keys, and a second add is no new key");
	ok(record_table_find(&table, 0)->number == 7 && record_table_find(&table, UINT64_MAX)->number == 6,
	   "record table: each key has its latest value");
	ok(record_table_take(&table, 0, &value) && value.number == 7 && !record_table_find(&table, 0),
	   "record table: a key that was taken is not found");
	record_table_release(&table);
	many();
	return done_testing();
}
