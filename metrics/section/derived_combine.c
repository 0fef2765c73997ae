// SPDX-License-Identifier: LGPL-2.1-or-later
/* Operators on metrics with instances */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "section/derived.h"

void gpmu_derived_release(struct gpmu_derived_value *value)
{
	free(value->instances);
	value->instances = NULL;
	value->count = 0;
}

/* Converts as C does, and to the nearest integer that exists where C leaves it undefined. */
static union gpmu_derived_number convert(union gpmu_derived_number number, enum gpmu_derived_type from,
					 enum gpmu_derived_type to)
{
	const double limit = 18446744073709551616.0;
	union gpmu_derived_number converted = number;

	if (from == GPMU_DERIVED_TEXT)
		converted.integer = 0;	/* also the real number 0 */
	else if (from == GPMU_DERIVED_INTEGER && to == GPMU_DERIVED_REAL)
		converted.real = (double)number.integer;
	else if (from == GPMU_DERIVED_REAL && to == GPMU_DERIVED_INTEGER)
		converted.integer = !(number.real > 0) ? 0 : number.real >= limit ? UINT64_MAX : (uint64_t)number.real;
	return converted;
}

static uint64_t apply_integers(enum expr_op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case EXPR_ADD:
		return a + b;
	case EXPR_SUBTRACT:
		return a - b;
	case EXPR_MULTIPLY:
		return a * b;
	default:
		return b ? a / b : a;
	}
}

static double apply_reals(enum expr_op op, double a, double b)
{
	switch (op) {
	case EXPR_ADD:
		return a + b;
	case EXPR_SUBTRACT:
		return a - b;
	case EXPR_MULTIPLY:
		return a * b;
	default:
		return a / b;
	}
}

/* The operator and the types of its operands */
struct operation {
	enum expr_op op;
	enum gpmu_derived_type left, right;
};

static union gpmu_derived_number apply(const struct operation *operation, union gpmu_derived_number a,
				       union gpmu_derived_number b)
{
	union gpmu_derived_number converted = convert(b, operation->right, operation->left), result = a;

	if (operation->op == EXPR_DIVIDE && operation->right == GPMU_DERIVED_INTEGER && !b.integer)
		return a;
	if (operation->left == GPMU_DERIVED_INTEGER)
		result.integer = apply_integers(operation->op, a.integer, converted.integer);
	else
		result.real = apply_reals(operation->op, a.real, converted.real);
	return result;
}

static int by_id(const void *a, const void *b)
{
	const struct gpmu_derived_instance *left = a, *right = b;

	return COMPARE(left->id, right->id);
}

static void sort_instances(struct gpmu_derived_value *value)
{
	if (value->count)
		qsort(value->instances, value->count, sizeof(*value->instances), by_id);
}

/* Joins the ids of both sides, in ascending order. Returns 0 or -ENOMEM. */
static int join_ids(const struct operation *operation, struct gpmu_derived_value *left,
		    struct gpmu_derived_value *right)
{
	struct gpmu_derived_instance *joined = calloc(left->count + right->count + 1, sizeof(*joined));
	size_t a = 0, b = 0, n = 0;

	if (!joined)
		return -ENOMEM;
	sort_instances(left);
	sort_instances(right);
	while (a < left->count || b < right->count) {
		bool is_left = a < left->count && (b == right->count || left->instances[a].id <= right->instances[b].id);
		bool is_right = b < right->count && (a == left->count || right->instances[b].id <= left->instances[a].id);

		joined[n] = is_left ? left->instances[a] : right->instances[b];
		if (is_left && is_right)
			joined[n].number = apply(operation, joined[n].number, right->instances[b].number);
		else if (is_right)
			joined[n].number = convert(joined[n].number, operation->right, operation->left);
		a += is_left;
		b += is_right;
		n++;
	}
	free(left->instances);
	left->instances = joined;
	left->count = n;
	return 0;
}

/*
 * Combines the instances on the left, and returns whether the regular value has been combined with those on the right.
 */
static bool combine_instances(const struct operation *operation, struct gpmu_derived_value *left,
			      const struct gpmu_derived_value *right)
{
	if (right->has_ids && !left->has_ids) {
		for (size_t i = 0; i < right->count; i++)
			left->number = apply(operation, left->number, right->instances[i].number);
		gpmu_derived_release(left);
		return true;
	}
	for (size_t i = 0; i < left->count && (left->has_ids || i < right->count); i++)
		left->instances[i].number = apply(operation, left->instances[i].number,
						  left->has_ids ? right->number : right->instances[i].number);
	return false;
}

int derived_combine(enum expr_op op, struct gpmu_derived_value *left, struct gpmu_derived_value *right)
{
	const struct operation operation = { op, left->type, right->type };
	bool is_combined = left->type == GPMU_DERIVED_TEXT;
	int ret = 0;

	if (!is_combined && left->has_ids && right->has_ids)
		ret = join_ids(&operation, left, right);
	else if (!is_combined)
		is_combined = combine_instances(&operation, left, right);
	if (!is_combined)
		left->number = apply(&operation, left->number, right->number);
	gpmu_derived_release(right);
	return ret;
}
