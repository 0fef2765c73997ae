/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unwinds the copies of stacks that perf record --call-graph dwarf makes, by elfutils. */
#ifndef GPMU_PROFILE_UNWIND_H
#define GPMU_PROFILE_UNWIND_H

#include <gpmu/recorder.h>

#include "perfdata/gpmu_perfdata.h"
#include "profile/profile_code.h"

#define PROFILE_UNWIND_MAX	256	/* frames of a stack */
#define PROFILE_UNWIND_CHAIN	GPMU_RECORDER_CHAIN	/* addresses and marks of a chain */

/* @code is the caller's; the rest is zeroed at first. */
struct profile_unwind {
	struct profile_code *code;
	struct profile_unwind_process *processes;	/* the last ones; NULL: none so far */
	uint64_t time;					/* number of the stack, by which the oldest process is found */
};

/* Returns whether a sample has registers and a copy of the stack. */
bool profile_unwind_has(const struct gpmu_perfdata_record *record);
/*
 * Finds the addresses of a sample's call stack in the process, the innermost first; those after it are return addresses. The
 * stack ends where a file is not here or was changed. Frames without unwinding information are unwound by frame pointers. Sets the
 * number of addresses, which is 0 for machines other than x86-64 and aarch64. Returns 0 or -ENOMEM.
 */
int profile_unwind(struct profile_unwind *unwind, const struct gpmu_perfdata_record *record,
		   uint64_t addresses[PROFILE_UNWIND_MAX], size_t *count);
/*
 * Finds the whole call chain of such a sample, with PERF_CONTEXT_ marks: that of the kernel, which is in the sample, and the frames
 * of the copy. Returns 0 or -ENOMEM.
 */
int profile_unwind_chain(struct profile_unwind *unwind, const struct gpmu_perfdata_record *record,
			 uint64_t chain[PROFILE_UNWIND_CHAIN], size_t *count);
void profile_unwind_release(struct profile_unwind *unwind);

#endif /* GPMU_PROFILE_UNWIND_H */
