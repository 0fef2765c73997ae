/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A string table: each text has a number, from 0 in the order of their first use. */
#ifndef GPMU_STRINGS_H
#define GPMU_STRINGS_H

#include "base/map.h"
#include "base/vector.h"

/* Zeroed: empty */
struct strings {
	struct {
		char **data;
		size_t n;
	} texts;
	struct map numbers;	/* by hash */
};

/* Finds the number of a text, or adds a copy. Returns 0 or -ENOMEM. */
int strings_number(struct strings *strings, const char *text, uint32_t *number);
/* Likewise, for the first @length bytes of @text, none of which is NUL */
int strings_number_of(struct strings *strings, const char *text, size_t length, uint32_t *number);
const char *strings_text(const struct strings *strings, uint32_t number);
/* Returns the array of the texts and releases the rest. The caller frees each text and the array. NULL: there is no text */
char **strings_take(struct strings *strings);
void strings_release(struct strings *strings);

#endif /* GPMU_STRINGS_H */
