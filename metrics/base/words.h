/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts by number: each once, from 0 in the order in which they came. */
#ifndef GPMU_WORDS_H
#define GPMU_WORDS_H

#include "base/array.h"
#include "base/map.h"

/* Zeroed: none */
struct words {
	struct array texts;	/* char * */
	struct map numbers;	/* by hash */
};

/* The number of a text, which is copied if it is new; 0 or -ENOMEM */
int words_number(struct words *words, const char *text, uint32_t *number);
const char *words_text(const struct words *words, uint32_t number);
void words_release(struct words *words);

#endif /* GPMU_WORDS_H */
