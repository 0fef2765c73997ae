/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of the table of bytes of the host's memory that no copy moved: report_direct.c has those that kernels access
 * over the link, report_unified.c those of unified memory, report_memory.c the nodes of pinned memory.
 */
#ifndef GPMU_REPORT_MEMORY_H
#define GPMU_REPORT_MEMORY_H

#include "report/report.h"

struct report_memory_row {
	uint32_t file, process, kernel;	/* strings, or TIMELINE_NONE */
	const char *what, *memory, *advice;
	uint64_t buffers, size;		/* number of allocations, and their bytes */
	uint64_t faults;
	double in, out, bytes;		/* in and out of the GPU */
	double confidence;		/* NaN: not an estimate */
	bool is_split;			/* in and out are known */
	bool is_unified;
};

struct report_memory {
	VECTOR(struct report_memory_row) rows;
	struct map numbers;		/* index of a row by the string that identifies it */
	uint32_t *labels;		/* string of each memory of the host: "managed, cudaMallocManaged" */
};

/* Finds or adds a row, whose other members are 0 if it is new. Returns NULL if the report has failed. */
__attribute__((format(printf, 3, 4)))
struct report_memory_row *report_memory_row(struct gpmu_report *report, struct report_memory *memory,
					    const char *fmt, ...);

void report_direct(struct gpmu_report *report, struct report_memory *memory);
void report_unified(struct gpmu_report *report, struct report_memory *memory);

#endif /* GPMU_REPORT_MEMORY_H */
