/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts records that could not be read and were skipped, by type. */
#ifndef GPMU_PERFDATA_SKIPPED_H
#define GPMU_PERFDATA_SKIPPED_H

#include <stdint.h>

#include "perfdata/gpmu_perfdata.h"

/* A zeroed struct has no records. */
struct perfdata_skipped {
	struct {
		uint64_t count, first;	/* @first: offset of the first one */
	} types[GPMU_PERFDATA_TYPES + 1];	/* unknown types are in the last element */
	uint64_t first;			/* offset of the first of all types */
};

void perfdata_skipped_add(struct perfdata_skipped *skipped, uint32_t type, uint64_t offset);
/*
 * Returns "skipped malformed records: 3 of type 10 (MMAP2) from byte 256 on, ...", which the caller frees. NULL: none, or out of
 * memory
 */
char *perfdata_skipped_text(const struct perfdata_skipped *skipped);

#endif /* GPMU_PERFDATA_SKIPPED_H */
