// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The string table: each name is written once between two restarts, and referred to by
 * number.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace/trace.h"

#define SLOTS_FIRST	1024

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

static uint32_t *slot_of(const struct trace_names *names, uint64_t hash, const char *key,
			 size_t length)
{
	size_t mask = names->slot_count - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &names->slots[i];
		const struct trace_name *name;

		if (!*slot)
			return slot;
		name = &names->names[*slot - 1];
		if (name->hash == hash && name->key_length == length &&
		    !memcmp(name->key, key, length))
			return slot;
	}
}

/* Doubles the table; at most half of the slots are in use. */
static int grow(struct trace_names *names)
{
	size_t slot_count = names->slot_count ? names->slot_count * 2 : SLOTS_FIRST;
	struct trace_name *larger;
	uint32_t *slots;

	larger = reallocarray(names->names, slot_count / 2, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	names->names = larger;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(names->slots);
	names->slots = slots;
	names->slot_count = slot_count;
	names->room = slot_count / 2;
	for (size_t i = 0; i < names->n; i++)
		*slot_of(names, larger[i].hash, larger[i].key, larger[i].key_length) =
			(uint32_t)i + 1;
	return 0;
}

static int64_t add(struct gpmu_trace *trace, uint64_t hash, const char *text, size_t key_length)
{
	struct trace_names *names = &trace->names;
	struct trace_name *name;
	size_t length;

	if (names->n == names->room && grow(names))
		return -ENOMEM;
	name = &names->names[names->n];
	memset(name, 0, sizeof(*name));
	name->key = strndup(text, key_length);
	if (!name->key)
		return -ENOMEM;
	if (trace_text(trace, name->key, &name->text, &length)) {
		free(name->key);
		return -ENOMEM;
	}
	if (!name->text)
		name->text = name->key;
	name->hash = hash;
	name->key_length = (uint32_t)key_length;
	name->length = (uint32_t)length;
	names->bytes += key_length + length + sizeof(*name);
	names->n++;
	*slot_of(names, hash, name->key, key_length) = (uint32_t)names->n;
	return (int64_t)names->n;
}

int64_t trace_name_of(struct gpmu_trace *trace, const char *text)
{
	/* The name will be truncated, but a longer length marks that it was. */
	size_t length = strnlen(text, TRACE_NAME_MOST + 1);
	uint64_t hash = trace_hash(text, length);
	uint32_t known = 0;

	if (trace->names.slot_count)
		known = *slot_of(&trace->names, hash, text, length);
	return known ? known : add(trace, hash, text, length);
}

void trace_names_forget(struct trace_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		if (names->names[i].text != names->names[i].key)
			free(names->names[i].text);
		free(names->names[i].key);
	}
	if (names->slot_count)
		memset(names->slots, 0, names->slot_count * sizeof(*names->slots));
	names->n = 0;
	names->bytes = 0;
}

void trace_names_release(struct trace_names *names)
{
	trace_names_forget(names);
	free(names->names);
	free(names->slots);
}
