/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of the CoreSight PMU architecture (Arm IHI 0091), in its layout of
 * 32-bit registers. In a dual-page PMU the counters and their overflow status
 * are in page 1 and all other registers in page 0. Otherwise all are in page 0.
 */
#ifndef GRACE_CSPMU_REGS_H
#define GRACE_CSPMU_REGS_H

#include <linux/bits.h>

#define GRACE_PAGE_SIZE		0x1000

/* Page 1 */
#define PMEVCNTR		0x000
#define PMOVSCLR		0xc80

/* Page 0 */
#define PMEVTYPER		0x400
#define PMCCFILTR		0x47c
#define PMEVFILTR		0xa00
#define PMCNTENSET		0xc00
#define PMCNTEN			0xc10	/* only in the 64-bit layout */
#define PMCNTENCLR		0xc20
#define PMINTENSET		0xc40
#define PMINTENCLR		0xc60
#define PMCFGR			0xe00
#define PMCR			0xe04
#define PMIIDR			0xe08
#define PMDEVARCH		0xfbc
#define PMPIDR4			0xfd0
#define PMPIDR0			0xfe0
#define PMPIDR1			0xfe4
#define PMPIDR2			0xfe8
#define PMPIDR3			0xfec

#define PMCFGR_CC		BIT(14)
#define PMCFGR_SIZE		GENMASK(13, 8)
#define PMCFGR_N		GENMASK(7, 0)

#define PMCR_E			BIT(0)
#define PMCR_P			BIT(1)
#define PMCR_C			BIT(2)

#define PMIIDR_PRODUCT_1	GENMASK(31, 28)
#define PMIIDR_PRODUCT_0	GENMASK(27, 20)
#define PMIIDR_VARIANT		GENMASK(19, 16)
#define PMIIDR_REVISION		GENMASK(15, 12)
#define PMIIDR_DES_2		GENMASK(11, 8)
#define PMIIDR_DES_1		GENMASK(6, 4)
#define PMIIDR_DES_0		GENMASK(3, 0)
#define PMIIDR_IMPLEMENTER	GENMASK(11, 0)
#define PMIIDR_PART		GENMASK(31, 12)

#define PMPIDR0_PART_0		GENMASK(7, 0)
#define PMPIDR1_DES_0		GENMASK(7, 4)
#define PMPIDR1_PART_1		GENMASK(3, 0)
#define PMPIDR2_REVISION	GENMASK(7, 4)
#define PMPIDR2_DES_1		GENMASK(2, 0)
#define PMPIDR3_REVAND		GENMASK(7, 4)
#define PMPIDR4_DES_2		GENMASK(3, 0)

#define PMDEVARCH_PRESENT	BIT(20)
#define PMDEVARCH_ARCHPART	GENMASK(11, 0)

/* ARCHPART values of the 64-bit layout, FEAT_CSPMU_EXT64 */
#define PMDEVARCH_EXT64_A	0xaf4
#define PMDEVARCH_EXT64_B	0xaf5

/*
 * Counters with an index below 32 share one register of each SET and CLR pair. The
 * index of the cycle counter is fixed, and event counters have the indexes before it.
 */
#define GRACE_CYCLE_IDX		31
#define GRACE_INDEXES		32

#endif /* GRACE_CSPMU_REGS_H */
