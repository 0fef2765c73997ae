// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An installation that was moved as a whole finds its plugins: no absolute path is compiled in.
 * /proc/self/maps has the absolute path of the file, without links, also if the dynamic linker
 * found the library by a relative path and the program has changed its folder since.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plugin/plugin_folder.h"

/* Finds the path of the file that @address is mapped from. */
static bool file_of(const void *address, char *path, size_t size)
{
	uintptr_t begin, end, wanted = (uintptr_t)address;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	bool is_found = false;
	int offset;

	while (maps && !is_found && fgets(line, sizeof(line), maps)) {
		offset = 0;
		/* Address range, permissions, offset, device, inode, path */
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end,
			   &offset) != 2 || !offset || wanted < begin || wanted >= end)
			continue;
		line[strcspn(line, "\n")] = '\0';
		is_found = line[offset] == '/' &&
			   snprintf(path, size, "%s", line + offset) < (int)size;
	}
	if (maps)
		fclose(maps);
	return is_found;
}

static bool is_program(const char *file)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program));

	return length >= 0 && (size_t)length == strlen(file) && !memcmp(program, file, (size_t)length);
}

bool plugin_folder_of(const char *file, const char *relative, char *folder, size_t size)
{
	const char *end = strrchr(file, '/');

	/* @file has no links, so ".." is the folder before. */
	while (end && !strncmp(relative, "../", 3)) {
		relative += 3;
		while (end > file && *--end != '/')
			;
	}
	return end && snprintf(folder, size, "%.*s/%s%sgpmu", (int)(end - file), file, relative,
			       *relative ? "/" : "") < (int)size;
}

bool plugin_folder(char *folder, size_t size)
{
	static const char here[] = "";	/* mapped from the file that contains libgpmu */
	char file[PATH_MAX];

	if (file_of(here, file, sizeof(file)) &&
	    plugin_folder_of(file, is_program(file) ? GPMU_LIBDIR_FROM_BINDIR : "", folder, size))
		return true;
	*folder = '\0';
	return false;
}
