/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory that the program has allocated, by callbacks of the driver's functions: a checkpoint has all of it,
 * and CUPTI crashes if it restores memory that has been freed since. All functions need the collector's lock.
 */
#ifndef GPMU_INJECT_RANGES_MEMORY_H
#define GPMU_INJECT_RANGES_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

struct inject;

struct memory {
	struct map sizes;	/* of what is allocated, by address or handle */
	struct map recent;	/* addresses and handles of what has been allocated since memory_begin() */
	uint64_t bytes;		/* that are allocated */
	uint64_t host;		/* those of them that are, or may be, in memory of the host */
	unsigned int calls;	/* that have begun and not returned */
	bool has_freed;		/* memory that existed at memory_begin(), or may have existed then */
};

/* Enables the callbacks. */
void memory_enable(struct inject *self);
/* Returns whether a call of the driver allocates or frees memory. */
bool memory_has_call(uint32_t cbid);
/* Forgets what has been freed. A pending call of another thread counts as one that frees. */
void memory_begin(struct memory *memory);
/* A call of the driver, @cbid, with these parameters begins, or returns @result (NULL: it begins). */
void memory_call(struct memory *memory, uint32_t cbid, const void *parameters, const int *result);

#endif /* GPMU_INJECT_RANGES_MEMORY_H */
