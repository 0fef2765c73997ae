/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow. An element that is appended is zeroed. */
#ifndef GPMU_VECTOR_H
#define GPMU_VECTOR_H

#include <stddef.h>

/* Zeroed: empty */
struct vector {
	void *data;
	size_t n, room;
};

/* Appends an element. Returns NULL if out of memory; the vector is then unchanged. */
void *vector_add(struct vector *vector, size_t size);
void vector_release(struct vector *vector);

/*
 * Appends an element to @list, a pointer to @length elements or NULL, and returns its address; NULL if out of memory. The array
 * grows by this alone, because its room follows from its length. Elements after @length are lost.
 */
#define vector_append(list, length)	((__typeof__(list))vector_append_size(&(list), &(length), sizeof(*(list))))
/* Appends a copy of a value. Returns 0; or -ENOMEM, and then the list is unchanged. */
#define vector_append_value(list, length, ...) \
	vector_push_size(&(list), &(length), (__typeof__(*(list))[1]){ __VA_ARGS__ }, sizeof(*(list)))
/* vector_append() and vector_append_value() of a list of any type. @list: the address of the pointer */
void *vector_append_size(void *list, size_t *length, size_t size);
int vector_push_size(void *list, size_t *length, const void *element, size_t size);

#endif /* GPMU_VECTOR_H */
