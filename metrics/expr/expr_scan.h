/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens of a metric expression, one at a time. As in perf, the longest match wins: "1e-5"
 * is a number and "1e5x" an event's name. Letters and digits are ASCII, and the decimal
 * point is "." in any locale.
 */
#ifndef GPMU_EXPR_SCAN_H
#define GPMU_EXPR_SCAN_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum expr_token {
	TOKEN_END,
	TOKEN_BAD,	/* a byte that begins no token */
	TOKEN_SIGN,
	TOKEN_NUMBER, TOKEN_NAN,
	TOKEN_ID,
	TOKEN_LITERAL,	/* #NAME */
	TOKEN_IF, TOKEN_ELSE,
	TOKEN_MIN, TOKEN_MAX, TOKEN_D_RATIO,
	TOKEN_SOURCE_COUNT, TOKEN_AGGR_NR, TOKEN_HAS_EVENT, TOKEN_STRCMP_CPUID_STR,
	/* in derived metrics */
	TOKEN_SIMPLIFY, TOKEN_NAN_AS_ZERO,
};

struct expr_scanner {
	const char *text;
	bool is_derived;	/* a derived metric of Nsight Compute */
	locale_t c;
	/* the current token */
	enum expr_token token;
	const char *cursor;
	size_t len;
};

/*
 * Moves to the first token of @text, which the caller keeps. @is_derived: also has the words of derived metrics.
 * Returns 0 or -ENOMEM.
 */
int expr_scan_init(struct expr_scanner *scanner, const char *text, bool is_derived);
void expr_scan_release(struct expr_scanner *scanner);

/* Moves to the next token; after the last one the token stays TOKEN_END. */
void expr_scan_next(struct expr_scanner *scanner);

bool expr_scan_at_sign(const struct expr_scanner *scanner, char sign);

/* Value of a TOKEN_NUMBER. Returns 0 or -ERANGE. */
int expr_scan_number(const struct expr_scanner *scanner, double *number);
/* Returns whether a TOKEN_NUMBER has digits alone and fits an integer, which is then set. */
bool expr_scan_integer(const struct expr_scanner *scanner, uint64_t *integer);

/*
 * Name of a TOKEN_ID, without backslashes and with @parameter for each "?", or of a
 * TOKEN_LITERAL, without "#". The caller frees it; NULL if out of memory.
 */
char *expr_scan_name(const struct expr_scanner *scanner, unsigned int parameter);

#endif /* GPMU_EXPR_SCAN_H */
