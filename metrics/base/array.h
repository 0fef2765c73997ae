/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GPMU_ARRAY_H
#define GPMU_ARRAY_H

/* Number of elements of an array, not of a pointer */
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The order of two numbers, as qsort(3) expects it */
#define COMPARE(a, b)		(((a) > (b)) - ((a) < (b)))

#endif /* GPMU_ARRAY_H */
