// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "library/cupti_holders.h"

#define SHOWN		2	/* processes that are named: more would not fit into a line of the log */
#define FOUND_MAX	64
#define ANCESTORS_MAX	64

/* Evidence, the strongest first. A library that CUPTI loads to program counters is stronger than CUPTI itself. */
enum evidence { BY_NAME, BY_COUNTERS, BY_CUPTI, EVIDENCE };

static const char *const names[] = { "nv-hostengine", "ncu", "nsys" };	/* DCGM; Nsight */
static const char *const libraries[EVIDENCE] = { [BY_COUNTERS] = "/libnvperf_", [BY_CUPTI] = "/libcupti.so" };

struct holder {
	int pid;
	enum evidence evidence;
	char name[32];
};

static FILE *open_file(const char *proc, int pid, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, name);
	return fopen(path, "re");
}

/* Reads the first line of a file. */
static bool read_line(const char *proc, int pid, const char *name, char *line, int size)
{
	FILE *file = open_file(proc, pid, name);
	bool has_line = file && fgets(line, size, file);

	if (file)
		fclose(file);
	if (has_line)
		line[strcspn(line, "\n")] = '\0';
	return has_line;
}

static int parent_of(const char *proc, int pid)
{
	char line[512], *end;

	/* The name in parentheses can have blanks and parentheses. */
	if (!read_line(proc, pid, "stat", line, sizeof(line)) || !(end = strrchr(line, ')')) || strlen(end) < 4)
		return 0;
	return (int)strtol(end + 4, NULL, 10);
}

static bool is_ancestor(const char *proc, int pid)
{
	int ancestor = (int)getpid();

	for (int i = 0; ancestor > 0 && i < ANCESTORS_MAX; i++) {
		if (ancestor == pid)
			return true;
		ancestor = parent_of(proc, ancestor);
	}
	return false;
}

static enum evidence find_library(const char *proc, int pid)
{
	FILE *file = open_file(proc, pid, "maps");
	enum evidence found = EVIDENCE;
	char line[512];

	while (file && found != BY_COUNTERS && fgets(line, sizeof(line), file))
		for (enum evidence i = BY_COUNTERS; i < found; i++)
			if (strstr(line, libraries[i]))
				found = i;
	if (file)
		fclose(file);
	return found;
}

static bool examine(const char *proc, int pid, struct holder *holder)
{
	*holder = (struct holder){ .pid = pid, .evidence = EVIDENCE };
	if (!read_line(proc, pid, "comm", holder->name, sizeof(holder->name)))
		strcpy(holder->name, "?");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(holder->name, names[i]))
			holder->evidence = BY_NAME;
	if (holder->evidence == EVIDENCE)
		holder->evidence = find_library(proc, pid);
	return holder->evidence != EVIDENCE && !is_ancestor(proc, pid);
}

static size_t find(const char *proc, struct holder found[FOUND_MAX])
{
	DIR *folder = opendir(proc);
	struct dirent *entry;
	size_t length = 0;

	while (folder && length < FOUND_MAX && (entry = readdir(folder))) {
		const int pid = (int)strtol(entry->d_name, NULL, 10);

		length += pid > 0 && examine(proc, pid, &found[length]);
	}
	if (folder)
		closedir(folder);
	return length;
}

static int compare(const void *left, const void *right)
{
	const struct holder *a = left, *b = right;

	return a->evidence != b->evidence ? (int)a->evidence - (int)b->evidence : a->pid - b->pid;
}

void holders_describe(const char *proc, char *text, size_t size)
{
	struct holder found[FOUND_MAX];
	const size_t length = find(proc, found), shown = length < SHOWN ? length : SHOWN;
	int n = snprintf(text, size, "another program");

	qsort(found, length, sizeof(*found), compare);
	for (size_t i = 0; i < shown && (size_t)n < size; i++)
		n += snprintf(text + n, size - n, "%s%s (process %d)", i ? i + 1 < length ? ", " : " or " :
			      length > 1 ? ", perhaps " : ", probably ", found[i].name, found[i].pid);
	if (length > shown && (size_t)n < size)
		snprintf(text + n, size - n, " or %zu other%s", length - shown, length - shown > 1 ? "s" : "");
}
