// SPDX-License-Identifier: LGPL-2.1-or-later
/* Numbers by number: as many as there are, whatever they are. */
#include "base/map.h"
#include "tap.h"

#define MANY	10000

int main(void)
{
	struct map map = { 0 };
	uint32_t value = 7;
	bool all = true;

	ok(!map_get(&map, 0, &value) && value == 7, "an empty map has nothing, and says so");
	for (uint32_t i = 0; i < MANY; i++)
		all = all && !map_set(&map, (uint64_t)i << 32, i);
	ok(all && map.n == MANY, "keys that differ in their upper half are different");
	for (uint32_t i = 0; i < MANY; i++)
		all = all && map_get(&map, (uint64_t)i << 32, &value) && value == i;
	ok(all, "each has its value");
	ok(!map_get(&map, 1, &value) && !map_get(&map, UINT64_MAX, &value), "others have none");
	ok(!map_set(&map, 0, 42) && map_get(&map, 0, &value) && value == 42 && map.n == MANY,
	   "a key that is there gets the new value");
	map_release(&map);
	ok(!map.slots && !map.n && !map_get(&map, 0, &value), "released, it is empty");
	return done_testing();
}
