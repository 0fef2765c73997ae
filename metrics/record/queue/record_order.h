/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of records: by begin; of equal begins the longer, enclosing record is first, then the one that came first. */
#ifndef GPMU_RECORD_ORDER_H
#define GPMU_RECORD_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/queue/record.h"

struct record_entry {
	uint64_t begin, end;
	struct record *record;
};

static inline bool record_entry_is_before(const struct record_entry *a, const struct record_entry *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
}

/* Sorts entries, which are in the order of their coming. @spare: room for as many */
void record_order(struct record_entry *entries, struct record_entry *spare, size_t length);

#endif /* GPMU_RECORD_ORDER_H */
