/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranges of addresses with the same map or function: a lookup reduces the range around an address. */
#ifndef GPMU_PROFILE_RANGE_H
#define GPMU_PROFILE_RANGE_H

#include <stdint.h>

/* Addresses from @begin to before @end */
struct profile_range {
	uint64_t begin, end;
};

#define PROFILE_RANGE_ALL	((struct profile_range){ 0, UINT64_MAX })

/* Ends a range around @address at a border: the first address of something else, on either side. */
static inline void profile_range_limit(struct profile_range *range, uint64_t address, uint64_t border)
{
	if (border <= address && border > range->begin)
		range->begin = border;
	else if (border > address && border < range->end)
		range->end = border;
}

/* Ends it at the ends of a range around @other, the same address in a file or as of another boot */
static inline void profile_range_limit_to(struct profile_range *range, uint64_t address,
					  const struct profile_range *to, uint64_t other)
{
	profile_range_limit(range, address, to->begin - other + address);
	profile_range_limit(range, address, to->end - other + address);
}

#endif /* GPMU_PROFILE_RANGE_H */
