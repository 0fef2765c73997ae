// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "base/vector.h"
#include "expr/expr_build.h"

int expr_build_init(struct expr_builder *builder)
{
	*builder = (struct expr_builder){ .expr = calloc(1, sizeof(*builder->expr)) };
	return builder->expr ? 0 : -ENOMEM;
}

void expr_build_release(struct expr_builder *builder)
{
	gpmu_expr_free(builder->expr);
	builder->expr = NULL;
}

static void emit(struct expr_builder *builder, struct expr_insn insn)
{
	struct expr_insn *added =
		builder->is_out_of_memory ? NULL : vector_append(builder->expr->code, builder->expr->length);

	if (added)
		*added = insn;
	else
		builder->is_out_of_memory = true;
}

static struct expr_part replace(struct expr_builder *builder, size_t start, double number)
{
	if (!builder->is_out_of_memory)
		builder->expr->length = start;
	emit(builder, (struct expr_insn){ .op = EXPR_NUMBER, .number = number });
	return (struct expr_part){ start, number };
}

struct expr_part expr_build_number(struct expr_builder *builder, double number)
{
	struct expr_part part = replace(builder, builder->expr->length, number);

	if (builder->is_derived)
		part.value = NAN;
	return part;
}

struct expr_part expr_build_integer(struct expr_builder *builder, uint64_t integer)
{
	const size_t start = builder->expr->length;

	emit(builder, (struct expr_insn){ .op = EXPR_INTEGER, .integer = integer });
	return (struct expr_part){ start, NAN };
}

struct expr_part expr_build_id(struct expr_builder *builder, enum expr_op op, char *name)
{
	struct gpmu_expr *expr = builder->expr;
	struct expr_part part = { expr->length, NAN };
	char **added = name && !builder->is_out_of_memory ? vector_append(expr->ids, expr->id_count) : NULL;

	if (!added) {
		free(name);
		builder->is_out_of_memory = true;
		return part;
	}
	*added = name;
	emit(builder, (struct expr_insn){ .op = op, .id = expr->id_count - 1 });
	return part;
}

struct expr_part expr_build_negate(struct expr_builder *builder, struct expr_part part)
{
	emit(builder, (struct expr_insn){ .op = EXPR_NEGATE });
	return (struct expr_part){ part.start, -part.value };
}

struct expr_part expr_build_unary(struct expr_builder *builder, enum expr_op op, struct expr_part part)
{
	emit(builder, (struct expr_insn){ .op = op });
	return (struct expr_part){ part.start, NAN };
}

/*
 * Builds "|" or "&" with one constant operand: the constant decides the result, or the
 * result is the other operand.
 */
static struct expr_part build_logic(struct expr_builder *builder, enum expr_op op,
				    struct expr_part a, struct expr_part b)
{
	double constant = isfinite(a.value) ? a.value : b.value;
	double other = isfinite(a.value) ? b.value : a.value;

	if (isfinite(constant) && (constant != 0) == (op == EXPR_OR))
		return replace(builder, a.start, op == EXPR_OR);
	emit(builder, (struct expr_insn){ .op = op });
	return (struct expr_part){ a.start, isfinite(constant) ? other : NAN };
}

struct expr_part expr_build_binary(struct expr_builder *builder, enum expr_op op,
				   struct expr_part a, struct expr_part b)
{
	if (b.value == 0 && op == EXPR_DIVIDE)
		return replace(builder, a.start, NAN);
	if (b.value == 0 && op == EXPR_D_RATIO)
		return replace(builder, a.start, 0);
	/* perf does not fold min and max. */
	if (isfinite(a.value) && isfinite(b.value) && op != EXPR_MIN && op != EXPR_MAX)
		return replace(builder, a.start, expr_apply(op, a.value, b.value));
	if (op == EXPR_OR || op == EXPR_AND)
		return build_logic(builder, op, a, b);
	emit(builder, (struct expr_insn){ .op = op });
	return (struct expr_part){ a.start, NAN };
}

/* Removes the code between @start and @part; @part extends to the end. */
static struct expr_part keep_last(struct expr_builder *builder, struct expr_part part, size_t start)
{
	struct gpmu_expr *expr = builder->expr;
	size_t length = expr->length - part.start;

	if (builder->is_out_of_memory)
		return part;
	memmove(expr->code + start, expr->code + part.start, length * sizeof(*expr->code));
	expr->length = start + length;
	return (struct expr_part){ start, part.value };
}

struct expr_part expr_build_if(struct expr_builder *builder, struct expr_part yes,
			       struct expr_part condition, struct expr_part no)
{
	if (condition.value == 0)
		return keep_last(builder, no, yes.start);
	if (isfinite(condition.value)) {
		if (!builder->is_out_of_memory)
			builder->expr->length = condition.start;
		return yes;
	}
	/* Both branches are equal constants, so the condition does not matter. */
	if (yes.value == no.value)
		return replace(builder, yes.start, yes.value);
	emit(builder, (struct expr_insn){ .op = EXPR_IF });
	return (struct expr_part){ yes.start, NAN };
}

/* --- names of the whole expression ---------------------------------------------- */

static bool has_id(const struct expr_insn *insn)
{
	return insn->op == EXPR_VALUE || insn->op == EXPR_SOURCES || insn->op == EXPR_LINES;
}

/*
 * Renumbers the names. Before this, each use of a name has an id of its own. Equal names
 * get one id, names that no code uses are removed, and the ids are in order of first use.
 */
static int number_ids(struct gpmu_expr *expr)
{
	struct strings names = { 0 };

	for (struct expr_insn *insn = expr->code; insn < expr->code + expr->length; insn++) {
		uint32_t number;

		if (!has_id(insn))
			continue;
		if (strings_number(&names, expr->ids[insn->id], &number)) {
			strings_release(&names);
			return -ENOMEM;
		}
		insn->id = number;
	}
	for (size_t i = 0; i < expr->id_count; i++)
		free(expr->ids[i]);
	free(expr->ids);
	expr->id_count = names.texts.n;
	expr->ids = strings_take(&names);
	return 0;
}

static unsigned int operands(enum expr_op op)
{
	switch (op) {
	case EXPR_NUMBER:
	case EXPR_INTEGER:
	case EXPR_VALUE:
	case EXPR_SOURCES:
	case EXPR_LINES:
		return 0;
	case EXPR_NEGATE:
	case EXPR_SIMPLIFY:
	case EXPR_NAN_AS_ZERO:
		return 1;
	case EXPR_IF:
		return 3;
	default:
		return 2;
	}
}

/* Assigns stack slots. Returns 0, or -E2BIG if EXPR_SLOTS are too few. */
static int give_slots(struct gpmu_expr *expr)
{
	unsigned int used = 0;

	for (struct expr_insn *insn = expr->code; insn < expr->code + expr->length; insn++) {
		used -= operands(insn->op);
		insn->slot = used++;
		if (used > EXPR_SLOTS)
			return -E2BIG;
	}
	return 0;
}

int expr_build_finish(struct expr_builder *builder, struct gpmu_expr **expr)
{
	int ret;

	if (builder->is_out_of_memory)
		return -ENOMEM;
	ret = give_slots(builder->expr);
	if (!ret)
		ret = number_ids(builder->expr);
	if (ret)
		return ret;
	*expr = builder->expr;
	builder->expr = NULL;
	return 0;
}

void gpmu_expr_free(struct gpmu_expr *expr)
{
	if (!expr)
		return;
	for (size_t i = 0; i < expr->id_count; i++)
		free(expr->ids[i]);
	free(expr->ids);
	free(expr->code);
	free(expr);
}
