/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of a cubin, the ELF file with the code of a GPU */
#ifndef GPMU_PROFILE_CUBIN_H
#define GPMU_PROFILE_CUBIN_H

#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"

struct profile_cubin;

/*
 * Reads a cubin from a copy of @image. A cubin with a damaged line table, or without one, has no lines.
 * Returns NULL if memory is exhausted.
 */
struct profile_cubin *profile_cubin_new(const void *image, size_t size);
void profile_cubin_free(struct profile_cubin *cubin);
/*
 * Finds the lines of an instruction, @offset bytes from the begin of a function: its own and those
 * of the calls by which it is inlined, innermost first. Returns their number, at most
 * GPMU_RECORDER_LINES. The texts exist as long as the cubin.
 */
size_t profile_cubin_lines(const struct profile_cubin *cubin, const char *function, uint64_t offset,
			   struct gpmu_recorder_line lines[GPMU_RECORDER_LINES]);

#endif /* GPMU_PROFILE_CUBIN_H */
