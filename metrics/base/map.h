/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash map from 64-bit keys to numbers or objects. */
#ifndef GPMU_MAP_H
#define GPMU_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number, or an object that the map's owner frees */
union map_cell {
	uint64_t number;
	void *pointer;
};

struct map_slot {
	uint64_t key;
	union map_cell cell;
	bool is_used;
};

/* Zeroed: empty */
struct map {
	struct map_slot *slots;
	size_t n, room;		/* room: a power of 2, or 0 */
};

/* Value of a key, valid until the map changes; NULL if there is none */
union map_cell *map_find(const struct map *map, uint64_t key);
/* Object of a key; NULL if there is none */
void *map_object(const struct map *map, uint64_t key);
/* Finds or adds a key; a new value is zero. Returns NULL if out of memory. @is_added may be NULL. */
union map_cell *map_add(struct map *map, uint64_t key, bool *is_added);
/* Removes a key and returns its value; false if there is none. */
bool map_take(struct map *map, uint64_t key, union map_cell *cell);
/* Adds a key, or changes its value. Returns 0 or -ENOMEM. */
int map_set(struct map *map, uint64_t key, uint32_t value);
/* Returns whether the map has the key, whose value is then set. */
bool map_get(const struct map *map, uint64_t key, uint32_t *value);
/* Removes all keys and keeps the memory for more. */
void map_clear(struct map *map);
void map_release(struct map *map);
/* Frees the objects by @free_object, then the map. */
void map_release_objects(struct map *map, void (*free_object)(void *object));

#endif /* GPMU_MAP_H */
