// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

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

void vector_sort_size(void *list, size_t length, size_t size, int (*compare)(const void *a, const void *b))
{
	if (length)
		qsort(list, length, size, compare);
}
