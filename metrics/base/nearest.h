/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "did you mean": of many names the one that a misspelt one is likely to be. */
#ifndef GPMU_NEAREST_H
#define GPMU_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *wanted;
	const char *name;	/* the best so far, or NULL: none is near */
	size_t distance;	/* less than this would be better */
};

void nearest_init(struct nearest *nearest, const char *wanted);
/* Of names at the same distance the first stays. @name must outlive @nearest; or it is NULL. */
void nearest_try(struct nearest *nearest, const char *name);

#endif /* GPMU_NEAREST_H */
