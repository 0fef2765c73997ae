/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reasons for which a warp does not issue an instruction, as PC sampling names them */
#ifndef GPMU_STALL_H
#define GPMU_STALL_H

#include <stddef.h>
#include <stdint.h>

/*
 * CUPTI's name of a reason is GPMU_STALL_PREFIX, the reason, and GPMU_STALL_NOT_ISSUED for samples without an issued
 * instruction.
 */
#define GPMU_STALL_PREFIX		"smsp__pcsamp_warps_issue_stalled_"
#define GPMU_STALL_NOT_ISSUED	"_not_issued"
#define GPMU_STALL_NONE		UINT32_MAX

struct gpmu_stall {
	const char *name, *description;
};

/* The reasons of an H200, by name. At most 32 */
extern const struct gpmu_stall gpmu_stalls[];
extern const size_t gpmu_stall_count;

/* The index of a reason in gpmu_stalls[], or GPMU_STALL_NONE */
uint32_t gpmu_stall_find(const char *name, size_t length);

#endif /* GPMU_STALL_H */
