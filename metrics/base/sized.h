/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies structures that begin with their size, also those of another release of libgpmu. */
#ifndef GPMU_SIZED_H
#define GPMU_SIZED_H

#include <stddef.h>
#include <string.h>

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

#endif /* GPMU_SIZED_H */
