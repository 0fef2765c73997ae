// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "chip.h"
#include "cmd.h"
#include "message.h"

#define ANY_CHIP	"GH100"	/* any chip can answer with the names of all chips */

/* The plugin's answer, an array; NULL with @error set. */
static json_t *ask(const char *spec, const char *question, struct gpmu_error *error)
{
	struct gpmu_source *source = gpmu_source_new(spec, error);
	json_t *answer = NULL;
	char *text = NULL;

	if (!source)
		return NULL;
	if (!gpmu_source_query(source, question, &text, error)) {
		answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		if (!json_is_array(answer))
			die("plugin cupti: its answer to \"%s\" is no list; install plugins of "
			    "this gpmu's version", question);
	}
	free(text);
	gpmu_source_put(source);
	return answer;
}

json_t *chip_ask(const char *chip, const char *question, struct gpmu_error *error)
{
	char *spec = chip ? print_text("cupti=chip=%s", chip) : print_text("cupti=list");
	json_t *answer = ask(spec, question, error);

	free(spec);
	return answer;
}

char *chip_find_busy(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *source = gpmu_source_new("cupti=check", &error);
	json_t *answer = NULL, *gpu;
	char *text = NULL, *why = NULL;
	bool is_free = false;
	size_t i;

	if (source && !gpmu_source_query(source, "check", &text, &error))
		answer = json_loads(text, 0, NULL);
	json_array_foreach(json_object_get(answer, "gpus"), i, gpu) {
		const json_t *trouble = json_object_get(gpu, "trouble");
		const char *kind = json_string_value(json_object_get(trouble, "kind"));

		is_free = is_free || json_is_null(trouble);
		if (kind && !strcmp(kind, "busy") && !why)
			why = print_text("%s: %s", json_string_value(json_object_get(gpu, "uuid")),
					 json_string_value(json_object_get(trouble, "text")));
	}
	json_decref(answer);
	free(text);
	gpmu_source_put(source);
	if (is_free) {
		free(why);
		why = NULL;
	}
	return why;
}

json_t *chip_names(struct gpmu_error *error)
{
	return chip_ask(ANY_CHIP, "chips", error);
}

/* "GV100, GV11B, ..."; "" without CUPTI */
static char *names_of_chips(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *chips = chip_names(&error), *chip;
	char *text = print_text("%s", ""), *longer;
	size_t i;

	json_array_foreach(chips, i, chip) {
		longer = print_text("%s%s%s", text, i ? ", " : "", json_string_value(chip));
		free(text);
		text = longer;
	}
	json_decref(chips);
	return text;
}

void chip_die(const char *why)
{
	char *names = names_of_chips();

	if (*names)
		die("%s; --chip accepts %s", why, names);
	die("%s", why);
}
