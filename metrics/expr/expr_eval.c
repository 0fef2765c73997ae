// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The arithmetic of perf's expressions (tools/perf/util/expr.y of Linux 7.3). Errors yield
 * NaN, with two exceptions: d_ratio() by 0 is 0, and a remainder by 0 leaves the whole
 * expression without a value.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "expr/expr.h"

static double unless_nan(double a, double b, double result)
{
	return isnan(a) || isnan(b) ? NAN : result;
}

/*
 * With one finite operand: that operand decides the result, or else the result is the
 * other operand. With none the result is unknown.
 */
static double or_of(double a, double b)
{
	if (isfinite(a) && isfinite(b))
		return a != 0 || b != 0;
	if (isfinite(a))
		return a != 0 ? 1 : b;
	if (isfinite(b))
		return b != 0 ? 1 : a;
	return NAN;
}

static double and_of(double a, double b)
{
	if (isfinite(a) && isfinite(b))
		return a != 0 && b != 0;
	if (isfinite(a))
		return a == 0 ? 0 : b;
	if (isfinite(b))
		return b == 0 ? 0 : a;
	return NAN;
}

/* perf converts to long; C leaves this undefined if the value does not fit. */
static double remainder_of(double a, double b)
{
	const double limit = 9223372036854775808.0;

	if (!(fabs(a) < limit && fabs(b) < limit) || !(int64_t)b)
		return NAN;
	return (double)((int64_t)a % (int64_t)b);
}

double expr_apply(enum expr_op op, double a, double b)
{
	switch (op) {
	case EXPR_OR:
		return or_of(a, b);
	case EXPR_AND:
		return and_of(a, b);
	case EXPR_XOR:
		return isfinite(a) && isfinite(b) ? (a == 0) != (b == 0) : NAN;
	case EXPR_LESS:
		return unless_nan(a, b, a < b);
	case EXPR_GREATER:
		return unless_nan(a, b, a > b);
	case EXPR_ADD:
		return a + b;
	case EXPR_SUBTRACT:
		return a - b;
	case EXPR_MULTIPLY:
		return a * b;
	case EXPR_DIVIDE:
		return b == 0 ? NAN : a / b;
	case EXPR_REMAINDER:
		return remainder_of(a, b);
	case EXPR_D_RATIO:
		return b == 0 ? 0 : a / b;
	case EXPR_SIMPLIFY:
		return a;
	case EXPR_NAN_AS_ZERO:
		return isnan(a) ? 0 : a;
	case EXPR_MIN:
		return a < b ? a : b;
	case EXPR_MAX:
		return a > b ? a : b;
	default:
		return NAN;
	}
}

/* Updates idle[], which marks the slots whose value depends on a division by 0. */
static void note_idle(const struct expr_insn *insn, const double *v, bool *is_idle)
{
	switch (insn->op) {
	case EXPR_NUMBER:
	case EXPR_INTEGER:
	case EXPR_VALUE:
	case EXPR_SOURCES:
	case EXPR_LINES:
		is_idle[0] = false;
		break;
	case EXPR_NEGATE:
	case EXPR_SIMPLIFY:
	case EXPR_NAN_AS_ZERO:
		break;
	case EXPR_IF:
		is_idle[0] = is_idle[1] || (v[1] != 0 ? is_idle[0] : is_idle[2]);
		break;
	case EXPR_DIVIDE:
	case EXPR_D_RATIO:
	case EXPR_REMAINDER:
		is_idle[0] = is_idle[0] || is_idle[1] || v[1] == 0;
		break;
	default:
		is_idle[0] = is_idle[0] || is_idle[1];
	}
}

/*
 * Evaluates the code. idle is NULL or has one flag for each slot. Every slot is written
 * before it is read; gcc warns about this in callers that define the slots and inline this
 * function, so they must not be inlined themselves.
 */
static inline __attribute__((always_inline))
double run(const struct gpmu_expr *expr, const struct gpmu_expr_value *values, double *slots,
	   bool *is_idle)
{
	const struct expr_insn *insn = expr->code, *end = insn + expr->length;

	/* No expression has empty code. */
	do {
		double *v = slots + insn->slot;

		if (is_idle)
			note_idle(insn, v, is_idle + insn->slot);
		switch (insn->op) {
		case EXPR_NUMBER:
			v[0] = insn->number;
			break;
		case EXPR_INTEGER:
			v[0] = (double)insn->integer;
			break;
		case EXPR_VALUE:
			v[0] = values[insn->id].value;
			break;
		case EXPR_SOURCES:
			v[0] = values[insn->id].sources;
			break;
		case EXPR_LINES:
			v[0] = values[insn->id].lines;
			break;
		case EXPR_NEGATE:
			v[0] = -v[0];
			break;
		case EXPR_SIMPLIFY:
		case EXPR_NAN_AS_ZERO:
			v[0] = expr_apply(insn->op, v[0], 0);
			break;
		case EXPR_IF:
			/* NaN is true, as in perf. */
			v[0] = v[1] != 0 ? v[0] : v[2];
			break;
		case EXPR_REMAINDER:
			if (v[1] == 0) {
				if (is_idle)
					is_idle[0] = true;
				return NAN;
			}
			/* fall through */
		default:
			v[0] = expr_apply(insn->op, v[0], v[1]);
		}
	} while (++insn < end);
	return slots[0];
}

__attribute__((noinline))
static double value_of(const struct gpmu_expr *expr, const struct gpmu_expr_value *values,
		       double *slots)
{
	return run(expr, values, slots, NULL);
}

__attribute__((noinline))
static bool run_idle(const struct gpmu_expr *expr, const struct gpmu_expr_value *values,
		     double *slots, bool *is_idle)
{
	run(expr, values, slots, is_idle);
	return is_idle[0];
}

double gpmu_expr_eval(const struct gpmu_expr *expr, const struct gpmu_expr_value *values)
{
	double slots[EXPR_SLOTS];

	return value_of(expr, values, slots);
}

int gpmu_expr_idle(const struct gpmu_expr *expr, const struct gpmu_expr_value *values)
{
	double slots[EXPR_SLOTS];
	bool is_idle[EXPR_SLOTS] = { false };

	return run_idle(expr, values, slots, is_idle);
}
