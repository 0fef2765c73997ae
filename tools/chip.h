/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chips of GPUs, which plugin cupti describes without a GPU. */
#ifndef GPMU_CHIP_H
#define GPMU_CHIP_H

#include <jansson.h>

#include "gpmu.h"

/*
 * Asks plugin cupti a question of its gpmu_source_query(). @chip: NULL: the machine's GPUs. Returns the answer, an array,
 * which the caller releases; NULL with @error set.
 */
json_t *chip_ask(const char *chip, const char *question, struct gpmu_error *error);
/* Returns the names of all chips; as chip_ask(). */
json_t *chip_names(struct gpmu_error *error);
/*
 * Returns a sentence if another program uses the profilers of all of the machine's GPUs that have one, which the caller frees:
 * "UUID: its profiler is in use by another program"; otherwise NULL.
 */
char *chip_find_busy(void);
/* Dies with @why, and the names that --chip accepts. */
void chip_die(const char *why) __attribute__((noreturn));

#endif /* GPMU_CHIP_H */
