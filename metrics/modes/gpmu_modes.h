/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modes in which CUPTI profiles a GPU. Several modes of one run can disturb each other while all calls of CUPTI
 * succeed, so a command refuses the combination before it starts the program.
 */
#ifndef GPMU_MODES_H
#define GPMU_MODES_H

#include <stddef.h>
#include <stdint.h>

enum gpmu_mode {
	GPMU_MODE_RECORDS,		/* records of kernels that may overlap: kind CONCURRENT_KERNEL */
	GPMU_MODE_SERIAL_RECORDS,	/* records of kernels that are serialised: kind KERNEL */
	GPMU_MODE_RANGE_KERNEL,		/* Range Profiler, a range for each kernel */
	GPMU_MODE_RANGE_USER,		/* Range Profiler, ranges of the program */
	GPMU_MODE_PM,			/* PM sampling, in any process that uses the GPU */
	GPMU_MODE_PC,			/* PC sampling */
	GPMU_MODE_PC_SERIAL,		/* PC sampling that serialises kernels */
	GPMU_MODE_SASS,			/* SASS metrics */
	GPMU_MODE_CHECKPOINT,		/* checkpoints of the GPU's memory */
	GPMU_MODES
};

struct gpmu_exclusion {
	enum gpmu_mode first, second;
	const char *why;	/* a clause: "the GPU has one profiler" */
	const char *remedy;	/* a clause: "run the command once for each" */
};

/* Returns the name of a mode in messages: "PM sampling" */
const char *gpmu_mode_name(enum gpmu_mode mode);
/* Returns the first pair of @modes, bits 1 << enum gpmu_mode, that exclude each other. NULL: all can be combined. */
const struct gpmu_exclusion *gpmu_modes_exclusion(uint32_t modes);
/*
 * Writes why these modes exclude each other, as a sentence without a full stop. Returns 0; 1 if they do and @text has
 * the sentence, which is cut to @size bytes.
 */
int gpmu_modes_refuse(uint32_t modes, char *text, size_t size);

#endif /* GPMU_MODES_H */
