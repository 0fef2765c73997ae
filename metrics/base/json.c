// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <string.h>

#include "base/gpmu_json.h"

/* The length of the first UTF-8 character of a text, 0 if it is invalid */
static size_t utf8_length(const unsigned char *text)
{
	size_t n = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 :
		   text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* An overlong encoding, a surrogate, or a number above U+10FFFF */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return n;
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static char *add_bytes(char *to, const char *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

static char *add_escaped(char *to, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	const char text[GPMU_JSON_MOST] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	if (c != '"' && c != '\\')
		return add_bytes(to, text, sizeof(text));
	*to++ = '\\';
	*to++ = (char)c;
	return to;
}

/* Writes the character at *@text that is not plain, and advances *@text past it. */
static char *add_character(char *to, const char **text)
{
	const size_t n = utf8_length((const unsigned char *)*text);
	const char *from = *text;

	*text += n ? n : 1;
	if (n > 1)
		return add_bytes(to, from, n);
	return n ? add_escaped(to, (unsigned char)*from) :
		   add_bytes(to, "\xef\xbf\xbd", strlen("\xef\xbf\xbd"));
}

static size_t plain_length(const char *text)
{
	const char *end = text;

	while (is_plain((unsigned char)*end))
		end++;
	return (size_t)(end - text);
}

char *gpmu_json_add(char *to, const char *text)
{
	size_t n;

	if (!text)
		return add_bytes(to, "null", strlen("null"));
	*to++ = '"';
	while (*text) {
		n = plain_length(text);
		to = add_bytes(to, text, n);
		text += n;
		if (*text)
			to = add_character(to, &text);
	}
	*to++ = '"';
	return to;
}

void gpmu_json_print(FILE *file, const char *text)
{
	char character[GPMU_JSON_MOST] = "";
	size_t n;

	if (!text) {
		fputs("null", file);
		return;
	}
	putc('"', file);
	while (*text) {
		n = plain_length(text);
		fwrite(text, 1, n, file);
		text += n;
		if (*text)
			fwrite(character, 1, (size_t)(add_character(character, &text) - character),
			       file);
	}
	putc('"', file);
}
