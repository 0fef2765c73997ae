/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GPMU_RANGES_PRIVATE_H
#define GPMU_RANGES_PRIVATE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vector.h"
#include "catalog/catalog.h"
#include "expr/gpmu_expr.h"
#include "ranges/gpmu_ranges.h"

#define RANGES_TIME	"gpu__time_duration.sum"	/* ns */

enum ranges_rollup { RANGES_ADD, RANGES_MAX, RANGES_MIN, RANGES_MEAN };

/* A requested metric: one of CUPTI, or a formula */
struct ranges_request {
	char *name;
	char *unit;			/* NULL: that of CUPTI's metric */
	struct gpmu_expr *expr;		/* NULL: CUPTI's metric */
	double scale;
	size_t *metrics;		/* CUPTI's, by gpmu_expr_id(), or one */
};

struct ranges_node {
	char *path;
	const char *name;		/* the last part of the path */
	struct ranges_node *parent;	/* NULL: outermost */
	unsigned int level;
	VECTOR(struct ranges_node *) inner;
	VECTOR(struct ranges_sum) sums;	/* one, or one for each range */
};

struct ranges_sum {
	uint64_t count, number;
	pid_t pid;
	double *values;			/* of CUPTI's metrics */
	double weight;			/* of averages */
};

struct gpmu_ranges {
	VECTOR(struct ranges_request) requests;
	VECTOR(char *) metrics;		/* CUPTI's */
	char **units;			/* of the metrics; each may be NULL */
	enum ranges_rollup *rollups;
	size_t time;			/* index of RANGES_TIME; SIZE_MAX: not collected */
	bool wants_each;
	struct ranges_node root;
	struct map ids;			/* pid << 32 | id: node */
	VECTOR(struct ranges_shown {
		const struct ranges_node *node;
		const struct ranges_sum *sum;
	}) rows;			/* made at the first use */
	bool has_rows;
	struct gpmu_recorder_range_numbers numbers;
	bool has_numbers;
};

/* Adds the requests of a list. Returns 0 or -errno with the error set. */
int ranges_add_requests(struct gpmu_ranges *ranges, const struct gpmu_catalog *catalog, const char *chip,
			const char *list, struct gpmu_error *error);
double ranges_evaluate(const struct gpmu_ranges *ranges, const struct ranges_request *request, const double *values);

#endif /* GPMU_RANGES_PRIVATE_H */
