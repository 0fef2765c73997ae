/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow. An element that is appended is zeroed. */
#ifndef GPMU_VECTOR_H
#define GPMU_VECTOR_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct map;

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

/* A list of @type; zeroed: empty. vector_append() and the macros below add elements. */
#define VECTOR(type)	struct { type *list; size_t n; }

/* Frees the elements. The vector is then empty. */
#define vector_free(vector)	(free((vector)->list), (vector)->list = NULL, (vector)->n = 0)

/* Appends a copy of the element at an address, which is the last argument. Returns 0 or -ENOMEM. */
#define vector_push(vector, ...) \
	vector_push_size(&(vector)->list, &(vector)->n, 1 ? (__VA_ARGS__) : (vector)->list, sizeof(*(vector)->list))
int vector_push_size(void *list, size_t *length, const void *element, size_t size);

/* Returns the element of a key, appended if it is new; NULL if out of memory. @numbers: index of each element by key */
#define vector_element(vector, numbers, key)	((__typeof__((vector)->list))\
	vector_element_size(&(vector)->list, &(vector)->n, numbers, key, sizeof(*(vector)->list)))
void *vector_element_size(void *list, size_t *length, struct map *numbers, uint64_t key, size_t size);

/* Sorts as qsort(3) does. The list may be NULL, which qsort(3) does not accept. */
#define vector_sort(vector, compare)	vector_sort_size((vector)->list, (vector)->n, sizeof(*(vector)->list), compare)
void vector_sort_size(void *list, size_t length, size_t size, int (*compare)(const void *a, const void *b));

#endif /* GPMU_VECTOR_H */
