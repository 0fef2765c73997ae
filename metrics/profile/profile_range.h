/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranges of addresses with the same map or function: a lookup reduces the range around an address. */
#ifndef GPMU_PROFILE_RANGE_H
#define GPMU_PROFILE_RANGE_H

#include <stddef.h>
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

/* Returns the first member of an element, a uint64_t. */
static inline uint64_t profile_begin_of(const void *elements, size_t index, size_t size)
{
	return *(const uint64_t *)(const void *)((const char *)elements + index * size);
}

/* Returns the number of elements whose first member, a uint64_t by which they are sorted, is at most @limit. */
static inline size_t profile_count_until(uint64_t limit, const void *elements, size_t count, size_t size)
{
	size_t from = 0, to = count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (profile_begin_of(elements, middle, size) <= limit)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Likewise, of elements that begin at or before @address. Ends @range where that number changes. */
static inline size_t profile_range_find(struct profile_range *range, uint64_t address, const void *elements,
					size_t count, size_t size)
{
	size_t from = profile_count_until(address, elements, count, size);

	if (from < count)
		profile_range_limit(range, address, profile_begin_of(elements, from, size));
	if (from)
		profile_range_limit(range, address, profile_begin_of(elements, from - 1, size));
	return from;
}

#endif /* GPMU_PROFILE_RANGE_H */
