// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>

#include "base/words.h"

/* FNV-1a */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3ULL;
	return hash;
}

const char *words_text(const struct words *words, uint32_t number)
{
	return ((char *const *)words->texts.data)[number];
}

int words_number(struct words *words, const char *text, uint32_t *number)
{
	uint64_t hash = hash_of(text);
	char **added;

	/* Another text of the same hash has the next one. */
	while (map_get(&words->numbers, hash, number)) {
		if (!strcmp(words_text(words, *number), text))
			return 0;
		hash++;
	}
	added = array_add(&words->texts, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*number = (uint32_t)words->texts.n - 1;
	*added = strdup(text);
	if (*added && !map_set(&words->numbers, hash, *number))
		return 0;
	free(*added);
	words->texts.n--;
	return -ENOMEM;
}

void words_release(struct words *words)
{
	for (uint32_t i = 0; i < words->texts.n; i++)
		free(((char **)words->texts.data)[i]);
	array_release(&words->texts);
	map_release(&words->numbers);
}
