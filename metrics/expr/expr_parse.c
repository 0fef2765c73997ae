// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parses metric expressions in the grammar of perf's MetricExpr (Linux 7.3).
 *
 *	whole     = operators [ "if" operators "else" whole ]
 *	operators = operators ("|" | "^" | "&" | "<" | ">" | "+" | "-" | "*" | "/" | "%") operators
 *	          | primary
 *	primary   = "-" primary | "(" whole ")" | number | "NaN" | #literal | ID
 *	          | ("min" | "max" | "d_ratio") "(" operators "," operators ")"
 *	          | ("source_count" | "aggr_nr" | "has_event" | "strcmp_cpuid_str") "(" ID ")"
 *	          | ("simplify" | "nan_as_zero") "(" operators ")", in derived metrics alone
 *
 * An ID is an event or another metric. It has "@" for a PMU's slashes, and a backslash
 * before "-", "," and "=", which "=" may omit after an "@". The caller supplies the
 * number that replaces "?".
 *
 * perf skips a byte that begins no token and so reads "a <= b" as "a < b". This parser
 * reports an error instead.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "expr/expr_build.h"
#include "expr/expr_parse.h"
#include "expr/expr_scan.h"

/* Upstream's most deeply nested metric has 23 levels of parentheses. */
#define MAX_DEPTH	100
/* bytes of a token that an error shows */
#define MAX_SHOWN	64

/* Operators of higher rank bind more tightly. */
#define LOWEST_RANK	1

static const struct {
	char sign;
	int rank;
	enum expr_op op;
} operators[] = {
	{ .sign = '|', .rank = 1, .op = EXPR_OR },
	{ .sign = '^', .rank = 2, .op = EXPR_XOR }, { .sign = '&', .rank = 3, .op = EXPR_AND },
	{ .sign = '<', .rank = 4, .op = EXPR_LESS }, { .sign = '>', .rank = 4, .op = EXPR_GREATER },
	{ .sign = '+', .rank = 5, .op = EXPR_ADD }, { .sign = '-', .rank = 5, .op = EXPR_SUBTRACT },
	{ .sign = '*', .rank = 6, .op = EXPR_MULTIPLY },
	{ .sign = '/', .rank = 6, .op = EXPR_DIVIDE }, { .sign = '%', .rank = 6, .op = EXPR_REMAINDER },
};

#define N_OPERATORS	ARRAY_SIZE(operators)

struct parser {
	struct expr_scanner scan;
	struct expr_builder build;
	const struct gpmu_expr_env *env;
	struct gpmu_error *error;
	unsigned int depth;
	int err;
};

/* --- errors --- */

/* Keeps the first error and ends the input. */
__attribute__((format(printf, 4, 5)))
static void fail_at(struct parser *p, const char *pos, int err, const char *fmt, ...)
{
	va_list args;

	if (p->err)
		return;
	p->err = err;
	p->scan.token = TOKEN_END;
	va_start(args, fmt);
	error_set_at(p->error, (size_t)(pos - p->scan.text), fmt, args);
	va_end(args);
}

static int shown(const struct parser *p)
{
	return p->scan.len < MAX_SHOWN ? (int)p->scan.len : MAX_SHOWN;
}

static void expected(struct parser *p, const char *what)
{
	const char *pos = p->scan.cursor;

	if (p->scan.token == TOKEN_END)
		fail_at(p, pos, -EINVAL, "expected %s, found the end", what);
	else if (*pos < ' ' || *pos > '~')
		fail_at(p, pos, -EINVAL, "expected %s, found byte 0x%02x", what, (unsigned char)*pos);
	else
		fail_at(p, pos, -EINVAL, "expected %s, found \"%.*s\"", what, shown(p), pos);
}

static void no_memory(struct parser *p)
{
	fail_at(p, p->scan.cursor, -ENOMEM, ERROR_NO_MEMORY);
}

/* --- the grammar --- */

static struct expr_part parse_whole(struct parser *p);
static struct expr_part parse_operators(struct parser *p, int rank);
static struct expr_part parse_primary(struct parser *p);

static void next(struct parser *p)
{
	if (!p->err)
		expr_scan_next(&p->scan);
}

/* Placeholder for a part after an error; its value is not used. */
static struct expr_part nothing(const struct parser *p)
{
	return (struct expr_part){ p->build.expr->length, NAN };
}

static void expect_sign(struct parser *p, char sign)
{
	char what[] = { '"', sign, '"', 0 };

	if (expr_scan_at_sign(&p->scan, sign))
		next(p);
	else
		expected(p, what);
}

static bool enter_level(struct parser *p)
{
	if (p->depth == MAX_DEPTH)
		fail_at(p, p->scan.cursor, -E2BIG, "nested deeper than %d levels", MAX_DEPTH);
	else
		p->depth++;
	return !p->err;
}

static char *take_name(struct parser *p)
{
	char *name;

	if (p->scan.token != TOKEN_ID) {
		expected(p, "the name of an event");
		return NULL;
	}
	name = expr_scan_name(&p->scan, p->env->parameter);
	if (name)
		next(p);
	else
		no_memory(p);
	return name;
}

static struct expr_part parse_id(struct parser *p, enum expr_op op)
{
	char *name = take_name(p);

	return name ? expr_build_id(&p->build, op, name) : nothing(p);
}

/* has_event() and strcmp_cpuid_str() are answered at compile time. */
static struct expr_part parse_question(struct parser *p, int (*answer)(const char *, void *),
				       const char *function, const char *pos)
{
	struct expr_part part = nothing(p);
	char *name = take_name(p);
	int yes;

	if (!name)
		return part;
	if (answer) {
		yes = answer(name, p->env->user);
		part = expr_build_number(&p->build, yes < 0 ? NAN : yes != 0);
	} else {
		fail_at(p, pos, -EINVAL, "%s() has no value here", function);
	}
	free(name);
	return part;
}

static struct expr_part parse_pair(struct parser *p, enum expr_op op)
{
	struct expr_part a = parse_operators(p, LOWEST_RANK), b;

	expect_sign(p, ',');
	b = parse_operators(p, LOWEST_RANK);
	return p->err ? nothing(p) : expr_build_binary(&p->build, op, a, b);
}

static struct expr_part parse_unary(struct parser *p, enum expr_op op)
{
	struct expr_part part = parse_operators(p, LOWEST_RANK);

	return p->err ? part : expr_build_unary(&p->build, op, part);
}

static struct expr_part parse_call(struct parser *p)
{
	enum expr_token function = p->scan.token;
	const char *pos = p->scan.cursor;
	struct expr_part part;

	next(p);
	expect_sign(p, '(');
	switch (function) {
	case TOKEN_SOURCE_COUNT:
		part = parse_id(p, EXPR_SOURCES);
		break;
	case TOKEN_AGGR_NR:
		part = parse_id(p, EXPR_LINES);
		break;
	case TOKEN_HAS_EVENT:
		part = parse_question(p, p->env->has_event, "has_event", pos);
		break;
	case TOKEN_STRCMP_CPUID_STR:
		part = parse_question(p, p->env->cpuid_matches, "strcmp_cpuid_str", pos);
		break;
	case TOKEN_SIMPLIFY:
		part = parse_unary(p, EXPR_SIMPLIFY);
		break;
	case TOKEN_NAN_AS_ZERO:
		part = parse_unary(p, EXPR_NAN_AS_ZERO);
		break;
	case TOKEN_MIN:
		part = parse_pair(p, EXPR_MIN);
		break;
	case TOKEN_MAX:
		part = parse_pair(p, EXPR_MAX);
		break;
	default:
		part = parse_pair(p, EXPR_D_RATIO);
	}
	expect_sign(p, ')');
	return part;
}

static struct expr_part parse_literal(struct parser *p)
{
	char *name = expr_scan_name(&p->scan, 0);
	double number;

	if (!name) {
		no_memory(p);
		return nothing(p);
	}
	number = p->env->literal ? p->env->literal(name, p->env->user) : NAN;
	free(name);
	if (isnan(number)) {
		fail_at(p, p->scan.cursor, -EINVAL, "%.*s has no value here", shown(p), p->scan.cursor);
		return nothing(p);
	}
	next(p);
	return expr_build_number(&p->build, number);
}

static struct expr_part parse_number(struct parser *p)
{
	double number;
	uint64_t integer;

	if (p->env->derived && expr_scan_integer(&p->scan, &integer)) {
		next(p);
		return expr_build_integer(&p->build, integer);
	}
	if (expr_scan_number(&p->scan, &number)) {
		fail_at(p, p->scan.cursor, -EINVAL, "%.*s is out of range", shown(p), p->scan.cursor);
		return nothing(p);
	}
	next(p);
	return expr_build_number(&p->build, number);
}

static struct expr_part parse_sign(struct parser *p)
{
	struct expr_part part;

	if (expr_scan_at_sign(&p->scan, '-')) {
		next(p);
		part = parse_primary(p);
		return p->err ? part : expr_build_negate(&p->build, part);
	}
	if (!expr_scan_at_sign(&p->scan, '(')) {
		expected(p, "a value");
		return nothing(p);
	}
	next(p);
	part = parse_whole(p);
	expect_sign(p, ')');
	return part;
}

static struct expr_part parse_primary(struct parser *p)
{
	struct expr_part part;

	if (!enter_level(p))
		return nothing(p);
	switch (p->scan.token) {
	case TOKEN_NUMBER:
		part = parse_number(p);
		break;
	case TOKEN_NAN:
		next(p);
		part = expr_build_number(&p->build, NAN);
		break;
	case TOKEN_LITERAL:
		part = parse_literal(p);
		break;
	case TOKEN_ID:
		part = parse_id(p, EXPR_VALUE);
		break;
	case TOKEN_MIN:
	case TOKEN_MAX:
	case TOKEN_D_RATIO:
	case TOKEN_SOURCE_COUNT:
	case TOKEN_AGGR_NR:
	case TOKEN_HAS_EVENT:
	case TOKEN_STRCMP_CPUID_STR:
	case TOKEN_SIMPLIFY:
	case TOKEN_NAN_AS_ZERO:
		part = parse_call(p);
		break;
	default:
		part = parse_sign(p);
	}
	p->depth--;
	return part;
}

static struct expr_part parse_operators(struct parser *p, int rank)
{
	struct expr_part left = parse_primary(p), right;
	const char *pos;
	size_t i;

	for (;;) {
		for (i = 0; i < N_OPERATORS; i++) {
			if (expr_scan_at_sign(&p->scan, operators[i].sign))
				break;
		}
		if (i == N_OPERATORS || operators[i].rank < rank)
			return left;
		pos = p->scan.cursor;
		next(p);
		right = parse_operators(p, operators[i].rank + 1);
		if (operators[i].op == EXPR_REMAINDER && right.value == 0)
			fail_at(p, pos, -EINVAL, "a remainder of a division by 0");
		if (p->err)
			return nothing(p);
		left = expr_build_binary(&p->build, operators[i].op, left, right);
	}
}

static struct expr_part parse_whole(struct parser *p)
{
	struct expr_part yes = parse_operators(p, LOWEST_RANK), condition, no;

	if (p->scan.token != TOKEN_IF || !enter_level(p))
		return yes;
	next(p);
	condition = parse_operators(p, LOWEST_RANK);
	if (p->scan.token == TOKEN_ELSE)
		next(p);
	else
		expected(p, "an operator or \"else\"");
	no = parse_whole(p);
	p->depth--;
	return p->err ? nothing(p) : expr_build_if(&p->build, yes, condition, no);
}

/* --- the whole expression --- */

static int parse(struct parser *p, struct gpmu_expr **expr)
{
	int ret;

	parse_whole(p);
	if (!p->err && p->scan.token != TOKEN_END)
		expected(p, "an operator");
	if (p->err)
		return p->err;
	ret = expr_build_finish(&p->build, expr);
	if (ret == -E2BIG)
		fail_at(p, p->scan.text, ret, "keeps more than %d values", EXPR_SLOTS);
	else if (ret)
		no_memory(p);
	return p->err;
}

int expr_compile(const char *text, const struct gpmu_expr_env *env, struct gpmu_error *error,
		 struct gpmu_expr **expr)
{
	struct parser p = { .env = env, .error = error };
	int ret;

	ret = expr_scan_init(&p.scan, text, env->derived);
	if (ret)
		goto no_scanner;
	ret = expr_build_init(&p.build);
	if (ret)
		goto no_builder;
	p.build.is_derived = env->derived;
	ret = parse(&p, expr);
	expr_build_release(&p.build);
no_builder:
	expr_scan_release(&p.scan);
no_scanner:
	return ret;
}
