/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of time, and what two rows of them have in common. */
#ifndef GPMU_SPANS_H
#define GPMU_SPANS_H

#include <stdint.h>

#include "base/array.h"

struct span {
	uint64_t begin, end;
	uint64_t before;	/* of a union: how much of it is before @begin */
};

/* Zeroed: none */
struct spans {
	struct array all;	/* struct span */
};

/* 0 or -ENOMEM; one that is empty is left out */
int spans_add(struct spans *spans, uint64_t begin, uint64_t end);
/* Makes them a union: in order, apart from each other */
void spans_unite(struct spans *spans);
void spans_release(struct spans *spans);

/* Of unions: how long it is, how much of it is from @begin to @end, what two have in common */
uint64_t spans_total(const struct spans *spans);
uint64_t spans_within(const struct spans *spans, uint64_t begin, uint64_t end);
uint64_t spans_common(const struct spans *a, const struct spans *b);

/* Of any: for how long there are two or more at a time. 0 or -ENOMEM */
int spans_several(const struct spans *spans, uint64_t *time);

#endif /* GPMU_SPANS_H */
