/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UTF-8 (Unicode, table 3-7) */
#ifndef GPMU_UTF8_H
#define GPMU_UTF8_H

#include <stddef.h>

#define UTF8_REPLACEMENT	"\xef\xbf\xbd"	/* U+FFFD */

/*
 * The length in bytes of the first character of a text; 0 if it is invalid: overlong, a surrogate,
 * above U+10FFFF, or cut off. The length of the final NUL is 1.
 */
size_t utf8_length(const char *text);

#endif /* GPMU_UTF8_H */
