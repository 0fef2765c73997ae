// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"

void *vector_element_size(void *list, size_t *length, struct map *numbers, uint64_t key, size_t size)
{
	bool is_new;
	union map_cell *cell = map_add(numbers, key, &is_new), removed;
	uint8_t *data;

	if (!cell)
		return NULL;
	if (is_new) {
		cell->number = *length;
		if (!vector_append_size(list, length, size)) {
			map_take(numbers, key, &removed);
			return NULL;
		}
	}
	memcpy(&data, list, sizeof(data));
	return data + cell->number * size;
}
