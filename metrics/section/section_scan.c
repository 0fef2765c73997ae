// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/text/text.h"
#include "section/section_scan.h"

#define SIGNS	"{}<>[]:;,-"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (text_lower(c) >= 'a' && text_lower(c) <= 'z') || c == '_';
}

/* Skips blanks and comments, and counts lines. */
static const char *skip(struct section_scanner *scanner, const char *c)
{
	while (c < scanner->end) {
		if (*c == '#') {
			while (c < scanner->end && *c != '\n')
				c++;
			continue;
		}
		if (!*c || !strchr(" \t\r\n\v\f", *c))
			break;
		scanner->line += *c++ == '\n';
	}
	return c;
}

static size_t span_name(const struct section_scanner *scanner, const char *c)
{
	const char *begin = c;

	while (c < scanner->end && (is_letter(*c) || is_digit(*c)))
		c++;
	return (size_t)(c - begin);
}

/* A number has letters in its exponent, as a prefix 0x, and as a suffix "f". Its value is checked later. */
static size_t span_number(const struct section_scanner *scanner, const char *c)
{
	const char *begin = c;

	for (; c < scanner->end; c++) {
		bool is_exponent = c > begin && text_lower(c[-1]) == 'e' &&
				   !(begin + 1 < scanner->end && text_lower(begin[1]) == 'x');

		if (!is_letter(*c) && !is_digit(*c) && *c != '.' && !(is_exponent && (*c == '-' || *c == '+')))
			break;
	}
	return (size_t)(c - begin);
}

/* Length of a string with its quotes; 0: it does not end on its line */
static size_t span_string(const struct section_scanner *scanner, const char *begin)
{
	for (const char *c = begin + 1; c < scanner->end && *c && *c != '\n'; c++) {
		if (*c == *begin)
			return (size_t)(c - begin) + 1;
		if (*c == '\\' && c + 1 < scanner->end && c[1] != '\n')
			c++;
	}
	return 0;
}

static void take(struct section_scanner *scanner, enum section_token token, size_t length)
{
	scanner->token = length ? token : SECTION_BAD;
	scanner->length = length ? length : 1;
}

void section_scan_next(struct section_scanner *scanner)
{
	const char *c = skip(scanner, scanner->text + scanner->length);

	scanner->text = c;
	scanner->length = 0;
	if (c == scanner->end)
		scanner->token = SECTION_END;
	else if (is_letter(*c))
		take(scanner, SECTION_NAME, span_name(scanner, c));
	else if (is_digit(*c) || (*c == '.' && c + 1 < scanner->end && is_digit(c[1])))
		take(scanner, SECTION_NUMBER, span_number(scanner, c));
	else if (*c == '"' || *c == '\'')
		take(scanner, SECTION_STRING, span_string(scanner, c));
	else
		take(scanner, SECTION_SIGN, *c && strchr(SIGNS, *c) ? 1 : 0);
}

void section_scan_init(struct section_scanner *scanner, const char *text, size_t size)
{
	*scanner = (struct section_scanner){ .text = text, .end = text + size, .line = 1 };
	section_scan_next(scanner);
}

bool section_scan_is_sign(const struct section_scanner *scanner, char sign)
{
	return scanner->token == SECTION_SIGN && *scanner->text == sign;
}

static int digit_value(char c)
{
	return is_digit(c) ? c - '0' : text_lower(c) >= 'a' && text_lower(c) <= 'f' ? text_lower(c) - 'a' + 10 : 16;
}

/* Reads at most @max digits of a base. Returns their number. */
static size_t read_digits(const char *c, const char *end, unsigned int base, size_t max, uint32_t *value)
{
	size_t n = 0;

	for (*value = 0; n < max && c + n < end && digit_value(c[n]) < (int)base; n++)
		*value = *value * base + (uint32_t)digit_value(c[n]);
	return n;
}

/* Writes a character as UTF-8. Returns the number of bytes; 0: no such character */
static size_t put_utf8(char *to, uint32_t character)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	if (!character || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
		return 0;
	for (size_t i = length; i-- > 1; character >>= 6)
		to[i] = (char)(0x80 | (character & 0x3f));
	to[0] = (char)(length > 1 ? first[length] | character : character);
	return length;
}

/*
 * Decodes the escape after a backslash at @c. Sets the number of bytes at @c that it takes. Returns the number of bytes
 * written, which is never more than the escape has; 0: no such escape
 */
static size_t put_escape(char *to, const char *c, const char *end, size_t *taken)
{
	static const char letters[] = "abfnrtv?\\'\"", values[] = "\a\b\f\n\r\t\v?\\'\"";
	const char *letter = c < end && *c ? strchr(letters, *c) : NULL;
	uint32_t value;
	size_t n;

	*taken = 1;
	if (letter) {
		*to = values[letter - letters];
		return 1;
	}
	if (c < end && (*c == 'u' || *c == 'U')) {
		*taken = *c == 'u' ? 5 : 9;
		n = read_digits(c + 1, end, 16, *taken - 1, &value);
		return n == *taken - 1 ? put_utf8(to, value) : 0;
	}
	if (c < end && text_lower(*c) == 'x') {
		n = read_digits(c + 1, end, 16, 2, &value);
		*taken = 1 + n;
	} else {
		n = read_digits(c, end, 8, 3, &value);
		*taken = n;
	}
	*to = (char)value;
	return n && value && value < 256 ? 1 : 0;
}

int section_scan_string(const struct section_scanner *scanner, char *to)
{
	const char *c = scanner->text + 1, *end = scanner->text + scanner->length - 1;
	char *begin = to;
	size_t taken, written;

	while (c < end) {
		if (*c != '\\') {
			*to++ = *c++;
			continue;
		}
		written = put_escape(to, ++c, end, &taken);
		if (!written)
			return -EINVAL;
		to += written;
		c += taken;
	}
	return (int)(to - begin);
}
