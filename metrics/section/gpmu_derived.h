/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* derived: derived metrics of Nsight Compute, computed from metrics with instances */
#ifndef GPMU_DERIVED_API_H
#define GPMU_DERIVED_API_H

#include <stddef.h>
#include <stdint.h>

#include <gpmu/error.h>

/*
 * The Expression of a MetricDefinitions, or a UserMetricExpr: metrics and constants with +, -, *, /, parentheses,
 * nan_as_zero(x) and simplify(x), which drops instances.
 */
struct gpmu_derived;

enum gpmu_derived_type {
	GPMU_DERIVED_INTEGER,	/* uint64_t */
	GPMU_DERIVED_REAL,
	GPMU_DERIVED_TEXT,
};

union gpmu_derived_number {
	uint64_t integer;
	double real;
};

/* An instance of a metric, such as an SM or an instruction; @id: its correlation id, if the metric has them */
struct gpmu_derived_instance {
	uint64_t id;
	union gpmu_derived_number number;
};

/**
 * struct gpmu_derived_value - the value of a metric
 * @type: type of the regular value and of all instances
 * @number: regular value, unless the type is GPMU_DERIVED_TEXT
 * @text: regular value of GPMU_DERIVED_TEXT, borrowed
 * @instances: array of @count instances; NULL: there are none
 * @count: number of instances
 * @has_ids: 1: the instances have correlation ids
 */
struct gpmu_derived_value {
	enum gpmu_derived_type type;
	union gpmu_derived_number number;
	const char *text;
	struct gpmu_derived_instance *instances;
	size_t count;
	int has_ids;
};

/*
 * Compiles a formula. Returns a new object; NULL with errno EINVAL (syntax error, with its offset in @error), E2BIG or
 * ENOMEM.
 */
struct gpmu_derived *gpmu_derived_new(const char *text, struct gpmu_error *error);
/* Frees @derived; NULL is allowed. */
void gpmu_derived_free(struct gpmu_derived *derived);
/* Returns the name of a metric that the formula needs; NULL after the last; borrowed */
const char *gpmu_derived_name(const struct gpmu_derived *derived, size_t index);

/**
 * gpmu_derived_eval() - computes a value
 * @derived: the formula
 * @values: values in the order of gpmu_derived_name()
 * @result: set to the value on success; the caller frees it by gpmu_derived_release()
 *
 * Each operator converts the right value to the type of the left one; a text on the left is the result. A division by
 * an integer 0 leaves the left value. Regular values are combined with each other. Instances are combined
 * - in their order, if neither side has ids: as many as both sides have; the further ones on the left stay
 * - by id, if both sides have ids: an id of one side alone keeps its value
 * - each with the regular value on the right, if only the left side has ids
 * - one after the other with the regular value on the left, if only the right side has ids; this replaces the
 *   combination of regular values
 *
 * Return: 0 or -ENOMEM
 */
int gpmu_derived_eval(const struct gpmu_derived *derived, const struct gpmu_derived_value *values,
		      struct gpmu_derived_value *result);
/* Frees the instances of a value that gpmu_derived_eval() set. */
void gpmu_derived_release(struct gpmu_derived_value *value);

/**
 * gpmu_derived_formula() - writes a formula as a MetricExpr, for metrics without instances
 * @derived: the formula
 * @event: returns a new text, the event in the MetricExpr for the name of a metric; NULL: out of memory
 * @is_integer: returns 1 if a metric has integer values, so that a division by its 0 leaves the left value
 * @user: passed to the functions
 *
 * Return: a new text, which the caller frees; NULL with errno ENOMEM or E2BIG (longer than 64 KiB)
 */
char *gpmu_derived_formula(const struct gpmu_derived *derived, char *(*event)(const char *name, void *user),
			   int (*is_integer)(const char *name, void *user), void *user);

#endif /* GPMU_DERIVED_API_H */
