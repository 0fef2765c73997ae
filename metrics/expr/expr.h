/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A compiled metric expression: code for a stack machine whose stack height before each
 * instruction is known. An operator has its operands in @slot and the following slots, and
 * writes its result to @slot; the last result is in slot 0.
 */
#ifndef GPMU_EXPR_H
#define GPMU_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "expr/gpmu_expr.h"

#define EXPR_SLOTS	256

enum expr_op {
	EXPR_NUMBER,
	/* a constant of digits alone, in a derived metric */
	EXPR_INTEGER,
	/* of an event */
	EXPR_VALUE, EXPR_SOURCES, EXPR_LINES,
	EXPR_NEGATE,
	/* in a derived metric */
	EXPR_SIMPLIFY, EXPR_NAN_AS_ZERO,
	EXPR_OR, EXPR_XOR, EXPR_AND, EXPR_LESS, EXPR_GREATER, EXPR_ADD, EXPR_SUBTRACT,
	EXPR_MULTIPLY, EXPR_DIVIDE, EXPR_REMAINDER, EXPR_D_RATIO, EXPR_MIN, EXPR_MAX,
	/* operands: the value if true, the condition, the value if false */
	EXPR_IF,
};

struct expr_insn {
	enum expr_op op;
	unsigned int slot;
	union {
		double number;
		uint64_t integer;
		size_t id;
	};
};

struct gpmu_expr {
	struct expr_insn *code;
	size_t length;
	char **ids;
	size_t id_count;
};

/* Applies an operator, both at run time and to fold constants; a unary one ignores @b. */
double expr_apply(enum expr_op op, double a, double b);

#endif /* GPMU_EXPR_H */
