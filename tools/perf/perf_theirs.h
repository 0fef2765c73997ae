/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics that are passed to perf, and whether perf prints them. */
#ifndef GPMU_PERF_THEIRS_H
#define GPMU_PERF_THEIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpmu.h"

struct perf_theirs {
	char **names;		/* without modifiers; NULL once perf has printed it */
	size_t n;
	bool has_unasked;	/* perf has printed metrics of other names */
};

/* Adds an item of -M, of @length bytes. */
void perf_theirs_add(struct perf_theirs *theirs, const char *item, size_t length);
/* Marks the metrics that perf has printed in a table; perf's own rows begin with row @first. */
void perf_theirs_rows(struct perf_theirs *theirs, const struct gpmu_rows *rows, size_t first);
/* Warns of metrics that perf has not printed. */
void perf_theirs_warn(const struct perf_theirs *theirs);
void perf_theirs_release(struct perf_theirs *theirs);

#endif /* GPMU_PERF_THEIRS_H */
