// SPDX-License-Identifier: LGPL-2.1-or-later
/* A process's names by number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/demangle.h"
#include "record/tracks/record_map.h"

int record_string_add(struct record_process *process, uint32_t id, const char *text)
{
	union map_cell *value = map_add(&process->strings, id, NULL);
	struct record_string *name;

	if (!value)
		return -ENOMEM;
	/* Each number is defined once. */
	if (value->pointer)
		return 0;
	name = calloc(1, sizeof(*name));
	if (name)
		name->text = strdup(text);
	if (!name || !name->text) {
		free(name);
		return -ENOMEM;
	}
	value->pointer = name;
	return 0;
}

const char *record_string(const struct record_process *process, uint32_t id)
{
	const struct record_string *name = map_object(&process->strings, id);

	return name ? name->text : "?";
}

const char *record_string_demangled(const struct record_process *process, uint32_t id)
{
	struct record_string *name = map_object(&process->strings, id);

	if (!name)
		return "?";
	if (!name->shown && !strncmp(name->text, "_Z", 2))
		name->shown = demangle(name->text);
	return name->shown ? name->shown : name->text;
}

void record_string_free(void *string)
{
	struct record_string *name = string;

	free(name->text);
	free(name->shown);
	free(name);
}
