/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checkpoints of the GPU's memory, by CUPTI's library for them: saved before the first lap of a set of ranges, and
 * restored before each further one, so that all laps compute from the same input. All functions need the
 * collector's lock.
 */
#ifndef GPMU_INJECT_RANGES_CHECKPOINT_H
#define GPMU_INJECT_RANGES_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint_api.h"
#include "library/cupti_api.h"
#include "memory.h"

struct collector;
struct inject;

struct checkpoint {
	struct checkpoint_api {
		CHECKPOINT_FUNCTIONS(API_MEMBER)
	} api;
	CUpti_Checkpoint handle;
	bool is_loaded;
	bool is_saved;		/* the handle has a checkpoint */
	uint64_t begin;		/* of the call that saves or restores; 0: none; atomic */
	struct memory memory;	/* of the program */
};

/*
 * Saves the memory of the context if the metrics need several laps. Returns false if counting has ended; a note has
 * the reason.
 */
bool checkpoint_save(struct collector *collector, void *context);
/* Restores the memory if it was saved. Returns false if counting has ended; a note has the reason. */
bool checkpoint_restore(struct collector *collector);
/* Frees the checkpoint, if there is one. */
void checkpoint_free(struct collector *collector);

#endif /* GPMU_INJECT_RANGES_CHECKPOINT_H */
