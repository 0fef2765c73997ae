// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "trace/channel/channel_names.h"

#define MANY	3000	/* more than the first tables hold */

static char last[CHANNEL_NAME_LONGEST + 8];
static uint32_t last_id;
static bool is_full, is_valid = true;

static bool write_name(void *user, const struct activity_head *record)
{
	const struct activity_name *name = (const void *)record;

	*(int *)user += 1;
	is_valid = is_valid && activity_is_valid(record) && record->kind == ACTIVITY_NAME;
	snprintf(last, sizeof(last), "%s", name->text);
	last_id = name->id;
	return !is_full;
}

static void release(struct channel_names *names)
{
	for (uint32_t i = 0; i < names->length; i++)
		free(names->list[i]);
	free(names->list);
	free(names->slots);
}

/* Names of two uses; those of one exceed the limit. */
static void limit(void)
{
	struct channel_names names = { 0 };
	char text[CHANNEL_NAME_LONGEST + 1];
	size_t bytes = 0, other = 0;
	uint32_t number = 0, length;
	int writes = 0;

	memset(text, '-', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int i = 1; i <= 5000 && (!number || !channel_name_is(&names, number, CHANNEL_NAMES_MORE)); i++) {
		text[snprintf(text, sizeof(text), "%d", i)] = '-';
		number = channel_names_intern(&names, &bytes, text, write_name, &writes);
	}
	length = names.length;
	is_str(last, CHANNEL_NAMES_MORE, "channel names: a new name beyond the limit becomes \"(more names)\"");
	ok(bytes <= CHANNEL_NAMES_MAX && bytes > CHANNEL_NAMES_MAX - 2 * CHANNEL_NAME_LONGEST,
	   "channel names: the names of a use have at most 16 MiB");
	*text = 'x';
	ok(channel_names_intern(&names, &bytes, text, write_name, &writes) == number && names.length == length,
	   "channel names: all new names beyond the limit get the same number");
	ok(channel_names_intern(&names, &other, text, write_name, &writes) == length + 1,
	   "channel names: each use has a limit of its own");
	is_u64(channel_names_intern(&names, &bytes, text, write_name, &writes), length + 1,
	       "channel names: a known name keeps its number beyond the limit");
	release(&names);
}

int main(void)
{
	struct channel_names names = { 0 };
	char text[CHANNEL_NAME_LONGEST + 100];
	bool is_right = true;
	int writes = 0;

	is_u64(channel_names_find(&names, "a"), 0, "channel names: an empty table has no name");
	is_u64(channel_names_add(&names, "a", write_name, &writes), 1, "channel names: the first name gets number 1");
	ok(writes == 1 && last_id == 1 && !strcmp(last, "a"), "channel names: a new name is written with its number");
	is_u64(channel_names_find(&names, "a"), 1, "channel names: a name is found by its text");
	ok(channel_name_is(&names, 1, "a") && !channel_name_is(&names, 1, "ab"),
	   "channel names: a number has one text");
	is_full = true;
	is_u64(channel_names_add(&names, "b", write_name, &writes), 0, "channel names: a name that cannot be written gets no number");
	is_u64(channel_names_find(&names, "b"), 0, "channel names: a name that cannot be written is not known");
	is_full = false;
	for (uint32_t i = 2; i < MANY; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		is_right = is_right && channel_names_add(&names, text, write_name, &writes) == i;
	}
	for (uint32_t i = 2; i < MANY; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		is_right = is_right && channel_names_find(&names, text) == i;
	}
	ok(is_right, "channel names: thousands of names are found by their texts");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	is_u64(channel_names_add(&names, text, write_name, &writes), MANY, "channel names: a long name gets a number");
	is_u64(strlen(last), CHANNEL_NAME_LONGEST, "channel names: a long name is truncated");
	is_u64(channel_names_find(&names, text), MANY, "channel names: a long name is found by its text");
	ok(is_valid, "channel names: all records are valid");
	release(&names);
	limit();
	return done_testing();
}
