/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the code of an expression from its parts, the operands before their
 * operator, and computes what is constant. This is what perf does before it opens
 * events, by the same rules: an event whose count cannot matter is not asked for.
 */
#ifndef GPMU_EXPR_BUILD_H
#define GPMU_EXPR_BUILD_H

#include <stdbool.h>

#include "expr/expr.h"

struct expr_builder {
	struct gpmu_expr *expr;
	size_t code_room;
	size_t ids_room;
	bool no_memory;		/* once true, nothing is added */
};

/* A part of the expression, whose code ends where the next operand's begins or all ends */
struct expr_part {
	size_t start;
	double value;	/* NaN if it takes counts; one that is not finite is not computed with */
};

/* 0 or -ENOMEM */
int expr_build_init(struct expr_builder *builder);
/* The expression, which is the caller's now: 0, -ENOMEM, -E2BIG if it takes more than EXPR_SLOTS */
int expr_build_finish(struct expr_builder *builder, struct gpmu_expr **expr);
/* Instead of finish */
void expr_build_release(struct expr_builder *builder);

struct expr_part expr_build_number(struct expr_builder *builder, double number);
/* @op: EXPR_VALUE, EXPR_SOURCES or EXPR_LINES; frees @name, which may be NULL: no memory */
struct expr_part expr_build_id(struct expr_builder *builder, enum expr_op op, char *name);
struct expr_part expr_build_negate(struct expr_builder *builder, struct expr_part part);
struct expr_part expr_build_binary(struct expr_builder *builder, enum expr_op op,
				   struct expr_part a, struct expr_part b);
struct expr_part expr_build_if(struct expr_builder *builder, struct expr_part yes,
			       struct expr_part condition, struct expr_part no);

#endif /* GPMU_EXPR_BUILD_H */
