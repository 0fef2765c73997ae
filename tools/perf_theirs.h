/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics that are left to perf, and whether it prints them. */
#ifndef GPMU_PERF_THEIRS_H
#define GPMU_PERF_THEIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpmu.h"

struct perf_theirs {
	char **names;		/* without modifiers; NULL: it was printed */
	size_t n;
	bool unasked;		/* there are metrics that no name asks for */
};

/* @item: of -M, @length bytes */
void perf_theirs_add(struct perf_theirs *theirs, const char *item, size_t length);
/* Those of a table that are perf's own */
void perf_theirs_rows(struct perf_theirs *theirs, const struct gpmu_row *rows, size_t n);
/* Of those that never were there */
void perf_theirs_warn(const struct perf_theirs *theirs);
void perf_theirs_release(struct perf_theirs *theirs);

#endif /* GPMU_PERF_THEIRS_H */
