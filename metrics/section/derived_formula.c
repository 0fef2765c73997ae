// SPDX-License-Identifier: LGPL-2.1-or-later
/* A derived metric as a MetricExpr of perf's grammar */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/number.h"
#include "base/text/text.h"
#include "section/derived.h"

/* Each division by an integer has its operands twice, so the text could grow without bound. */
#define MAX_LENGTH	(1u << 16)

/* The text of an operand, and whether its value is an integer */
struct part {
	char *text;
	bool is_integer;
};

struct writer {
	const struct gpmu_derived *derived;
	char *(*event)(const char *name, void *user);
	int (*is_integer)(const char *name, void *user);
	void *user;
};

/* Writes a number without the "+" that perf's grammar does not have in an exponent. */
static char *write_number(double number)
{
	char text[NUMBER_SIZE + 1], *plus;

	text[number_shortest(text, number)] = '\0';
	plus = strchr(text, '+');
	if (plus)
		memmove(plus, plus + 1, strlen(plus));
	return strdup(text);
}

/* perf's grammar has no type: the condition is the rule of a division by an integer 0. */
static char *write_binary(enum expr_op op, const struct part *a, const struct part *b)
{
	if (op == EXPR_DIVIDE && b->is_integer)
		return text_print("(%s / %s if %s else %s)", a->text, b->text, b->text, a->text);
	return text_print("(%s %c %s)", a->text, op == EXPR_ADD ? '+' : op == EXPR_SUBTRACT ? '-' : op == EXPR_MULTIPLY ? '*' : '/',
			  b->text);
}

/* A value without instances is its own simplify(), and a missing value makes the whole metric missing. */
static int write(const struct writer *writer, const struct expr_insn *insn, struct part *parts)
{
	const char *name;
	char *text;

	switch (insn->op) {
	case EXPR_NUMBER:
		text = write_number(insn->number);
		parts->is_integer = false;
		break;
	case EXPR_INTEGER:
		text = text_print("%llu", (unsigned long long)insn->integer);
		parts->is_integer = true;
		break;
	case EXPR_VALUE:
		name = gpmu_derived_name(writer->derived, insn->id);
		text = writer->event(name, writer->user);
		parts->is_integer = writer->is_integer(name, writer->user);
		break;
	case EXPR_SIMPLIFY:
	case EXPR_NAN_AS_ZERO:
		return 0;
	default:
		text = write_binary(insn->op, &parts[0], &parts[1]);
		free(parts[0].text);
		free(parts[1].text);
		parts[1].text = NULL;
	}
	parts->text = text;
	return !text ? -ENOMEM : strlen(text) > MAX_LENGTH ? -E2BIG : 0;
}

char *gpmu_derived_formula(const struct gpmu_derived *derived, char *(*event)(const char *name, void *user),
			   int (*is_integer)(const char *name, void *user), void *user)
{
	const struct writer writer = { derived, event, is_integer, user };
	struct part *parts = calloc(EXPR_SLOTS, sizeof(*parts));
	char *text = NULL;
	int ret = parts ? 0 : -ENOMEM;

	for (size_t i = 0; i < derived->expr->length && !ret; i++)
		ret = write(&writer, &derived->expr->code[i], parts + derived->expr->code[i].slot);
	if (!ret) {
		text = parts[0].text;
		parts[0].text = NULL;
	}
	for (size_t i = 0; parts && i < EXPR_SLOTS; i++)
		free(parts[i].text);
	free(parts);
	errno = ret ? -ret : errno;
	return text;
}
