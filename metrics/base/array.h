/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of elements of one size that grows. */
#ifndef GPMU_ARRAY_H
#define GPMU_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed: empty */
struct array {
	void *data;
	size_t n, room;
};

/* A new element behind the last, zeroed; NULL: no memory, and the array is as it was */
static inline void *array_add(struct array *array, size_t size)
{
	uint8_t *added;

	if (array->n == array->room) {
		size_t room = array->room ? array->room * 2 : 16;
		void *data = reallocarray(array->data, room, size);

		if (!data)
			return NULL;
		array->data = data;
		array->room = room;
	}
	added = (uint8_t *)array->data + array->n++ * size;
	return memset(added, 0, size);
}

static inline void array_release(struct array *array)
{
	free(array->data);
	*array = (struct array){ 0 };
}

#endif /* GPMU_ARRAY_H */
