/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* balance: compares two counts of the same bytes */
#ifndef GPMU_BALANCE_API_H
#define GPMU_BALANCE_API_H

#include <gpmu/row.h>

/*
 * Bytes that cross a link or enter a memory are counted at both ends. A balance finds both
 * counts in rows and computes their difference, the remainder. metrics/traffic/traffic.rst
 * explains where a remainder comes from. The lines of a balance, for the GPU with number 0, are:
 *
 * - "C2C into GPU0": the first side is the data that Grace sends to the GPU over NVLink-C2C.
 *   PMUs C2C0 and C2C1 count the GPU's reads, SCF's GMEM events count the CPUs' writes. The
 *   second side is the data that the GPU receives.
 * - "C2C out of GPU0": the opposite direction.
 * - "C2C of GPU0": both directions together.
 * - "copies into GPU0": the first side is the data that the GPU receives over PCIe, NVLink and
 *   NVLink-C2C. The second side is the data written to its memory, of which copies are a part.
 * - "copies out of GPU0": the data that the GPU sends, and the data read from its memory.
 *
 * A side consists of rows of metrics, such as "GraceC2c0ReadBW" and "GpuC2cRxBW", or of events
 * that count the same, such as "nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/". Where rows have a
 * node, a Grace is compared with the GPUs of its node; otherwise all Graces with all GPUs.
 */
struct gpmu_balance;

/**
 * struct gpmu_balance_line - the two sides of a comparison
 * @size: size of this structure
 * @name: "C2C into GPU0"; "C2C into all GPUs" for several GPUs
 * @left_of: the terms of the first side that have rows, "C2C0 + C2C1 + GMEM"
 * @right_of: the terms of the second side that have rows, "GPU's C2C"
 * @note: what the remainder contains, one line
 * @is_lower_bound: 1: the second side includes other traffic and is expected to be at least @left
 * @state: GPMU_STATE_OK if both sides are complete. If a part of a side is missing,
 *	GPMU_STATE_NOT_COUNTED or GPMU_STATE_NOT_SUPPORTED, and the numbers are NaN
 * @left: the first side, in bytes per second
 * @right: the second side, in bytes per second
 * @remainder: @right - @left; NaN if the link is idle: it carries less than 64 MB/s, 0.1 % of PCIe 5.0 x16, and a side is
 *	not 0
 * @part: @remainder divided by the larger side, -1 to 1; NaN if the link is idle; 0 if both sides are 0
 * @share: fraction of the time that the counters ran, 0 to 1, the lowest of all counters
 * @gpu: UUID of the GPU; NULL for several GPUs
 * @gpu_number: number of the GPU; -1 for several GPUs
 * @node: node of both sides; -1 if there are several or it is not known
 * @why: reason of a state without numbers, one line that follows the name and a colon;
 *	otherwise NULL
 */
struct gpmu_balance_line {
	size_t size;
	const char *name, *left_of, *right_of, *note;
	int is_lower_bound;
	enum gpmu_state state;
	double left, right, remainder, part, share;
	const char *gpu;
	int gpu_number, node;
	const char *why;
};

/* Creates a balance without lines. Returns a new object, or NULL with errno ENOMEM. */
struct gpmu_balance *gpmu_balance_new(void);
/* Frees @balance; NULL is allowed. */
void gpmu_balance_free(struct gpmu_balance *balance);

/**
 * gpmu_balance_update() - compares the counts in the rows of one interval or of one run
 * @balance: its lines are replaced
 * @rows: rows of a session or a struct gpmu_runs. The lines refer to the texts of their members
 *	gpu and why, so lines are valid as long as the rows
 *
 * A line exists only where both sides have rows.
 *
 * Return: 0; -ENOMEM, and then there are no lines
 */
int gpmu_balance_update(struct gpmu_balance *balance, const struct gpmu_rows *rows);
/* Returns a line, borrowed until the next update; NULL after the last one. */
const struct gpmu_balance_line *gpmu_balance_line(const struct gpmu_balance *balance, size_t index);

#endif /* GPMU_BALANCE_API_H */
