// SPDX-License-Identifier: LGPL-2.1-or-later
/* Section files of folders, as a list that is sorted by order and identifier */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/gpmu_nearest.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "section/section.h"

#define SUFFIX		".section"
#define MAX_FILE	(8u << 20)	/* bytes; the largest of Nsight Compute's files has less than 2 MiB */
#define MAX_DEPTH	16		/* nested folders */

struct member {
	struct gpmu_section *section;
};

struct gpmu_sections {
	VECTOR(struct member) list;
	VECTOR(char *) failures;
	struct section_warnings warnings;	/* of the list itself; those of the sections are theirs */
};

struct gpmu_sections *gpmu_sections_new(void)
{
	return calloc(1, sizeof(struct gpmu_sections));
}

void gpmu_sections_free(struct gpmu_sections *sections)
{
	if (!sections)
		return;
	for (size_t i = 0; i < sections->list.n; i++)
		gpmu_section_free(sections->list.list[i].section);
	for (size_t i = 0; i < sections->failures.n; i++)
		free(sections->failures.list[i]);
	vector_free(&sections->list);
	vector_free(&sections->failures);
	section_warnings_release(&sections->warnings);
	free(sections);
}

/* --- files */

/* Reads a whole file. Returns its text, which the caller frees; NULL with errno */
static char *read_file(const char *path, size_t *size)
{
	/* Without O_NONBLOCK open() of a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err = 0;
	struct stat st = { 0 };
	char *text = NULL;
	ssize_t n = 0;

	*size = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		err = errno;
	else if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE)
		err = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
	else if (!(text = malloc((size_t)st.st_size + 1)))
		err = ENOMEM;
	while (!err && *size < (size_t)st.st_size && (n = read(fd, text + *size, (size_t)st.st_size - *size)))
		if (n > 0)
			*size += (size_t)n;
		else if (errno != EINTR)
			err = errno;
	close(fd);
	if (!err)
		return text;
	free(text);
	errno = err;
	return NULL;
}

/* Notes why a file is left out. Returns 0 or -ENOMEM. */
static int add_failure(struct gpmu_sections *sections, const char *text)
{
	char *copy = strdup(text);

	if (copy && !vector_push(&sections->failures, &copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

static const struct gpmu_section *find(const struct gpmu_sections *sections, const char *identifier)
{
	for (size_t i = 0; i < sections->list.n; i++)
		if (!strcmp(gpmu_section_identifier(sections->list.list[i].section), identifier))
			return sections->list.list[i].section;
	return NULL;
}

/* Adds a section unless the list has its identifier. Takes ownership of it. */
static int add_section(struct gpmu_sections *sections, struct gpmu_section *section)
{
	const struct gpmu_section *other = find(sections, gpmu_section_identifier(section));
	int ret;

	if (other)
		ret = section_warn(&sections->warnings, gpmu_section_file(section), 0,
				   "%s is left out: it is in %s, too", gpmu_section_identifier(section),
				   gpmu_section_file(other));
	else
		ret = vector_push(&sections->list, &(struct member){ section });
	if (other || ret)
		gpmu_section_free(section);
	return ret;
}

/* A file that is malformed or cannot be read is left out. Returns 0 or -ENOMEM. */
static int add_file(struct gpmu_sections *sections, const char *path)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_section *section = NULL;
	size_t size;
	char *text = read_file(path, &size);

	if (text)
		section = gpmu_section_new(path, text, size, &error);
	else
		error_set_path(&error, 0, path, ": %s", errno == EINVAL ? "expected a file" : error_text(errno));
	free(text);
	if (section)
		return add_section(sections, section);
	return errno == ENOMEM ? -ENOMEM : add_failure(sections, error.text);
}

/* --- folders */

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_section(const char *name)
{
	const size_t length = strlen(name), suffix = strlen(SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, SUFFIX);
}

/* @depth: number of further levels of folders that are read */
static int add_folder(struct gpmu_sections *sections, const char *path, int depth);

static int add_member(struct gpmu_sections *sections, const char *path, int depth)
{
	struct stat st;

	/* A link could lead to a folder that contains it. */
	if (!lstat(path, &st) && S_ISDIR(st.st_mode))
		return depth ? add_folder(sections, path, depth - 1) : 0;
	return is_section(path) ? add_file(sections, path) : 0;
}

static int add_folder(struct gpmu_sections *sections, const char *path, int depth)
{
	size_t length = strlen(path);
	struct dirent **members;
	int n = scandir(path, &members, is_shown, by_name), ret = 0;

	if (n < 0)
		return -errno;
	while (length > 1 && path[length - 1] == '/')
		length--;
	for (int i = 0; i < n; i++) {
		char *member = ret ? NULL : text_print("%.*s/%s", (int)length, path, members[i]->d_name);

		if (!ret)
			ret = member ? add_member(sections, member, depth) : -ENOMEM;
		free(member);
		free(members[i]);
	}
	free(members);
	return ret;
}

/* --- the list */

static int by_order(const void *a, const void *b)
{
	const struct gpmu_section *left = ((const struct member *)a)->section,
				  *right = ((const struct member *)b)->section;
	int order = COMPARE(gpmu_section_order(left), gpmu_section_order(right));

	return order ? order : strcmp(gpmu_section_identifier(left), gpmu_section_identifier(right));
}

int gpmu_sections_add(struct gpmu_sections *sections, const char *path, int is_recursive, struct gpmu_error *error)
{
	const size_t before = sections->list.n + sections->failures.n + sections->warnings.lines.n;
	struct stat st;
	int ret = 0;

	if (stat(path, &st))
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = add_folder(sections, path, is_recursive ? MAX_DEPTH : 0);
	else
		ret = add_file(sections, path);
	if (!ret && before == sections->list.n + sections->failures.n + sections->warnings.lines.n) {
		error_set_path(error, 0, path, ": no *" SUFFIX " in it");
		return -ENOENT;
	}
	if (ret)
		error_set_path(error, 0, path, ": %s", error_text(-ret));
	vector_sort(&sections->list, by_order);
	return ret;
}

const struct gpmu_section *gpmu_sections_at(const struct gpmu_sections *sections, size_t index)
{
	return index < sections->list.n ? sections->list.list[index].section : NULL;
}

const struct gpmu_section *gpmu_sections_find(const struct gpmu_sections *sections, const char *identifier,
					      struct gpmu_error *error)
{
	const struct gpmu_section *found = find(sections, identifier);
	struct nearest nearest;

	if (found)
		return found;
	gpmu_nearest_init(&nearest, identifier);
	for (size_t i = 0; i < sections->list.n; i++)
		gpmu_nearest_try(&nearest, gpmu_section_identifier(sections->list.list[i].section));
	if (nearest.name)
		error_set(error, 0, "no section %s; did you mean %s?", identifier, nearest.name);
	else
		error_set(error, 0, "no section %s", identifier);
	errno = ENOENT;
	return NULL;
}

const char *gpmu_sections_failure(const struct gpmu_sections *sections, size_t index)
{
	return index < sections->failures.n ? sections->failures.list[index] : NULL;
}

const char *gpmu_sections_warning(const struct gpmu_sections *sections, size_t index)
{
	for (size_t i = 0; i < sections->list.n; i++) {
		const struct gpmu_section *section = sections->list.list[i].section;

		if (index < section->warnings.lines.n)
			return section->warnings.lines.list[index];
		index -= section->warnings.lines.n;
	}
	return index < sections->warnings.lines.n ? sections->warnings.lines.list[index] : NULL;
}
