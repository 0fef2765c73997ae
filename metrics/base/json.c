// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <string.h>

#include "base/gpmu_json.h"
#include "base/text/utf8.h"

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
	const char text[GPMU_JSON_MAX] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	if (c != '"' && c != '\\')
		return add_bytes(to, text, sizeof(text));
	*to++ = '\\';
	*to++ = (char)c;
	return to;
}

/* Writes the character at *@text that is not plain, and advances *@text past it. */
static char *add_character(char *to, const char **text)
{
	const size_t n = utf8_length(*text);
	const char *from = *text;

	*text += n ? n : 1;
	if (n > 1)
		return add_bytes(to, from, n);
	return n ? add_escaped(to, (unsigned char)*from) :
		   add_bytes(to, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT));
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
	char character[GPMU_JSON_MAX] = "";
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
