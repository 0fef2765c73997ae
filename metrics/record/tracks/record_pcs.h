/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PC samples of a process: numbers, images of modules, and sums by instruction and stall reason */
#ifndef GPMU_RECORD_PCS_H
#define GPMU_RECORD_PCS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "trace/channel/activity.h"

struct record_map;
struct record_process;

/* A module's image, of which parts arrive in order */
struct record_pc_cubin {
	uint64_t crc;
	uint8_t *image;		/* NULL: no part has arrived */
	uint64_t size, arrived;
};

struct record_pc_function {
	uint32_t cubin;		/* index */
	uint32_t name;		/* string */
};

/* The samples of an instruction with a stall reason */
struct record_pc {
	uint32_t function;	/* index */
	uint32_t offset;
	uint32_t stall;		/* string */
	uint64_t samples, not_issued;
};

/* The samples of a kernel with a stall reason since the last fetch */
struct record_pc_part {
	uint32_t name, stall;	/* strings */
	uint64_t samples;
};

struct record_pcs {
	/* Set as soon as a record arrives */
	uint64_t samples, dropped, foreign, full;	/* that CUPTI has counted */
	uint64_t delivered;
	uint64_t image_bytes;				/* of all cubins, that have arrived */
	uint32_t mode, period, stalls;			/* as in struct activity_pc_total */
	bool is_used;
	/* Set in the order of time */
	uint64_t begin, end;				/* of the parts */
	uint32_t device;
	VECTOR(struct record_pc_part) parts;
	VECTOR(struct record_pc_cubin) cubins;
	VECTOR(struct record_pc_function) functions;
	VECTOR(struct record_pc) pcs;
	struct map cubin_numbers, function_numbers, instruction_numbers, pc_numbers, part_numbers;
};

void record_pcs_release(struct record_pcs *pcs);
/* Takes the numbers of a record as soon as it arrives, and images. Returns 0 or -ENOMEM. */
int record_pcs_early(struct record_process *process, const struct activity_head *record);
/* Counts samples as lost that did not arrive, when the process has ended. */
void record_pcs_balance(struct record_process *process);
/* Adds samples to the sum of their instruction and reason. Returns 0 or -ENOMEM. */
int record_pcs_add(struct record_pcs *pcs, const struct activity_pc *pc);

/* --- record_pc.c */
/* Adds samples. Returns 0, -ENOMEM or the error of writing the trace, as the functions below do. */
int record_pc(struct record_map *map, struct record_process *process, const struct activity_pc *pc);
/* Writes the sums. */
int record_pcs_end(struct record_map *map, struct record_process *process);

#endif /* GPMU_RECORD_PCS_H */
