/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds the code of an expression from its parts, operands before their operator, and
 * folds constants. perf does the same, by the same rules, before it opens events, so an
 * event whose count cannot matter is not counted.
 */
#ifndef GPMU_EXPR_BUILD_H
#define GPMU_EXPR_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "expr/expr.h"

struct expr_builder {
	struct gpmu_expr *expr;
	bool is_out_of_memory;	/* once set, nothing more is added */
	bool is_derived;	/* no constants are folded */
};

/*
 * A part of the expression; its code ends where the next operand's begins, or at the end
 * of all code
 */
struct expr_part {
	size_t start;
	double value;	/* NaN if it depends on counts; values that are not finite are not folded */
};

/* Returns 0 or -ENOMEM. */
int expr_build_init(struct expr_builder *builder);
/*
 * Passes the expression to the caller. Returns 0, -ENOMEM, or -E2BIG if it needs more than
 * EXPR_SLOTS.
 */
int expr_build_finish(struct expr_builder *builder, struct gpmu_expr **expr);
/* Discards the builder; called instead of expr_build_finish(). */
void expr_build_release(struct expr_builder *builder);

struct expr_part expr_build_number(struct expr_builder *builder, double number);
/* Adds an integer constant of a derived metric. */
struct expr_part expr_build_integer(struct expr_builder *builder, uint64_t integer);
/*
 * Adds a use of a name. @op is EXPR_VALUE, EXPR_SOURCES or EXPR_LINES. Frees @name; NULL
 * in @name means out of memory.
 */
struct expr_part expr_build_id(struct expr_builder *builder, enum expr_op op, char *name);
struct expr_part expr_build_negate(struct expr_builder *builder, struct expr_part part);
/* Adds EXPR_SIMPLIFY or EXPR_NAN_AS_ZERO. */
struct expr_part expr_build_unary(struct expr_builder *builder, enum expr_op op, struct expr_part part);
struct expr_part expr_build_binary(struct expr_builder *builder, enum expr_op op,
				   struct expr_part a, struct expr_part b);
struct expr_part expr_build_if(struct expr_builder *builder, struct expr_part yes,
			       struct expr_part condition, struct expr_part no);

#endif /* GPMU_EXPR_BUILD_H */
