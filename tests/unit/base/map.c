// SPDX-License-Identifier: LGPL-2.1-or-later
/* A map from numbers to numbers: any number of entries and any keys */
#include "base/map.h"
#include "tap.h"

#define MANY	10000

int main(void)
{
	struct map map = { 0 };
	uint32_t value = 7;
	bool all = true;

	ok(!map_get(&map, 0, &value) && value == 7,
	   "map: map_get() finds nothing in an empty map and leaves the value alone");
	for (uint32_t i = 0; i < MANY; i++)
		all = all && !map_set(&map, (uint64_t)i << 32, i);
	ok(all && map.n == MANY, "map: keys that differ only in their upper half are different");
	for (uint32_t i = 0; i < MANY; i++)
		all = all && map_get(&map, (uint64_t)i << 32, &value) && value == i;
	ok(all, "map: each key has its own value");
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
	return done_testing();
}
