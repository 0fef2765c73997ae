/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as text, with a point in any locale, rounded as printf() does. */
#ifndef GPMU_NUMBER_H
#define GPMU_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_SIZE	448	/* bytes of a buffer that holds any of these texts */

/* All return the length and write no NUL. Values are finite. */
size_t number_u64(char *text, uint64_t value);
size_t number_int(char *text, int value);
/* As "%.*f", at most 9 decimals; @is_grouped: digits grouped with commas */
size_t number_fixed(char *text, double value, unsigned int decimals, bool is_grouped);
/* Nanoseconds as seconds with 9 decimals: "1.500000000" */
size_t number_seconds(char *text, uint64_t ns);
/* With the fewest digits, at most 17, that read back as the same value; "1.5e+300" */
size_t number_shortest(char *text, double value);

#endif /* GPMU_NUMBER_H */
