/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The form of a noun, or of a noun and its verb, after a number */
#ifndef GPMU_PLURAL_H
#define GPMU_PLURAL_H

#include <stdint.h>

static inline const char *gpmu_plural(uint64_t n, const char *singular, const char *plural)
{
	return n == 1 ? singular : plural;
}

#endif /* GPMU_PLURAL_H */
