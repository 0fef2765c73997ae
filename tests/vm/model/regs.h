/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registers of one CoreSight PMU (Arm IHI 0091, 32-bit programmers' model)
 * that count the flows of the traffic model.
 *
 * Nothing here reads a clock: the caller passes the time in the model's ns, which must
 * not decrease.
 */
#ifndef GPMU_TESTS_REGS_H
#define GPMU_TESTS_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "model.h"

#define REGS_COUNTERS	128	/* physical indices: as many as fit in a page */
#define REGS_CYCLES	31	/* that of the cycle counter */
#define REGS_WORDS	(REGS_COUNTERS / 32)

/* Offsets in a page. With two pages, counters and overflow status are on page 1. */
enum {
	PMEVCNTR = 0x000,	/* 8n or 4n, by width */
	PMEVTYPER = 0x400,
	PMCCFILTR = 0x47c,
	PMEVFILT2R = 0x800,
	PMEVFILTR = 0xa00,
	PMCNTENSET = 0xc00,
	PMCNTEN = 0xc10,	/* in the 64-bit layout; all else has the 32-bit one */
	PMCNTENCLR = 0xc20,
	PMINTENSET = 0xc40,
	PMINTENCLR = 0xc60,
	PMOVSCLR = 0xc80,
	PMOVSSET = 0xcc0,
	PMCFGR = 0xe00,
	PMCR = 0xe04,
	PMIIDR = 0xe08,
	PMDEVARCH = 0xfbc,
	PMPIDR4 = 0xfd0,
	PMPIDR0 = 0xfe0,
	PMCIDR0 = 0xff0,
};

enum {
	PMCR_E = 1 << 0,
	PMCR_P = 1 << 1,
	PMCR_C = 1 << 2,
};

#define PMCFGR_CC	(1u << 14)

/* Faults a test can inject. */
enum regs_fault {
	REGS_NO_FAULT,
	REGS_TEARING,	/* the next three high words differ from each other */
	REGS_UNSTABLE,	/* so does every high word */
	REGS_STORM,	/* the next twelve high words differ: a driver may fail a read */
	REGS_FAULTS,
};

struct regs {
	const struct board_pmu *pmu;
	const struct model *model;
	uint64_t time;			/* time of the last update of the counters */
	uint64_t value[REGS_COUNTERS];
	uint64_t last[REGS_COUNTERS];	/* the model's count at that time */
	uint32_t typer[REGS_COUNTERS];
	uint32_t filter[REGS_COUNTERS];	/* of the cycle counter: PMCCFILTR */
	uint32_t filter2[REGS_COUNTERS];
	uint32_t enabled[REGS_WORDS], interrupts[REGS_WORDS], overflow[REGS_WORDS];
	bool is_counting;		/* PMCR.E */
	enum regs_fault fault;
	uint32_t torn;			/* high words read since the fault */
	uint32_t reads[REGS_COUNTERS], writes[REGS_COUNTERS];	/* since regs_preset() */
};

/* @pmu and @model must outlive @regs. */
void regs_init(struct regs *regs, const struct board_pmu *pmu,
	       const struct model *model);

/* Back to the state after power-on. */
void regs_reset(struct regs *regs, uint64_t time);

/*
 * An access of @size bytes at @offset (0 to 0xfff; from BOARD_PAGE1 on: page 1).
 * Both return NULL, or the reason why the access is illegal. An illegal read returns
 * zeros, or all ones where a real machine would abort.
 */
const char *regs_read(struct regs *regs, uint32_t offset, unsigned int size,
		      uint64_t time, uint64_t *value);
const char *regs_write(struct regs *regs, uint32_t offset, unsigned int size,
		       uint64_t time, uint64_t value);

/* Counts up to @time. */
void regs_sync(struct regs *regs, uint64_t time);

/* The overflow flags of counters from 32 * @word on whose interrupt is enabled. */
uint32_t regs_irq(const struct regs *regs, unsigned int word);

/* The time of the next overflow with an enabled interrupt; MODEL_NEVER if not soon. */
uint64_t regs_next_overflow(const struct regs *regs);

/*
 * For tests: set an overflow flag, set a counter, inject a fault.
 * Return 0 or -EINVAL (no such counter or fault).
 */
int regs_raise(struct regs *regs, unsigned int counter, uint64_t time);
int regs_preset(struct regs *regs, unsigned int counter, uint64_t value,
		uint64_t time);
int regs_set_fault(struct regs *regs, unsigned int fault);

#endif /* GPMU_TESTS_REGS_H */
