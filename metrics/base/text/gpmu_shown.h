/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts on a terminal. Names from files, programs and the kernel can have any bytes, also escape
 * sequences. In a shown text each control character (C0, DEL, C1 in UTF-8) and each byte that is
 * not valid UTF-8 is a "?".
 */
#ifndef GPMU_SHOWN_H
#define GPMU_SHOWN_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes @text as it is shown, without a NUL. @to has room for strlen(@text) bytes, and may be @text itself.
 * Returns the end.
 */
char *gpmu_shown_add(char *to, const char *text);
/* Replaces a text by the shown text. Returns @text. */
char *gpmu_shown(char *text);
/* Writes a text as it is shown to a file. */
void gpmu_shown_print(FILE *file, const char *text);

/*
 * Returns the number of bytes at the beginning of a text that fit into @room columns of a
 * terminal, and sets *@width to their number of columns. The locale does not matter.
 */
size_t gpmu_shown_fit(const char *text, size_t room, size_t *width);
/* Returns the number of columns of a terminal that a text takes. */
size_t gpmu_shown_width(const char *text);

#endif /* GPMU_SHOWN_H */
