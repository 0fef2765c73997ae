// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>

#include "base/text/text.h"

char *text_vprint(const char *fmt, va_list args)
{
	va_list again;
	char *text;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (length < 0)
		return NULL;
	text = malloc((size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, fmt, args);
	return text;
}

char *text_print(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = text_vprint(fmt, args);
	va_end(args);
	return text;
}

int text_compare(const char *a, const char *b)
{
	while (*a && text_lower(*a) == text_lower(*b)) {
		a++;
		b++;
	}
	return (unsigned char)text_lower(*a) - (unsigned char)text_lower(*b);
}

uint64_t text_hash(const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ULL;
	return hash;
}
