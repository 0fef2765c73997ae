// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The string table: each name is written once between two restarts, and referred to by
 * number.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

uint64_t trace_hash(const char *text, size_t length)
{
	uint64_t hash = 0x9e3779b97f4a7c15ULL ^ length, word;

	for (; length >= sizeof(word); length -= sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, text, length);
	hash = (hash ^ word) * 0xc4ceb9fe1a85ec53ULL;
	return hash ^ hash >> 29;
}

static int set_texts(struct gpmu_trace *trace, struct trace_name *name, const char *text)
{
	size_t length;

	name->key = strndup(text, name->key_length);
	if (!name->key)
		return -ENOMEM;
	if (trace_text(trace, name->key, &name->text, &length))
		return -ENOMEM;
	if (!name->text)
		name->text = name->key;
	name->length = (uint32_t)length;
	return 0;
}

static int64_t add(struct gpmu_trace *trace, uint64_t hash, const char *text, size_t key_length)
{
	struct trace_names *names = &trace->names;
	struct trace_name *name = vector_append(names->all, names->count);

	if (!name)
		return -ENOMEM;
	name->key_length = (uint32_t)key_length;
	if (set_texts(trace, name, text) ||
	    map_set(&names->indices, hash, (uint32_t)names->count - 1)) {
		if (name->text != name->key)
			free(name->text);
		free(name->key);
		names->count--;
		return -ENOMEM;
	}
	names->bytes += key_length + name->length + sizeof(*name);
	return (int64_t)names->count;
}

static int64_t find(struct gpmu_trace *trace, const char *text)
{
	/* The name will be truncated, but a longer length marks that it was. */
	size_t length = strnlen(text, TRACE_NAME_MAX + 1);
	uint64_t hash = trace_hash(text, length);
	uint32_t index;

	/* If another text has this hash, try the next one. */
	while (map_get(&trace->names.indices, hash, &index)) {
		const struct trace_name *name = trace_name(&trace->names, (int64_t)index + 1);

		if (name->key_length == length && !memcmp(name->key, text, length))
			return (int64_t)index + 1;
		hash++;
	}
	return add(trace, hash, text, length);
}

/* Most often a text has the same number as the last text at its address. */
int64_t trace_name_of(struct gpmu_trace *trace, const char *text)
{
	uintptr_t address = (uintptr_t)text;
	uint32_t *hint = &trace->names.hints[(address ^ address >> 9) % TRACE_HINTS];
	int64_t number;

	if (*hint && !strcmp(trace_name(&trace->names, *hint)->key, text))
		return *hint;
	number = find(trace, text);
	if (number > 0)
		*hint = (uint32_t)number;
	return number;
}

void trace_names_forget(struct trace_names *names)
{
	for (int64_t i = 1; i <= (int64_t)names->count; i++) {
		struct trace_name *name = trace_name(names, i);

		if (name->text != name->key)
			free(name->text);
		free(name->key);
	}
	map_clear(&names->indices);
	memset(names->hints, 0, sizeof(names->hints));
	names->count = names->bytes = 0;
}

void trace_names_release(struct trace_names *names)
{
	trace_names_forget(names);
	free(names->all);
	map_release(&names->indices);
}
