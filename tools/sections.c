// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "sections.h"

enum {
	KEY_FOLDER = 1,
	KEY_RECURSIVE,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sections *sections = state->input;

	switch (key) {
	case KEY_RECURSIVE:
		sections->wants_recursion = true;
		/* fall through */
	case KEY_FOLDER:
		texts_add(&sections->folders, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ .name = "section-folder", .key = KEY_FOLDER, .arg = "DIR",
	  .doc = "search section files in DIR; may be repeated (default: $GPMU_SECTIONS)" },
	{ .name = "section-folder-recursive", .key = KEY_RECURSIVE, .arg = "DIR", .doc = "search them below DIR, too" },
	{ 0 },
};

const struct argp sections_argp = { .options = options, .parser = parse };

static void add_folder(struct sections *sections, const char *path)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (gpmu_sections_add(sections->list, path, sections->wants_recursion, &error))
		die("--section-folder: %s", error.text);
}

/* Adds the folders of $GPMU_SECTIONS, which are separated by ":". */
static void add_default_folders(struct sections *sections)
{
	const char *paths = secure_getenv("GPMU_SECTIONS");
	char *copy, *rest, *path;

	if (!paths || !*paths)
		die("--section-folder DIR or GPMU_SECTIONS must name a folder with section files, such as the folder "
		    "\"sections\" of Nsight Compute");
	copy = rest = need_memory(strdup(paths));
	while ((path = strsep(&rest, ":")))
		if (*path)
			add_folder(sections, path);
	free(copy);
}

void sections_open(struct sections *sections)
{
	const char *line;

	sections->list = need_memory(gpmu_sections_new());
	for (size_t i = 0; i < sections->folders.length; i++)
		add_folder(sections, sections->folders.list[i]);
	if (!sections->folders.length)
		add_default_folders(sections);
	for (size_t i = 0; (line = gpmu_sections_failure(sections->list, i)); i++)
		warn("%s; the file is left out", line);
	for (size_t i = 0; (line = gpmu_sections_warning(sections->list, i)); i++)
		warn("%s", line);
}

void sections_release(struct sections *sections)
{
	free(sections->metrics);
	gpmu_section_set_free(sections->set);
	gpmu_sections_free(sections->list);
	free(sections->folders.list);
	free(sections->requests.list);
}
