/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters of kernels and of ranges of a program, which a recorder collects (struct gpmu_recorder_ranges), by name.
 * Values of several ranges are combined by the rollup of CUPTI's metric: .sum and .avg are added, .max and .min are the
 * largest and the smallest, and all others are averaged, weighted by the time of the ranges if gpu__time_duration.sum
 * is collected.
 */
#ifndef GPMU_RANGES_H
#define GPMU_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"

struct gpmu_ranges;

/**
 * gpmu_ranges_new() - prepares a table of requested metrics
 * @catalog: has the metrics, such as GpuDramReadBW; must outlive the table. NULL: the list has SASS metrics
 * @chip: the GPU's chip, "GH100": selects one of several metrics of a name; NULL with SASS metrics
 * @list: names separated by ",": metrics of the catalog, names of CUPTI's former APIs, or CUPTI's metrics with a rollup
 * @wants_each: 1: a row for each range, 0: for each name
 * @error: set on failure, or NULL
 *
 * Return: a new table; NULL with errno EINVAL (a name that neither the catalog has, nor looks like CUPTI's), ENOTSUP (nothing
 * counts a former name) or ENOMEM
 */
struct gpmu_ranges *gpmu_ranges_new(const struct gpmu_catalog *catalog, const char *chip, const char *list, int wants_each,
				    struct gpmu_error *error);
/* Frees the table; NULL is allowed. */
void gpmu_ranges_free(struct gpmu_ranges *ranges);

/* Returns CUPTI's metrics that have to be collected, and their number; borrowed. */
const char *const *gpmu_ranges_metrics(const struct gpmu_ranges *ranges, size_t *length);
/* Sets the functions and metrics of @options. They call the table, which must outlive the recorder. */
void gpmu_ranges_connect(struct gpmu_ranges *ranges, struct gpmu_recorder_ranges *options);
/* Begins another run of the command, whose numbers replace those of the earlier ones: application replay. */
void gpmu_ranges_restart(struct gpmu_ranges *ranges);
/* Sets the unit of one of gpmu_ranges_metrics(), which CUPTI knows. Returns 0 or -ENOMEM. */
int gpmu_ranges_set_unit(struct gpmu_ranges *ranges, size_t metric, const char *unit);

/* Returns the name and the unit ("": none) of a requested metric; NULL after the last; borrowed. */
const char *gpmu_ranges_name(const struct gpmu_ranges *ranges, size_t request);
const char *gpmu_ranges_unit(const struct gpmu_ranges *ranges, size_t request);

/**
 * struct gpmu_ranges_row - a range, or all of a name
 * @path: its name; after that of the range around it and "/" if there is one
 * @name: its own name
 * @level: nesting level, from 0
 * @count: number of ranges
 * @number: number of the launch or of the outermost range, from 0; of several, the first's
 * @pid: its process; of several, the first's
 */
struct gpmu_ranges_row {
	const char *path, *name;
	unsigned int level;
	uint64_t count, number;
	pid_t pid;
};

/* Gets the row at @index, a range before those inside it. Returns 0; -ENOENT after the last. All is borrowed. */
int gpmu_ranges_row(const struct gpmu_ranges *ranges, size_t index, struct gpmu_ranges_row *row);
/* Returns the value of a requested metric; NaN: none. */
double gpmu_ranges_value(const struct gpmu_ranges *ranges, size_t row, size_t request);
/* Returns the sum over all processes. Its passes are the largest; is_complete is that of all. */
const struct gpmu_recorder_range_numbers *gpmu_ranges_numbers(const struct gpmu_ranges *ranges);

#endif /* GPMU_RANGES_H */
