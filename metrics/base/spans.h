/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of time spans, and the time that two of them have in common. */
#ifndef GPMU_SPANS_H
#define GPMU_SPANS_H

#include <stdint.h>

#include "base/vector.h"

struct span {
	uint64_t begin, end;
	uint64_t before;	/* in a union: length of all spans before @begin */
};

/* Zeroed: empty */
struct spans {
	VECTOR(struct span) all;
};

/* Adds a span unless it is empty. Returns 0 or -ENOMEM. */
int spans_add(struct spans *spans, uint64_t begin, uint64_t end);
/* Converts the spans to a union: sorted and disjoint. */
void spans_unite(struct spans *spans);
void spans_release(struct spans *spans);

/* For unions: total length, length from @begin to @end, length in common */
uint64_t spans_total(const struct spans *spans);
uint64_t spans_within(const struct spans *spans, uint64_t begin, uint64_t end);
uint64_t spans_common(const struct spans *a, const struct spans *b);

/* Time in which two or more spans overlap; for any spans. Returns 0 or -ENOMEM. */
int spans_several(const struct spans *spans, uint64_t *time);

#endif /* GPMU_SPANS_H */
