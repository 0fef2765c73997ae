/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Board files: the PMUs of a modelled machine, their addresses and quirks. The files
 * are in tests/vm/boards, and the ACPI tables are generated from the same files.
 */
#ifndef GPMU_TESTS_BOARD_H
#define GPMU_TESTS_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "chip.h"
#include "text.h"

#define BOARD_LINES		4	/* interrupt lines, and devices that carry PMUs */
/* The control page is at the address of page 1 of a 32nd PMU. */
#define BOARD_MAX_PMUS		31
#define BOARD_PMU_SPACE		0x20000u	/* of one PMU in its device's BAR */
#define BOARD_PACKED_SPACE	0x1000u		/* the same on a packed board */
#define BOARD_PAGE1		0x10000u	/* from a PMU's page 0 to its page 1 */
#define BOARD_BAR_SIZE		0x400000u
#define BOARD_CONTROL		0x3f0000u	/* control page in device 1's BAR */
#define BOARD_BASE		0x3d000000ull	/* guest address of device 1's BAR */

/* PMDEVARCH: ARCHITECT Arm (0x23b), PRESENT, ARCHPART of the 32-bit programmers' model */
#define BOARD_DEVARCH		0x47700af0u

enum board_dead {
	BOARD_ALIVE,
	BOARD_DEAD_ONES,	/* every register reads all ones */
	BOARD_DEAD_ZEROS,
	BOARD_DEAD_PMCFGR,	/* only PMCFGR is invalid: board_pmu.pmcfgr */
};

struct board_pmu {
	enum pmu_kind kind;
	unsigned int socket;
	unsigned int counters;	/* besides the cycle counter */
	unsigned int width;	/* of a counter, bits */
	bool has_cycle_counter;
	bool has_dual_page;
	bool is_atomic;		/* 64-bit accesses are single-copy atomic */
	unsigned int line;	/* interrupt line; 0: the interrupt is never raised */
	bool is_edge;
	uint32_t iidr;		/* PMIIDR; if 0, PMPIDR identifies the PMU */
	uint32_t identity;	/* identification in PMPIDR */
	uint32_t devarch;	/* PMDEVARCH */
	bool has_ext64;		/* PMCNTEN enables counters, as in the 64-bit layout */
	enum board_dead dead;
	uint32_t pmcfgr;
};

struct board {
	const struct chip *chip;
	unsigned int sockets;
	bool is_packed;		/* the PMUs' pages are adjacent, one of 4 KiB each */
	unsigned int pmus_len;
	struct board_pmu pmus[BOARD_MAX_PMUS];
};

/* Return 0, or -EINVAL or another -errno with @err set. */
int board_parse(struct board *board, const char *path, const char *text,
		size_t len, struct text_error *err);
int board_load(struct board *board, const char *path, struct text_error *err);

/* The device, from 1, whose BAR has the PMU. */
unsigned int board_device(const struct board_pmu *pmu);

/* The number of devices: the highest that has a PMU, at least 1 (control). */
unsigned int board_devices(const struct board *board);

#endif /* GPMU_TESTS_BOARD_H */
