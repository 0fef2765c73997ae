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
	size_t index = mixed(key) & (map->room - 1);

	while (map->slots[index].is_used && map->slots[index].key != key)
		index = (index + 1) & (map->room - 1);
	return &map->slots[index];
}

/* Half of the slots stay free. */
static int grow(struct map *map)
{
	struct map larger = { .n = map->n, .room = map->room ? map->room * 2 : 16 };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].is_used)
			*slot_of(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

union map_cell *map_find(const struct map *map, uint64_t key)
{
	struct map_slot *slot = map->n ? slot_of(map, key) : NULL;

	return slot && slot->is_used ? &slot->cell : NULL;
}

void *map_object(const struct map *map, uint64_t key)
{
	const union map_cell *cell = map_find(map, key);

	return cell ? cell->pointer : NULL;
}

union map_cell *map_add(struct map *map, uint64_t key, bool *is_added)
{
	struct map_slot *slot;
	bool is_new;

	if (map->n * 2 >= map->room && grow(map))
		return NULL;
	slot = slot_of(map, key);
	is_new = !slot->is_used;
	if (is_new) {
		*slot = (struct map_slot){ .key = key, .is_used = true };
		map->n++;
	}
	if (is_added)
		*is_added = is_new;
	return &slot->cell;
}

/* Reinserts the entries after the freed slot, so that lookups find them. */
bool map_take(struct map *map, uint64_t key, union map_cell *cell)
{
	struct map_slot *slot = map->n ? slot_of(map, key) : NULL;

	if (!slot || !slot->is_used)
		return false;
	*cell = slot->cell;
	slot->is_used = false;
	map->n--;
	for (size_t index = (size_t)(slot - map->slots) + 1; map->slots[index & (map->room - 1)].is_used; index++) {
		struct map_slot moved = map->slots[index & (map->room - 1)];

		map->slots[index & (map->room - 1)].is_used = false;
		*slot_of(map, moved.key) = moved;
	}
	return true;
}

int map_set(struct map *map, uint64_t key, uint32_t value)
{
	union map_cell *cell = map_add(map, key, NULL);

	if (!cell)
		return -ENOMEM;
	cell->number = value;
	return 0;
}

bool map_get(const struct map *map, uint64_t key, uint32_t *value)
{
	const union map_cell *cell = map_find(map, key);

	if (!cell)
		return false;
	*value = (uint32_t)cell->number;
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

void map_release_objects(struct map *map, void (*free_object)(void *object))
{
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].is_used && map->slots[i].cell.pointer)
			free_object(map->slots[i].cell.pointer);
	map_release(map);
}
