/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies structures that begin with their size, also those of another release of libgpmu. */
#ifndef GPMU_SIZED_H
#define GPMU_SIZED_H

#include <stddef.h>
#include <string.h>

struct gpmu_error;

/*
 * Copies the structure @from, whose first member is its size, to @to, which has @size bytes.
 * Members that @from lacks keep their values in @to. Members of @from beyond @size are ignored.
 */
static inline void sized_copy(void *to, size_t size, const void *from)
{
	size_t given;

	memcpy(&given, from, sizeof(given));
	memcpy(to, from, given < size ? given : size);
}

/*
 * sized_copy() for the options of a program. @from: NULL leaves *@to as it is. Returns 0; -EINVAL
 * if they have no size, and -E2BIG if they set a member that this release lacks, with @error set
 */
int sized_options(void *to, size_t size, const void *from, struct gpmu_error *error);

#endif /* GPMU_SIZED_H */
