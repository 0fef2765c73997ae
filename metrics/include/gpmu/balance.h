/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* balance: what two counters of the same bytes do not agree on */
#ifndef GPMU_BALANCE_API_H
#define GPMU_BALANCE_API_H

#include <gpmu/row.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What goes over a link, or into a memory, is counted at both of its ends. A balance looks
 * for both in rows and gives what is left over, which metrics/traffic/flow.rst explains:
 *
 *	C2C into GPU0		what Grace sends to the GPU over NVLink-C2C (its C2C0 and C2C1
 *				count what the GPU reads, SCF's GMEM what CPUs write), and what
 *				the GPU receives
 *	C2C out of GPU0		the other way
 *	C2C of GPU0		both ways together
 *	copies into GPU0	what the GPU receives over PCIe, NVLink and NVLink-C2C, and what
 *				is written to its memory, which copies are at least
 *	copies out of GPU0	what it sends, and what is read
 *
 * A side is made of rows of the metrics, "GraceC2c0ReadBW" and "GpuC2cRxBW", or of events that
 * count the same, "nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/". A Grace and the GPUs that are of
 * its node are compared with each other where rows tell the node, otherwise all with all.
 */
struct gpmu_balance;

/**
 * struct gpmu_balance_line - the two sides
 * @size: of this structure
 * @name: "C2C into GPU0"; "C2C into all GPUs" where it is of several
 * @left_of: what the first side adds up, "C2C0 + C2C1 + GMEM": of what has rows
 * @right_of: likewise the second, "GPU's C2C"
 * @note: what there is in the remainder, one line
 * @at_least: 1: the second side has other traffic too, and is expected to be no less
 * @state: GPMU_OK; a side of which a part is missing makes it GPMU_NOT_COUNTED or
 *	GPMU_NOT_SUPPORTED, and there are no numbers (NaN)
 * @left: bytes a second
 * @right: likewise
 * @remainder: @right - @left
 * @part: of the larger side that @remainder is, -1 to 1; 0 where both are 0
 * @share: of the time, 0 to 1, that the counters ran, the lowest of them
 * @gpu: UUID of the GPU; NULL: of several
 * @gpu_number: of that GPU; -1
 * @node: that the two sides are of; -1: not of one, or not known
 * @why: of a state without numbers, one line to follow "NAME: "; otherwise NULL
 */
struct gpmu_balance_line {
	size_t size;
	const char *name, *left_of, *right_of, *note;
	int at_least;
	enum gpmu_state state;
	double left, right, remainder, part, share;
	const char *gpu;
	int gpu_number, node;
	const char *why;
};

/* New, without lines; NULL with errno ENOMEM */
struct gpmu_balance *gpmu_balance_new(void);
/* NULL is allowed. */
void gpmu_balance_free(struct gpmu_balance *balance);

/**
 * gpmu_balance_update() - compares what rows of one interval, or of one run, say
 * @balance: its lines become those of these rows
 * @rows: of a session or a struct gpmu_runs. Texts gpu and why of the lines are theirs, and valid
 *	as long
 * @length: how many
 *
 * There is a line only for what has rows of both sides.
 *
 * Return: 0 or -ENOMEM: there are no lines then
 */
int gpmu_balance_update(struct gpmu_balance *balance, const struct gpmu_row *rows, size_t length);
/* Borrowed, until the next update; NULL after the last */
const struct gpmu_balance_line *gpmu_balance_line(const struct gpmu_balance *balance, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_BALANCE_API_H */
