/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GPMU_ARRAY_H
#define GPMU_ARRAY_H

#include <stdint.h>

/* Number of elements of an array, not of a pointer */
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The order of two numbers, as qsort(3) expects it */
#define COMPARE(a, b)		(((a) > (b)) - ((a) < (b)))

/* The order of elements by their first member, a uint64_t, for qsort(3) */
static inline int compare_first(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return COMPARE(*left, *right);
}

#endif /* GPMU_ARRAY_H */
