// SPDX-License-Identifier: LGPL-2.1-or-later
/* Fields of a line. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "saved/saved.h"

#define MAX_NUMBER	512	/* characters of one; "%f" writes 309 digits at most */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct saved_text saved_skip_blanks(struct saved_text text)
{
	while (text.length && *text.begin == ' ') {
		text.begin++;
		text.length--;
	}
	return text;
}

bool saved_is(struct saved_text text, const char *word)
{
	return text.begin && text.length == strlen(word) && !memcmp(text.begin, word, text.length);
}

bool saved_parse_u64(struct saved_text text, uint64_t *value)
{
	uint64_t n = 0;

	text = saved_skip_blanks(text);
	if (!text.length)
		return false;
	for (size_t i = 0; i < text.length; i++)
		if (!is_digit(text.begin[i]) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (unsigned int)(text.begin[i] - '0'), &n))
			return false;
	*value = n;
	return true;
}

/*
 * Not strtod(), whose point is the locale's. A number of up to 15 digits is rounded once, by the
 * division, as strtod() would.
 */
bool saved_parse_double(struct saved_text text, double *value)
{
	double n = 0, scale = 1;
	uint64_t whole = 0;
	bool is_negative, is_in_range = true;
	size_t i;

	text = saved_skip_blanks(text);
	is_negative = text.length && *text.begin == '-';
	if (text.length > MAX_NUMBER)
		return false;
	for (i = is_negative; i < text.length && is_digit(text.begin[i]); i++) {
		unsigned int digit = (unsigned int)(text.begin[i] - '0');

		is_in_range = is_in_range && !__builtin_mul_overflow(whole, 10, &whole) &&
			      !__builtin_add_overflow(whole, digit, &whole);
		n = n * 10 + digit;
	}
	if (i == is_negative)
		return false;
	if (is_in_range)
		n = (double)whole;
	if (i < text.length && (text.begin[i] == '.' || text.begin[i] == ','))
		for (i++; i < text.length && is_digit(text.begin[i]); i++)
			/* 15 digits are as many as matter. */
			if (n < 9e14 && scale < 1e15) {
				n = n * 10 + (text.begin[i] - '0');
				scale *= 10;
			}
	if (i < text.length || isinf(n))
		return false;
	*value = is_negative ? -n / scale : n / scale;
	return true;
}

bool saved_parse_share(struct saved_text text, double *share)
{
	return text.length > 3 && !is_digit(text.begin[text.length - 3]) &&
	       saved_parse_double(text, share) && *share >= 0 && *share <= 100;
}

bool saved_parse_time(struct saved_text text, uint64_t *ns)
{
	struct saved_text seconds, decimals;
	uint64_t s, n;

	text = saved_skip_blanks(text);
	if (text.length < 11 ||
	    (text.begin[text.length - 10] != '.' && text.begin[text.length - 10] != ','))
		return false;
	seconds = (struct saved_text){ text.begin, text.length - 10 };
	decimals = (struct saved_text){ text.begin + text.length - 9, 9 };
	return is_digit(*decimals.begin) && saved_parse_u64(seconds, &s) &&
	       saved_parse_u64(decimals, &n) && !__builtin_mul_overflow(s, 1000000000, ns) &&
	       !__builtin_add_overflow(*ns, n, ns);
}

bool saved_parse_unsigned(struct saved_text text, unsigned int *value)
{
	uint64_t n;

	if (!saved_parse_u64(text, &n) || n > UINT_MAX)
		return false;
	*value = (unsigned int)n;
	return true;
}

bool saved_parse_int(struct saved_text text, int *value)
{
	unsigned int n;

	if (!saved_parse_unsigned(text, &n) || n > INT_MAX)
		return false;
	*value = (int)n;
	return true;
}

/* "-D0-C3", "-D0-L3-ID0": letters and a number, up to SAVED_PARTS times */
static bool parse_parts(struct saved_text text, int *parts)
{
	size_t i = 0;

	for (size_t n = 0; i < text.length; n++) {
		size_t letters, digits;

		if (n == SAVED_PARTS || text.begin[i++] != '-')
			return false;
		for (letters = i; i < text.length && text.begin[i] >= 'A' && text.begin[i] <= 'Z'; i++)
			;
		for (digits = i; i < text.length && is_digit(text.begin[i]); i++)
			;
		if (letters == digits ||
		    !saved_parse_int((struct saved_text){ text.begin + digits, i - digits }, &parts[n]))
			return false;
	}
	return true;
}

bool saved_parse_label(struct saved_text text, struct saved_line *line)
{
	static const struct {
		const char *prefix;
		enum saved_label label;
	} kinds[] = {
		{ "CPU", SAVED_CPU }, { "S", SAVED_PACKAGE }, { "N", SAVED_NODE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t begin = strlen(kinds[i].prefix), end = begin;

		if (text.length <= begin || memcmp(text.begin, kinds[i].prefix, begin))
			continue;
		while (end < text.length && is_digit(text.begin[end]))
			end++;
		if (!saved_parse_int((struct saved_text){ text.begin + begin, end - begin }, &line->count.number))
			return false;
		line->count.label = kinds[i].label;
		text.begin += end;
		text.length -= end;
		return kinds[i].label == SAVED_PACKAGE ? parse_parts(text, line->count.parts) :
							  !text.length;
	}
	return false;
}

bool saved_parse_thread(struct saved_text text, struct saved_line *line)
{
	size_t begin = text.length;

	while (begin && is_digit(text.begin[begin - 1]))
		begin--;
	if (begin < 2 || text.begin[begin - 1] != '-' ||
	    !saved_parse_int((struct saved_text){ text.begin + begin, text.length - begin }, &line->count.number))
		return false;
	line->count.label = SAVED_THREAD;
	return true;
}

/*
 * perf prints counts with 0, 2 or 6 decimals, so three digits after a comma or point are a
 * group of thousands.
 */
static bool is_grouped(struct saved_text text)
{
	return text.length > 4 && !is_digit(text.begin[text.length - 4]) &&
	       is_digit(text.begin[text.length - 3]);
}

bool saved_parse_count(struct saved_text text, struct saved_line *line)
{
	text = saved_skip_blanks(text);
	line->count.state = COUNT_OK;
	if (saved_is(text, "<not counted>"))
		line->count.state = COUNT_NOT_COUNTED;
	else if (saved_is(text, "<not supported>"))
		line->count.state = COUNT_NOT_SUPPORTED;
	else
		return !is_grouped(text) && saved_parse_double(text, &line->count.value) &&
		       line->count.value >= 0;
	return true;
}
