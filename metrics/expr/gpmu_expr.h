/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expr: metric expressions */
#ifndef GPMU_EXPR_API_H
#define GPMU_EXPR_API_H

#include <stddef.h>

#include <gpmu/error.h>

struct gpmu_expr;

/**
 * struct gpmu_expr_env - properties of the machine that an expression can refer to
 * @size: size of this structure
 * @parameter: replaces "?" in names of events, 0 or more
 * @literal: returns the value of #NAME; name has no "#", as in num_cpus, whose case perf
 *	ignores. NaN: there is no such literal
 * @has_event: returns 1 if an event can be counted, 0 if not, < 0 if that is not known. The
 *	name has the form of gpmu_expr_id()
 * @cpuid_matches: returns 1 if the machine's CPU matches a pattern of a mapfile.csv, 0 if not,
 *	< 0 if that is not known
 * @user: passed to the functions
 * @derived: 1: the text is the formula of a derived metric of Nsight Compute. It may also have simplify(x) and
 *	nan_as_zero(x), and a division of constants is not computed in advance, as constants have types
 *
 * A function may be NULL; gpmu_expr_new() then refuses an expression that needs it. Only
 * gpmu_expr_new() calls the functions.
 */
struct gpmu_expr_env {
	size_t size;
	unsigned int parameter;
	double (*literal)(const char *name, void *user);
	int (*has_event)(const char *event, void *user);
	int (*cpuid_matches)(const char *pattern, void *user);
	void *user;
	int derived;
};

/**
 * struct gpmu_expr_value - the value of an event or of another metric in an expression
 * @value: the count; seconds for duration_time; NaN if there is no value
 * @sources: value of source_count(): number of PMUs whose counts were added; 1 for a metric
 * @lines: value of aggr_nr(): number of CPUs or PMUs whose counts were added; 1 for a metric
 */
struct gpmu_expr_value {
	double value;
	double sources;
	double lines;
};

/**
 * gpmu_expr_new() - compiles a MetricExpr (grammar of perf in Linux 7.3)
 * @text: the expression
 * @env: read during the call; NULL: no parameter and no functions
 * @error: set on failure, or NULL. Its offset is a byte offset in @text
 *
 * Return: a new expression; NULL with errno EINVAL (syntax error, or the expression needs
 * something that @env does not provide), E2BIG (nested deeper than 100 levels, longer than 1
 * MiB) or ENOMEM
 */
struct gpmu_expr *gpmu_expr_new(const char *text, const struct gpmu_expr_env *env,
				struct gpmu_error *error);
/* Frees @expr; NULL is allowed. */
void gpmu_expr_free(struct gpmu_expr *expr);

/**
 * gpmu_expr_id_count() - returns the number of events and metrics that the value depends on
 *
 * A branch that this machine never takes is left out: x in "x if #smt_on else y" if #smt_on is
 * 0.
 */
size_t gpmu_expr_id_count(const struct gpmu_expr *expr);
/*
 * Returns the name of an event or metric, with "@" in place of "/"; borrowed; NULL after the
 * last.
 */
const char *gpmu_expr_id(const struct gpmu_expr *expr, size_t index);

/**
 * gpmu_expr_eval() - evaluates an expression
 * @expr: the expression; several threads may evaluate it at the same time
 * @values: gpmu_expr_id_count() values in the order of gpmu_expr_id(); NULL if there are none
 *
 * As in perf, d_ratio() with a divisor of 0 is 0, NaN is true in a condition, and a "%" with a
 * divisor of 0 makes the whole expression NaN. The result is infinite only if it exceeds the
 * range of a double.
 *
 * Return: the value; NaN if a divisor was 0 or a value is missing
 */
double gpmu_expr_eval(const struct gpmu_expr *expr, const struct gpmu_expr_value *values);

/*
 * Returns 1 if the value of gpmu_expr_eval() depends on a division by 0, including d_ratio()'s;
 * 0 if not. The value, 0 or NaN, is then no measurement, as the counted operation did not
 * happen. A branch of "if" that is not taken is ignored.
 */
int gpmu_expr_idle(const struct gpmu_expr *expr, const struct gpmu_expr_value *values);

#endif /* GPMU_EXPR_API_H */
