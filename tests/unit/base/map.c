// SPDX-License-Identifier: LGPL-2.1-or-later
/* A map from numbers to numbers or objects: any number of entries and any keys */
#include <stdlib.h>

#include "base/map.h"
#include "tap.h"

#define MANY	10000
#define KEYS	2000u

static bool add(struct map *map, uint64_t key, uint64_t value)
{
	union map_cell *cell;
	bool is_new;

	cell = map_add(map, key, &is_new);
	if (cell)
		cell->number = value;
	return cell && is_new;
}

/* Compares the map with a plain array, in a reproducible random order. */
static void many(void)
{
	struct map map = { 0 };
	uint64_t values[KEYS] = { 0 };
	union map_cell value;
	unsigned int wrong = 0;

	srandom(1);
	for (int i = 0; i < 40000; i++) {
		uint64_t key = (uint64_t)random() % KEYS;
		const union map_cell *found = map_find(&map, key << 32);

		wrong += (found ? found->number : 0) != values[key];
		if (random() % 2) {
			add(&map, key << 32, (uint64_t)i + 1);
			values[key] = (uint64_t)i + 1;
		} else {
			wrong += map_take(&map, key << 32, &value) != (values[key] != 0);
			values[key] = 0;
		}
	}
	ok(!wrong, "map: 40,000 times a key is found if it was added and not yet taken");
	map_release(&map);
}

static void cells(void)
{
	struct map map = { 0 };
	union map_cell value = { 0 };

	ok(!map_find(&map, 0) && !map_take(&map, 0, &value),
	   "map: map_find() and map_take() find nothing in an empty map");
	ok(add(&map, 0, 5) && add(&map, UINT64_MAX, 6) && !add(&map, 0, 7),
	   "map: 0 and the largest number are keys, and a second add is no new key");
	ok(map_find(&map, 0)->number == 7 && map_find(&map, UINT64_MAX)->number == 6,
	   "map: each key has its latest value");
	ok(map_take(&map, 0, &value) && value.number == 7 && !map_find(&map, 0),
	   "map: a key that was taken is not found");
	map_release(&map);
	many();
}

int main(void)
{
	struct map map = { 0 };
	uint32_t value = 7;
	bool is_right = true;

	ok(!map_get(&map, 0, &value) && value == 7,
	   "map: map_get() finds nothing in an empty map and leaves the value alone");
	for (uint32_t i = 0; i < MANY; i++)
		is_right = is_right && !map_set(&map, (uint64_t)i << 32, i);
	ok(is_right && map.n == MANY, "map: keys that differ only in their upper half are different");
	for (uint32_t i = 0; i < MANY; i++)
		is_right = is_right && map_get(&map, (uint64_t)i << 32, &value) && value == i;
	ok(is_right, "map: each key has its own value");
	ok(!map_get(&map, 1, &value) && !map_get(&map, UINT64_MAX, &value),
	   "map: keys that were not set are not found");
	ok(!map_set(&map, 0, 42) && map_get(&map, 0, &value) && value == 42 && map.n == MANY,
	   "map: setting an existing key replaces its value");
	map_clear(&map);
	ok(!map.n && !map_get(&map, 1ULL << 32, &value), "map: a cleared map has no keys");
	ok(!map_set(&map, 1, 7) && map_get(&map, 1, &value) && value == 7 && map.n == 1,
	   "map: keys can be added after it was cleared");
	map_release(&map);
	ok(!map.slots && !map.n && !map_get(&map, 0, &value), "map: a released map is empty");
	cells();
	return done_testing();
}
