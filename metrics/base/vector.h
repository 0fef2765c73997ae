/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow. */
#ifndef GPMU_VECTOR_H
#define GPMU_VECTOR_H

#include <stddef.h>

/* Zeroed: empty */
struct vector {
	void *data;
	size_t n, room;
};

/* Appends a zeroed element. Returns NULL if out of memory; the vector is then unchanged. */
void *vector_add(struct vector *vector, size_t size);
void vector_release(struct vector *vector);

/*
 * Returns @array, which may be NULL, with room for one more than @length elements, and
 * NULL if out of memory; the array is then unchanged. For arrays that grow by this alone:
 * their room follows from their length. Elements after @length are lost.
 */
void *vector_room(void *array, size_t length, size_t size);

#endif /* GPMU_VECTOR_H */
