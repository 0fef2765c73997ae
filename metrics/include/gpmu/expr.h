/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expr: metric expressions */
#ifndef GPMU_EXPR_API_H
#define GPMU_EXPR_API_H

#include <stddef.h>

#include <gpmu/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpmu_expr;

/**
 * struct gpmu_expr_env - what an expression asks of the machine when it is made
 * @size: of this structure
 * @parameter: the number that stands for "?" in a name, 0 or more
 * @literal: value of #NAME, the name without "#", such as num_cpus, whose case perf
 *	ignores; NaN if there is none
 * @has_event: 1 if an event can be counted, 0 if not, < 0 if that is not known; its
 *	name as gpmu_expr_id() writes it
 * @cpuid_matches: 1 if the CPU is one that the pattern of a mapfile.csv matches, 0 if
 *	not, < 0 if that is not known
 * @user: handed to the functions
 *
 * Functions may be NULL; an expression that needs one is then refused. They are
 * called by gpmu_expr_new() only.
 */
struct gpmu_expr_env {
	size_t size;
	unsigned int parameter;
	double (*literal)(const char *name, void *user);
	int (*has_event)(const char *event, void *user);
	int (*cpuid_matches)(const char *pattern, void *user);
	void *user;
};

/**
 * struct gpmu_expr_value - an event, or another metric, in an expression
 * @value: its count; of duration_time, seconds; NaN if there is none
 * @sources: source_count(): how many PMUs the count is the sum of, 1 for a metric
 * @lines: aggr_nr(): how many CPUs' or PMUs' counts, 1 for a metric
 */
struct gpmu_expr_value {
	double value;
	double sources;
	double lines;
};

/**
 * gpmu_expr_new() - compiles the MetricExpr of a metric (grammar of Linux 7.3's perf)
 * @text: the expression
 * @env: the machine, or NULL: no parameter, no function. Not kept
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno EINVAL (not an expression, or it needs what @env
 * does not know), E2BIG (nested deeper than 100 levels, longer than 1 MiB) or ENOMEM
 */
struct gpmu_expr *gpmu_expr_new(const char *text, const struct gpmu_expr_env *env,
				struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_expr_free(struct gpmu_expr *expr);

/**
 * gpmu_expr_ids() - how many events and metrics the value depends on
 *
 * What cannot matter on this machine is left out: x of "x if #smt_on else y"
 * where #smt_on is 0.
 */
size_t gpmu_expr_ids(const struct gpmu_expr *expr);
/* The name, "@" in place of "/"; borrowed; NULL if there are no more. */
const char *gpmu_expr_id(const struct gpmu_expr *expr, size_t index);

/**
 * gpmu_expr_eval() - the value of an expression
 * @expr: the expression; it may be evaluated by several threads at a time
 * @values: one for each of gpmu_expr_ids(), in their order; NULL if there are none
 *
 * Return: the value, or NaN: there are no samples, as nothing was counted that
 * could be divided by, or a value is missing. d_ratio() by 0 is 0, NaN is true, and
 * where a divisor of "%" is 0 the whole is NaN: all as in perf. Infinite is only
 * what a double cannot hold.
 */
double gpmu_expr_eval(const struct gpmu_expr *expr, const struct gpmu_expr_value *values);

/*
 * 1 if that value rests on a division by 0, d_ratio()'s too: what the metric is of did not
 * happen, and 0 or NaN is not a measurement. 0 if not. A branch of "if" that is not taken
 * does not matter.
 */
int gpmu_expr_idle(const struct gpmu_expr *expr, const struct gpmu_expr_value *values);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_EXPR_API_H */
