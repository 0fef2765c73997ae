/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modes of a recording that exclude each other */
#ifndef GPMU_TOOLS_RECORD_EXCLUSIONS_H
#define GPMU_TOOLS_RECORD_EXCLUSIONS_H

enum record_mode {
	RECORD_PC_SAMPLING,
	RECORD_PM_SAMPLING,	/* counters of a GPU by CUPTI */
	RECORD_CAPTURE_RANGE,
	RECORD_DELAY,
	RECORD_NO_CUDA,
	RECORD_MODES
};

/* @modes: bits 1 << enum record_mode, those that are requested. Ends gpmu with a message if two of them exclude each other. */
void record_exclusions_check(unsigned int modes);

#endif /* GPMU_TOOLS_RECORD_EXCLUSIONS_H */
