// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "trace/channel/channel_names.h"

#define FIRST_SLOTS	1024
#define BESIDE		64	/* bytes of a name in addition to its text */

/* FNV-1a */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < CHANNEL_NAME_LONGEST && text[i]; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static void put(struct channel_names *names, uint32_t number)
{
	uint32_t i = hash_of(names->list[number - 1]);

	while (names->slots[i & (names->slot_count - 1)])
		i++;
	names->slots[i & (names->slot_count - 1)] = number;
}

/* Makes room for one more, keeping at least half of the table empty */
static bool grow(struct channel_names *names)
{
	uint32_t slot_count = names->slot_count ? names->slot_count * 2 : FIRST_SLOTS, *slots;
	char **list;

	if (names->length < names->room)
		return true;
	list = realloc(names->list, slot_count / 2 * sizeof(char *));
	if (!list)
		return false;
	names->list = list;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return false;
	free(names->slots);
	names->slots = slots;
	names->slot_count = slot_count;
	names->room = slot_count / 2;
	for (uint32_t number = 1; number <= names->length; number++)
		put(names, number);
	return true;
}

bool channel_name_is(const struct channel_names *names, uint32_t number, const char *text)
{
	return !strncmp(names->list[number - 1], text, CHANNEL_NAME_LONGEST);
}

uint32_t channel_names_find(const struct channel_names *names, const char *text)
{
	for (uint32_t i = hash_of(text); names->slot_count; i++) {
		uint32_t number = names->slots[i & (names->slot_count - 1)];

		if (!number)
			break;
		if (channel_name_is(names, number, text))
			return number;
	}
	return 0;
}

static bool write_name(uint32_t number, const char *text,
		       bool (*write)(void *user, const struct activity_head *record), void *user)
{
	union {
		struct activity_name name;
		char bytes[sizeof(struct activity_name) + CHANNEL_NAME_LONGEST + 8];
	} record;
	size_t n = strlen(text);

	memset(&record, 0, sizeof(record.name));
	record.name.head.kind = ACTIVITY_NAME;
	record.name.head.size = (uint32_t)((sizeof(record.name) + n + 1 + 7) / 8 * 8);
	record.name.id = number;
	memset(record.bytes + record.name.head.size - 8, 0, 8);
	memcpy(record.name.text, text, n);
	return write(user, &record.name.head);
}

uint32_t channel_names_add(struct channel_names *names, const char *text,
			   bool (*write)(void *user, const struct activity_head *record),
			   void *user)
{
	char *copy;

	if (!grow(names))
		return 0;
	copy = strndup(text, CHANNEL_NAME_LONGEST);
	if (!copy || !write_name(names->length + 1, copy, write, user)) {
		free(copy);
		return 0;
	}
	names->list[names->length++] = copy;
	put(names, names->length);
	return names->length;
}

uint32_t channel_names_intern(struct channel_names *names, size_t *bytes, const char *text,
			      bool (*write)(void *user, const struct activity_head *record),
			      void *user)
{
	const size_t size = strnlen(text, CHANNEL_NAME_LONGEST) + BESIDE;
	uint32_t number = channel_names_find(names, text);

	if (number)
		return number;
	/* Names that never repeat, such as "step 5317", would use up all memory. */
	if (*bytes + size > CHANNEL_NAMES_MAX) {
		number = channel_names_find(names, CHANNEL_NAMES_MORE);
		return number ? number : channel_names_add(names, CHANNEL_NAMES_MORE, write, user);
	}
	number = channel_names_add(names, text, write, user);
	if (number)
		*bytes += size;
	return number;
}
