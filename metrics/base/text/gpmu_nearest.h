/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the most similar of many names, for "did you mean". */
#ifndef GPMU_NEAREST_API_H
#define GPMU_NEAREST_API_H

#include <stddef.h>

struct nearest {
	const char *wanted;
	const char *name;	/* best name so far; NULL: none is near */
	size_t distance;	/* a name must be nearer than this */
};

void gpmu_nearest_init(struct nearest *nearest, const char *wanted);
/*
 * Compares another name, which must outlive @nearest or be NULL. At equal distance the
 * first name stays.
 */
void gpmu_nearest_try(struct nearest *nearest, const char *name);

#endif /* GPMU_NEAREST_API_H */
