// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"

#define FIRST_ROOM	16

void *vector_add(struct vector *vector, size_t size)
{
	uint8_t *added;

	if (vector->n == vector->room) {
		size_t room = vector->room ? vector->room * 2 : FIRST_ROOM;
		void *data = reallocarray(vector->data, room, size);

		if (!data)
			return NULL;
		vector->data = data;
		vector->room = room;
	}
	added = (uint8_t *)vector->data + vector->n++ * size;
	return memset(added, 0, size);
}

void vector_release(struct vector *vector)
{
	free(vector->data);
	*vector = (struct vector){ 0 };
}

/* The room is a power of two, so the length alone tells whether it is used up. */
void *vector_append_size(void *list, size_t *length, size_t size)
{
	const size_t n = *length;
	uint8_t *data, *larger;

	memcpy(&data, list, sizeof(data));
	if (!(n & (n - 1))) {
		larger = reallocarray(data, n ? n * 2 : 1, size);
		if (!larger)
			return NULL;
		data = larger;
		memcpy(list, &data, sizeof(data));
	}
	++*length;
	return memset(data + n * size, 0, size);
}

int vector_push_size(void *list, size_t *length, const void *element, size_t size)
{
	void *added = vector_append_size(list, length, size);

	if (!added)
		return -ENOMEM;
	memcpy(added, element, size);
	return 0;
}

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

void vector_sort_size(void *list, size_t length, size_t size, int (*compare)(const void *a, const void *b))
{
	if (length)
		qsort(list, length, size, compare);
}
