/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings of JSON (RFC 8259) */
#ifndef GPMU_JSON_H
#define GPMU_JSON_H

#include <stdio.h>

#define GPMU_JSON_MAX	6	/* maximum bytes for one byte of a text */

/*
 * Writes a quoted string, or null for NULL. Each byte that is not valid UTF-8 becomes U+FFFD. There
 * must be room for GPMU_JSON_MAX bytes for each byte of @text, and four more. Returns the end.
 */
char *gpmu_json_add(char *to, const char *text);
/* Likewise, to a file */
void gpmu_json_print(FILE *file, const char *text);

#endif /* GPMU_JSON_H */
