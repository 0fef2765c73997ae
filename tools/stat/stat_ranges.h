/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpmu stat --ranges and --sass: metrics of the GPU for each kernel, for ranges of the command, or for each function of the GPU */
#ifndef GPMU_STAT_RANGES_H
#define GPMU_STAT_RANGES_H

#include "stat/stat_options.h"

struct gpmu_ranges;
struct output;

/* Runs the command, once or for each pass, and prints its ranges. Returns the exit status. */
int stat_ranges(struct stat_options *options);
/* "kernels" or "ranges": what the options count */
const char *stat_ranges_noun(const struct stat_options *options);
/* Prints the rows, and the numbers of ranges, and completes the output. Dies if it cannot be written. */
void stat_ranges_print(const struct stat_options *options, const struct gpmu_ranges *ranges, struct output *output);

#endif /* GPMU_STAT_RANGES_H */
