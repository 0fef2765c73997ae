/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The modelled machine: the PMUs of a board behind the address windows of a
 * few devices, the control page, the access log and the interrupt lines.
 *
 * A front end (vfio-user.c, qemu-device.c) owns time and interrupts and gives
 * them as callbacks. It forwards accesses and calls rig_service() when due.
 */
#ifndef GPMU_TESTS_RIG_H
#define GPMU_TESTS_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "board.h"
#include "model.h"
#include "regs.h"

struct rig_ops {
	/* Model time in ns: begins near 0 and does not go back. */
	uint64_t (*now)(void *opaque);
	/*
	 * The interrupt of device @device (from 1): @is_high is what its
	 * level-triggered PMUs want; @is_pulse says that an edge-triggered one
	 * has a new overflow.
	 */
	void (*interrupt)(void *opaque, unsigned int device, bool is_high,
			  bool is_pulse);
};

struct rig {
	const struct board *board;
	struct model *model;
	const struct rig_ops *ops;
	void *opaque;
	FILE *log;			/* or NULL */
	struct regs regs[BOARD_MAX_PMUS];
	uint32_t pending[BOARD_MAX_PMUS][REGS_WORDS];	/* flags at the last update */
	bool is_changed;		/* since the last rig_service() */
	uint64_t deadline;		/* what that returned */
	uint32_t illegal;		/* number of illegal accesses */
	uint64_t latched_time;
	uint32_t preset;		/* of the control page: PMU << 8 | counter */
	uint32_t preset_low;
};

/* All arguments are borrowed and must outlive the rig. */
void rig_init(struct rig *rig, const struct board *board, struct model *model,
	      const struct rig_ops *ops, void *opaque, FILE *log);

/* An access to a device's BAR. Any offset and size is safe. */
uint64_t rig_read(struct rig *rig, unsigned int device, uint64_t offset,
		  unsigned int size);
void rig_write(struct rig *rig, unsigned int device, uint64_t offset,
	       unsigned int size, uint64_t value);

/* Power-on state for the PMUs behind a device. */
void rig_reset(struct rig *rig, unsigned int device);

/*
 * Raises the interrupts that are due. Returns when to call again, in model
 * time; to be called as well after each write and reset.
 */
uint64_t rig_service(struct rig *rig);

/* Writes "! reason" to the log and counts an illegal access. */
__attribute__((format(printf, 2, 3)))
void rig_illegal(struct rig *rig, const char *fmt, ...);

/* control.c: the control page. */
uint32_t control_read(struct rig *rig, uint32_t offset, uint64_t time);
void control_write(struct rig *rig, uint32_t offset, uint64_t time,
		   uint32_t value);

#endif /* GPMU_TESTS_RIG_H */
