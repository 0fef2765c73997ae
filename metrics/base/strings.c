// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "base/text/text.h"

const char *strings_text(const struct strings *strings, uint32_t number)
{
	return strings->texts.data[number];
}

int strings_number_of(struct strings *strings, const char *text, size_t length, uint32_t *number)
{
	uint64_t hash = text_hash(text, length);
	char **added;

	/* If another text has this hash, try the next one. */
	while (map_get(&strings->numbers, hash, number)) {
		const char *known = strings_text(strings, *number);

		if (!strncmp(known, text, length) && !known[length])
			return 0;
		hash++;
	}
	added = vector_append(strings->texts.data, strings->texts.n);
	if (!added)
		return -ENOMEM;
	*number = (uint32_t)strings->texts.n - 1;
	*added = strndup(text, length);
	if (*added && !map_set(&strings->numbers, hash, *number))
		return 0;
	free(*added);
	strings->texts.n--;
	return -ENOMEM;
}

int strings_number(struct strings *strings, const char *text, uint32_t *number)
{
	return strings_number_of(strings, text, strlen(text), number);
}

char **strings_take(struct strings *strings)
{
	char **texts = strings->texts.data;

	map_release(&strings->numbers);
	*strings = (struct strings){ 0 };
	return texts;
}

void strings_release(struct strings *strings)
{
	for (uint32_t i = 0; i < strings->texts.n; i++)
		free(strings->texts.data[i]);
	free(strings->texts.data);
	map_release(&strings->numbers);
	*strings = (struct strings){ 0 };
}
