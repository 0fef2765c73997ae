/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formatted texts of any length, and hashes of texts. */
#ifndef GPMU_TEXT_H
#define GPMU_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Formats as printf() does. The caller frees the text; NULL if out of memory. */
__attribute__((format(printf, 1, 2)))
char *text_print(const char *fmt, ...);
__attribute__((format(printf, 1, 0)))
char *text_vprint(const char *fmt, va_list args);

/* Returns whether both texts are equal, or both are NULL. */
static inline bool text_is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns an ASCII letter in lower case, in any locale; any other character unchanged. */
static inline char text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Compares texts as strcasecmp() does in the C locale, in any locale. */
int text_compare(const char *a, const char *b);

/* FNV-1a of the first @length bytes */
uint64_t text_hash(const char *text, size_t length);

#endif /* GPMU_TEXT_H */
