/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The form of a noun, or of a noun and its verb, after a number */
#ifndef GPMU_PLURAL_H
#define GPMU_PLURAL_H

#include <stdint.h>

static inline const char *gpmu_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif /* GPMU_PLURAL_H */
