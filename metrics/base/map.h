/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers by number: of 64 bits to 32. */
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

/* 0 or -ENOMEM; a key that is there gets the new value */
int map_set(struct map *map, uint64_t key, uint32_t value);
bool map_get(const struct map *map, uint64_t key, uint32_t *value);
void map_release(struct map *map);

#endif /* GPMU_MAP_H */
