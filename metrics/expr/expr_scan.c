// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "expr/expr_scan.h"

#define DIGITS		"0123456789"
#define LETTERS		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define BLANKS		" \t\n\v\f\r"
#define SIGNS		"|^&<>+-*/%(),"
/* Characters that a name may contain after a backslash */
#define ESCAPED		"-,="

static const struct {
	const char *word;
	enum expr_token token;
} words[] = {
	{ "if", TOKEN_IF }, { "else", TOKEN_ELSE }, { "NaN", TOKEN_NAN },
	{ "min", TOKEN_MIN }, { "max", TOKEN_MAX }, { "d_ratio", TOKEN_D_RATIO },
	{ "source_count", TOKEN_SOURCE_COUNT }, { "aggr_nr", TOKEN_AGGR_NR },
	{ "has_event", TOKEN_HAS_EVENT }, { "strcmp_cpuid_str", TOKEN_STRCMP_CPUID_STR },
	{ "simplify", TOKEN_SIMPLIFY }, { "nan_as_zero", TOKEN_NAN_AS_ZERO },
};

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Length of a number: digits with at most one decimal point, and an optional exponent. */
static size_t span_number(const char *s)
{
	size_t len = strspn(s, DIGITS), fraction, sign, exponent;

	if (s[len] == '.') {
		fraction = strspn(s + len + 1, DIGITS);
		if (!len && !fraction)
			return 0;
		len += 1 + fraction;
	}
	if (len && s[len] == 'e') {
		sign = s[len + 1] == '-';
		exponent = strspn(s + len + 1 + sign, DIGITS);
		if (exponent)
			len += 1 + sign + exponent;
	}
	return len;
}

/*
 * Length of a name. Characters with another meaning need a backslash. Upstream's JSON
 * omits it before some "=" in a PMU's terms; perf's jevents.py adds it.
 */
static size_t span_name(const char *s)
{
	const char *letters = LETTERS DIGITS "_.:@?";
	size_t len = 0, more;

	do {
		more = strspn(s + len, letters);
		if (memchr(s + len, '@', more))
			letters = LETTERS DIGITS "_.:@?=";
		if (!more && s[len] == '\\' && is_one_of(s[len + 1], ESCAPED))
			more = 2;
		len += more;
	} while (more);
	return len;
}

/* A literal's name may contain "-": "#num_cpus-1" is one literal, "#num_cpus - 1" is not. */
static size_t span_literal(const char *s)
{
	size_t len = *s == '#' ? strspn(s + 1, LETTERS DIGITS "_.-") : 0;

	return len ? 1 + len : 0;
}

static enum expr_token word_at(const struct expr_scanner *scanner, const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (words[i].token >= TOKEN_SIMPLIFY && !scanner->is_derived)
			continue;
		if (strlen(words[i].word) == len && !memcmp(words[i].word, s, len))
			return words[i].token;
	}
	return TOKEN_ID;
}

static void take(struct expr_scanner *scanner, enum expr_token token, size_t len)
{
	scanner->token = token;
	scanner->len = len;
}

void expr_scan_next(struct expr_scanner *scanner)
{
	const char *s = scanner->cursor + scanner->len;
	size_t number, name, literal;

	s += strspn(s, BLANKS);
	scanner->cursor = s;
	number = span_number(s);
	name = span_name(s);
	literal = span_literal(s);
	if (!*s)
		take(scanner, TOKEN_END, 0);
	else if (number && number >= name)
		take(scanner, TOKEN_NUMBER, number);
	else if (name)
		take(scanner, word_at(scanner, s, name), name);
	else if (literal)
		take(scanner, TOKEN_LITERAL, literal);
	else
		take(scanner, is_one_of(*s, SIGNS) ? TOKEN_SIGN : TOKEN_BAD, 1);
}

int expr_scan_init(struct expr_scanner *scanner, const char *text, bool is_derived)
{
	scanner->text = text;
	scanner->is_derived = is_derived;
	scanner->cursor = text;
	scanner->len = 0;
	scanner->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!scanner->c)
		return -ENOMEM;
	expr_scan_next(scanner);
	return 0;
}

void expr_scan_release(struct expr_scanner *scanner)
{
	freelocale(scanner->c);
}

bool expr_scan_at_sign(const struct expr_scanner *scanner, char sign)
{
	return scanner->token == TOKEN_SIGN && *scanner->cursor == sign;
}

int expr_scan_number(const struct expr_scanner *scanner, double *number)
{
	int before = errno, err;

	errno = 0;
	*number = strtod_l(scanner->cursor, NULL, scanner->c);
	err = errno;
	errno = before;
	return -err;
}

bool expr_scan_integer(const struct expr_scanner *scanner, uint64_t *integer)
{
	int before = errno, err;

	if (strspn(scanner->cursor, DIGITS) < scanner->len)
		return false;
	errno = 0;
	*integer = strtoull(scanner->cursor, NULL, 10);
	err = errno;
	errno = before;
	return !err;
}

char *expr_scan_name(const struct expr_scanner *scanner, unsigned int parameter)
{
	const char *s = scanner->cursor, *end = s + scanner->len;
	char digits[16], *name, *out;
	size_t n, room = scanner->len + 1;

	n = (size_t)snprintf(digits, sizeof(digits), "%u", parameter);
	for (const char *c = s; c < end; c++)
		room += *c == '?' ? n : 0;
	name = malloc(room);
	if (!name)
		return NULL;
	out = name;
	for (; s < end; s++) {
		if (*s == '?') {
			memcpy(out, digits, n);
			out += n;
		} else if (*s != '\\' && *s != '#') {
			*out++ = *s;
		}
	}
	*out = 0;
	return name;
}
