// SPDX-License-Identifier: LGPL-2.1-or-later
/* The environment in which the regions that programs mark are counted. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text/text.h"
#include "gpmu.h"
#include "measure/marks.h"
#include "measure/marks_read.h"
#include "plugin/preload.h"

#define INHERITED_MIN	101	/* number of the inherited descriptor, above the ones that shells and scripts use */

enum {
	ENTRY_PRELOAD,
	ENTRY_FILE,
	ENTRY_LIST,
	ENTRY_SOURCES,
	ENTRY_CATALOGS,
	ENTRY_OPTIONS,
	ENTRIES,
};

static const char *const variables[ENTRIES] = {
	PRELOAD_VARIABLE, MARKS_FILE, MARKS_LIST, MARKS_SOURCES, MARKS_CATALOGS, MARKS_OPTIONS,
};

struct gpmu_marks {
	char *path;			/* path of the temporary file; NULL: it has been deleted */
	int fd, inherited;		/* -1: not open */
	bool is_named;			/* a line names the process before its counts */
	char *entries[ENTRIES];		/* "NAME=VALUE" */
	char **environment;		/* borrows from environ and entries */
};

/*
 * Deletes the file, as this process may be killed, and lets processes inherit a descriptor. A process that has closed it uses
 * this process's, in /proc, unless this process has capabilities.
 */
static void delete_file(struct gpmu_marks *marks)
{
	if (prctl(PR_GET_DUMPABLE) != 1)
		return;
	marks->inherited = fcntl(marks->fd, F_DUPFD, INHERITED_MIN);
	if (marks->inherited < 0)
		marks->inherited = fcntl(marks->fd, F_DUPFD, STDERR_FILENO + 1);
	if (marks->inherited < 0)
		return;
	unlink(marks->path);
	free(marks->path);
	marks->path = NULL;
}

static int make_file(struct gpmu_marks *marks, struct gpmu_error *error)
{
	const char *folder = secure_getenv("TMPDIR");

	marks->path = text_print("%s/gpmu-mark-XXXXXX", folder && *folder ? folder : "/tmp");
	if (!marks->path)
		return error_no_memory(error);
	marks->fd = mkostemp(marks->path, O_CLOEXEC);
	if (marks->fd >= 0) {
		delete_file(marks);
		return 0;
	}
	error_set(error, 0, "a file in %.100s: %m", folder && *folder ? folder : "/tmp");
	return -errno;
}

static int set_preload(struct gpmu_marks *marks, struct gpmu_error *error)
{
	char *library = preload_find(error);

	if (!library)
		return -errno;
	marks->entries[ENTRY_PRELOAD] = preload_entry(library, environ);
	free(library);
	return marks->entries[ENTRY_PRELOAD] ? 0 : error_no_memory(error);
}

/* "NAME=" and a line for each of the texts; NULL: no memory */
static char *lines(const char *name, const char *const *texts, size_t n)
{
	char *all = text_print("%s=", name);

	for (size_t i = 0; i < n && all; i++) {
		char *longer = text_print("%s%s\n", all, texts[i]);

		free(all);
		all = longer;
	}
	return all;
}

/* "NAME=VALUE" of the file; NULL: no memory */
static char *file_entry(const struct gpmu_marks *marks)
{
	struct stat status;

	if (marks->path || fstat(marks->fd, &status))
		return text_print(MARKS_FILE "=%s", marks->path ? marks->path : "");
	return text_print(MARKS_FILE "=" MARKS_DESCRIPTOR, marks->inherited, (int)getpid(), (uintmax_t)status.st_dev,
			  (uintmax_t)status.st_ino);
}

static int set_entries(struct gpmu_marks *marks, const char *list,
		       const struct gpmu_options *options, struct gpmu_error *error)
{
	char **entries = marks->entries;

	entries[ENTRY_FILE] = file_entry(marks);
	entries[ENTRY_LIST] = text_print(MARKS_LIST "=%s", list);
	entries[ENTRY_SOURCES] = lines(MARKS_SOURCES, options->sources, options->source_count);
	entries[ENTRY_CATALOGS] = lines(MARKS_CATALOGS, options->catalogs, options->catalog_count);
	entries[ENTRY_OPTIONS] = text_print(MARKS_OPTIONS "=%d %d %d %s", (int)options->format,
					    options->per_thread, (int)options->aggregation,
					    options->separator ? options->separator : "");
	for (size_t i = 0; i < ENTRIES; i++)
		if (!entries[i])
			return error_no_memory(error);
	return 0;
}

static bool is_replaced(const char *entry)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		size_t length = strlen(variables[i]);

		if (!strncmp(entry, variables[i], length) && entry[length] == '=')
			return true;
	}
	return false;
}

static int make_environment(struct gpmu_marks *marks, struct gpmu_error *error)
{
	size_t n = 0, to = 0;

	while (environ && environ[n])
		n++;
	marks->environment = calloc(n + ENTRIES + 1, sizeof(char *));
	if (!marks->environment)
		return error_no_memory(error);
	for (size_t i = 0; i < n; i++)
		if (!is_replaced(environ[i]))
			marks->environment[to++] = environ[i];
	for (size_t i = 0; i < ENTRIES; i++)
		marks->environment[to++] = marks->entries[i];
	return 0;
}

static int check(const struct gpmu_options *options, struct gpmu_error *error)
{
	if (options->system || options->cpus || options->pid_count || options->tid_count ||
	    options->inherit) {
		error_set(error, 0, "marks count only the threads that make them: select no other target");
		return -EINVAL;
	}
	return 0;
}

struct gpmu_marks *gpmu_marks_new(const char *list, const struct gpmu_options *options,
				  struct gpmu_error *error)
{
	struct gpmu_options all = { 0 };
	struct gpmu_marks *marks = calloc(1, sizeof(*marks));
	int ret;

	if (!marks) {
		errno = -error_no_memory(error);
		return NULL;
	}
	marks->fd = marks->inherited = -1;
	ret = sized_options(&all, sizeof(all), options, error) ?: check(&all, error) ?: set_preload(marks, error) ?:
	      make_file(marks, error) ?: set_entries(marks, list, &all, error) ?: make_environment(marks, error);
	marks->is_named = all.format == GPMU_SINK_SUMMARY;
	if (!ret)
		return marks;
	gpmu_marks_free(marks);
	errno = -ret;
	return NULL;
}

void gpmu_marks_delete_file(const struct gpmu_marks *marks)
{
	if (marks->fd >= 0 && marks->path)
		unlink(marks->path);
}

void gpmu_marks_free(struct gpmu_marks *marks)
{
	if (!marks)
		return;
	gpmu_marks_delete_file(marks);
	if (marks->fd >= 0)
		close(marks->fd);
	if (marks->inherited >= 0)
		close(marks->inherited);
	for (size_t i = 0; i < ENTRIES; i++)
		free(marks->entries[i]);
	free(marks->environment);
	free(marks->path);
	free(marks);
}

char *const *gpmu_marks_environment(const struct gpmu_marks *marks)
{
	return marks->environment;
}

int gpmu_marks_print(struct gpmu_marks *marks, FILE *file,
		     void (*warn)(const char *line, void *user), void *user)
{
	return marks_read(marks->fd, marks->is_named, file, warn, user);
}
