/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPUs by MIDR_EL1, their main identification register */
#ifndef GPMU_MIDR_H
#define GPMU_MIDR_H

#include <stdbool.h>
#include <stdint.h>

#define NEOVERSE_V2	0x410fd4f0	/* without the revision, Arm Neoverse V2 TRM */

/* Returns whether a CPU is a Neoverse V2, Grace's, of any revision; the variant is 0. */
static inline bool gpmu_midr_is_neoverse_v2(uint64_t midr)
{
	return (midr & ~UINT64_C(0xf)) == NEOVERSE_V2;
}

#endif /* GPMU_MIDR_H */
