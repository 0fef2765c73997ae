// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_stack.h"

struct node {
	uint32_t caller, frame;
};

int profile_stacks_add(struct profile_stacks *stacks, uint32_t caller, uint32_t frame, uint32_t *number)
{
	const uint64_t key = (uint64_t)caller << 32 | frame;
	struct node *node;

	if (map_get(&stacks->numbers, key, number))
		return 0;
	node = vector_add(&stacks->nodes, sizeof(*node));
	if (!node)
		return -ENOMEM;
	*node = (struct node){ .caller = caller, .frame = frame };
	*number = (uint32_t)stacks->nodes.n;
	if (!map_set(&stacks->numbers, key, *number))
		return 0;
	stacks->nodes.n--;
	return -ENOMEM;
}

/* Puts the text of a frame and a semicolon in front of @end, unless it is NULL. Returns their length. */
static size_t put(const struct strings *texts, uint32_t frame, char *end)
{
	const char *text = strings_text(texts, (frame & ~PROFILE_STACK_OBJECT) - 1);
	const size_t brackets = frame & PROFILE_STACK_OBJECT && *text != '[', length = strlen(text);
	char *at = end ? end - length - 2 * brackets - 1 : NULL;

	if (at && brackets)
		*at++ = '[';
	for (size_t i = 0; i < length && at; i++)
		*at++ = text[i] == ';' ? ':' : text[i];
	if (at && brackets)
		*at++ = ']';
	if (at)
		*at = ';';
	return length + 2 * brackets + 1;
}

char *profile_stacks_text(const struct profile_stacks *stacks, const struct strings *texts, uint32_t number)
{
	const struct node *nodes = stacks->nodes.data;
	char *text, *end;
	size_t size = 0;

	for (uint32_t at = number; at; at = nodes[at - 1].caller)
		size += put(texts, nodes[at - 1].frame, NULL);
	text = malloc(size + 1);
	if (!text)
		return NULL;
	end = text + size;
	for (uint32_t at = number; at; at = nodes[at - 1].caller)
		end -= put(texts, nodes[at - 1].frame, end);
	/* The last semicolon */
	text[size ? size - 1 : 0] = '\0';
	return text;
}

void profile_stacks_release(struct profile_stacks *stacks)
{
	vector_release(&stacks->nodes);
	map_release(&stacks->numbers);
}
