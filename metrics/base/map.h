/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash map from 64-bit keys to 32-bit values. */
#ifndef GPMU_MAP_H
#define GPMU_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

/* Zeroed: empty */
struct map {
	struct map_slot *slots;
	size_t n, room;		/* room: a power of 2, or 0 */
};

/* Adds a key, or changes its value. Returns 0 or -ENOMEM. */
int map_set(struct map *map, uint64_t key, uint32_t value);
/* Returns whether the map has the key, whose value is then set. */
bool map_get(const struct map *map, uint64_t key, uint32_t *value);
/* Removes all keys and keeps the memory for more. */
void map_clear(struct map *map);
void map_release(struct map *map);

#endif /* GPMU_MAP_H */
