// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

/* From murmur3: each bit of the key changes half of the result's bits. */
static uint64_t mixed(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdULL;
	key ^= key >> 33;
	key *= 0xc4ceb9fe1a85ec53ULL;
	return key ^ key >> 33;
}

/* Finds the slot of the key, or the free slot for it; at least one slot must be free. */
static struct map_slot *slot_of(const struct map *map, uint64_t key)
{
	size_t at = mixed(key) & (map->room - 1);

	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

/* Half of the slots stay free. */
static int grow(struct map *map)
{
	struct map larger = { .n = map->n, .room = map->room ? map->room * 2 : 16 };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].used)
			*slot_of(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

int map_set(struct map *map, uint64_t key, uint32_t value)
{
	struct map_slot *slot;

	if (map->n * 2 >= map->room && grow(map))
		return -ENOMEM;
	slot = slot_of(map, key);
	map->n += !slot->used;
	*slot = (struct map_slot){ .key = key, .value = value, .used = true };
	return 0;
}

bool map_get(const struct map *map, uint64_t key, uint32_t *value)
{
	const struct map_slot *slot = map->room ? slot_of(map, key) : NULL;

	if (!slot || !slot->used)
		return false;
	*value = slot->value;
	return true;
}

void map_clear(struct map *map)
{
	if (map->room)
		memset(map->slots, 0, map->room * sizeof(*map->slots));
	map->n = 0;
}

void map_release(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}
