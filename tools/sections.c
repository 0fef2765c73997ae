// SPDX-License-Identifier: LGPL-2.1-or-later
#include <glob.h>
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
	  .doc = "search section files in DIR; may be repeated (default: $GPMU_SECTIONS, or those of Nsight Compute)" },
	{ .name = "section-folder-recursive", .key = KEY_RECURSIVE, .arg = "DIR", .doc = "as --section-folder, and search below the folders" },
	{ 0 },
};

const struct argp sections_argp = { .options = options, .parser = parse };

static void add_folder(struct sections *sections, const char *path)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (gpmu_sections_add(sections->list, path, sections->wants_recursion, &error))
		die("--section-folder: %s", error.text);
}

/* Folders of an installed Nsight Compute; "%s" is $CUDA_HOME */
static const char *const installed[] = {
	"%s/nsight-compute-*/sections", "/usr/local/cuda/nsight-compute-*/sections", "/usr/local/cuda-*/nsight-compute-*/sections",
	"/opt/nvidia/nsight-compute/*/sections", "/usr/lib/nsight-compute/sections",
};

/* Returns the folder of a pattern with the highest version; NULL: there is none */
static char *find_newest(const char *pattern)
{
	const char *home = secure_getenv("CUDA_HOME"), *newest = NULL;
	const bool needs_home = *pattern == '%';
	char *whole = needs_home ? print_text("%s%s", home ? home : "", pattern + strlen("%s")) : print_text("%s", pattern);
	char *found;
	glob_t folders;

	if ((needs_home && !(home && *home)) || glob(whole, 0, NULL, &folders)) {
		free(whole);
		return NULL;
	}
	for (size_t i = 0; i < folders.gl_pathc; i++)
		if (!newest || strverscmp(folders.gl_pathv[i], newest) > 0)
			newest = folders.gl_pathv[i];
	found = newest ? print_text("%s", newest) : NULL;
	globfree(&folders);
	free(whole);
	return found;
}

/* Adds the sections of an installed Nsight Compute. */
static void add_installed(struct sections *sections)
{
	char *folder = NULL;

	for (size_t i = 0; !folder && i < ARRAY_SIZE(installed); i++)
		folder = find_newest(installed[i]);
	if (!folder)
		die("--section-folder DIR or GPMU_SECTIONS must name a folder with section files: Nsight Compute, whose folder "
		    "\"sections\" has them, was not found");
	add_folder(sections, folder);
	free(folder);
}

/* Adds the folders of $GPMU_SECTIONS, which are separated by ":", or the one of Nsight Compute. */
static void add_default_folders(struct sections *sections)
{
	const char *paths = secure_getenv("GPMU_SECTIONS");
	char *copy, *rest, *path;

	if (!paths || !*paths) {
		add_installed(sections);
		return;
	}
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
