/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reasons for which a warp does not issue an instruction, as PC sampling names them */
#ifndef GPMU_STALL_H
#define GPMU_STALL_H

#include <stddef.h>
#include <stdint.h>

/* CUPTI's name of a reason is STALL_PREFIX, the reason, and STALL_NOT_ISSUED for samples without an issued instruction. */
#define STALL_PREFIX		"smsp__pcsamp_warps_issue_stalled_"
#define STALL_NOT_ISSUED	"_not_issued"
#define STALL_NONE		UINT32_MAX

struct stall {
	const char *name, *description;
};

/* The reasons of an H200, by name. At most 32 */
extern const struct stall stalls[];
extern const size_t stall_count;

/* The index of a reason in stalls[], or STALL_NONE */
uint32_t stall_find(const char *name, size_t length);

#endif /* GPMU_STALL_H */
