// SPDX-License-Identifier: LGPL-2.1-or-later
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/text/gpmu_shown.h"
#include "base/text/utf8.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t utf8;	/* for wcwidth(), which has widths for the characters of the locale only */

/* --- characters --- */

/* Returns whether a valid character is a control character: C0, DEL, or C1, which has two bytes in UTF-8. */
static bool is_control(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;

	return bytes[0] < ' ' || bytes[0] == 0x7f || (bytes[0] == 0xc2 && bytes[1] < 0xa0);
}

/* Writes the shown text of the character at *@text, and advances *@text past it. Returns the end. */
static char *add_character(char *to, const char **text)
{
	size_t n = utf8_length(*text);

	if (!n || is_control(*text)) {
		*to++ = '?';
	} else {
		memmove(to, *text, n);
		to += n;
	}
	*text += n ? n : 1;
	return to;
}

char *gpmu_shown_add(char *to, const char *text)
{
	while (*text)
		if (*text >= ' ' && *text < 0x7f)
			*to++ = *text++;
		else
			to = add_character(to, &text);
	return to;
}

char *gpmu_shown(char *text)
{
	*gpmu_shown_add(text, text) = '\0';
	return text;
}

void gpmu_shown_print(FILE *file, const char *text)
{
	char character[4] = "";

	while (*text)
		fwrite(character, 1, (size_t)(add_character(character, &text) - character), file);
}

/* --- widths --- */

static void make_locale(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Decodes a character of @n bytes. */
static wchar_t decode(const char *text, size_t n)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	wchar_t character = (unsigned char)*text & masks[n];

	for (size_t i = 1; i < n; i++)
		character = character << 6 | (text[i] & 0x3f);
	return character;
}

/* Returns the bytes of the first character. An invalid byte has one column, as has a character without a width. */
static size_t measure(const char *text, size_t *columns)
{
	size_t n = utf8_length(text);
	int width = n > 1 ? wcwidth(decode(text, n)) : 1;

	*columns = width < 0 ? 1 : (size_t)width;
	return n ? n : 1;
}

static bool is_ascii(const char *text)
{
	while (*text && (unsigned char)*text < 0x80)
		text++;
	return !*text;
}

size_t gpmu_shown_fit(const char *text, size_t room, size_t *width)
{
	size_t length = 0;
	locale_t before;

	*width = 0;
	if (is_ascii(text))
		return *width = strnlen(text, room);
	pthread_once(&once, make_locale);
	before = uselocale(utf8);
	while (text[length]) {
		size_t columns, n = measure(text + length, &columns);

		if (*width + columns > room)
			break;
		*width += columns;
		length += n;
	}
	uselocale(before);
	return length;
}

size_t gpmu_shown_width(const char *text)
{
	size_t width;

	gpmu_shown_fit(text, SIZE_MAX, &width);
	return width;
}
