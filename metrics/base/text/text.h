/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formatted texts of any length, and hashes of texts. */
#ifndef GPMU_TEXT_H
#define GPMU_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Formats as printf() does. The caller frees the text; NULL if out of memory. */
__attribute__((format(printf, 1, 2)))
char *text_print(const char *fmt, ...);
__attribute__((format(printf, 1, 0)))
char *text_vprint(const char *fmt, va_list args);

/* FNV-1a of the first @length bytes */
uint64_t text_hash(const char *text, size_t length);

#endif /* GPMU_TEXT_H */
