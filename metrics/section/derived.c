// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runs the code of an expression on metrics with instances. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "section/derived.h"

/* Returns whether a derived metric has the instruction. */
static bool is_allowed(const struct expr_insn *insn)
{
	switch (insn->op) {
	case EXPR_NUMBER:
	case EXPR_INTEGER:
	case EXPR_VALUE:
	case EXPR_SIMPLIFY:
	case EXPR_NAN_AS_ZERO:
	case EXPR_ADD:
	case EXPR_SUBTRACT:
	case EXPR_MULTIPLY:
	case EXPR_DIVIDE:
		return true;
	default:
		return false;
	}
}

struct gpmu_derived *gpmu_derived_new(const char *text, struct gpmu_error *error)
{
	const struct gpmu_expr_env env = { .size = sizeof(env), .derived = 1 };
	struct gpmu_derived *derived = calloc(1, sizeof(*derived));

	if (!derived) {
		error_no_memory(error);
		return NULL;
	}
	derived->expr = gpmu_expr_new(text, &env, error);
	for (size_t i = 0; derived->expr && i < derived->expr->length; i++)
		if (!is_allowed(&derived->expr->code[i])) {
			error_set(error, 0, "a derived metric has only +, -, *, /, nan_as_zero() and simplify()");
			gpmu_derived_free(derived);
			errno = EINVAL;
			return NULL;
		}
	if (derived->expr)
		return derived;
	free(derived);
	return NULL;
}

void gpmu_derived_free(struct gpmu_derived *derived)
{
	if (!derived)
		return;
	gpmu_expr_free(derived->expr);
	free(derived);
}

const char *gpmu_derived_name(const struct gpmu_derived *derived, size_t index)
{
	return gpmu_expr_id(derived->expr, index);
}

/* Copies a value with its instances. Returns 0 or -ENOMEM. */
static int copy_value(struct gpmu_derived_value *to, const struct gpmu_derived_value *from)
{
	*to = *from;
	to->instances = NULL;
	to->has_ids = from->has_ids && from->count;
	if (!from->count)
		return 0;
	to->instances = malloc(from->count * sizeof(*to->instances));
	if (!to->instances)
		return -ENOMEM;
	memcpy(to->instances, from->instances, from->count * sizeof(*to->instances));
	return 0;
}

static void replace_nan(union gpmu_derived_number *number)
{
	number->real = isnan(number->real) ? 0 : number->real;
}

static void replace_nans(struct gpmu_derived_value *value)
{
	if (value->type != GPMU_DERIVED_REAL)
		return;
	replace_nan(&value->number);
	for (size_t i = 0; i < value->count; i++)
		replace_nan(&value->instances[i].number);
}

/* Runs an instruction; the operands are in @slots, which get the result. Returns 0 or -ENOMEM. */
static int run(const struct expr_insn *insn, const struct gpmu_derived_value *values, struct gpmu_derived_value *slots)
{
	switch (insn->op) {
	case EXPR_NUMBER:
		slots[0] = (struct gpmu_derived_value){ .type = GPMU_DERIVED_REAL, .number.real = insn->number };
		return 0;
	case EXPR_INTEGER:
		slots[0] = (struct gpmu_derived_value){ .type = GPMU_DERIVED_INTEGER, .number.integer = insn->integer };
		return 0;
	case EXPR_VALUE:
		return copy_value(slots, &values[insn->id]);
	case EXPR_SIMPLIFY:
		gpmu_derived_release(slots);
		slots->has_ids = 0;
		return 0;
	case EXPR_NAN_AS_ZERO:
		replace_nans(slots);
		return 0;
	default:
		return derived_combine(insn->op, &slots[0], &slots[1]);
	}
}

int gpmu_derived_eval(const struct gpmu_derived *derived, const struct gpmu_derived_value *values,
		      struct gpmu_derived_value *result)
{
	struct gpmu_derived_value *slots = calloc(EXPR_SLOTS + 1, sizeof(*slots));
	int ret = slots ? 0 : -ENOMEM;

	for (size_t i = 0; i < derived->expr->length && !ret; i++)
		ret = run(&derived->expr->code[i], values, slots + derived->expr->code[i].slot);
	if (!ret)
		*result = slots[0];
	for (size_t i = 0; ret && slots && i < EXPR_SLOTS; i++)
		gpmu_derived_release(&slots[i]);
	free(slots);
	return ret;
}
