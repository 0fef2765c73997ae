// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds tracepoints in tracefs. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/nearest.h"
#include "base/text/trace_format.h"
#include "base/vector.h"
#include "event/event_build.h"

#define MAX_FORMAT	(256u << 10)	/* bytes; the formats of Linux 6.18 have less than 16 KiB */
#define MAX_NAME	128

/* The usual mount point of tracefs */
static const char mount_point[] = "sys/kernel/tracing";

/* Mount points of tracefs, with that of Linux before 4.1 */
static const char *const folders[] = {
	"sys/kernel/tracing/events", "sys/kernel/debug/tracing/events",
};

struct names {
	char **names;
	size_t length;
};

/* A search for tracepoints */
struct tracepoints {
	struct event_builder *builder;
	const char *system, *name;	/* patterns */
	char *buffer;			/* MAX_FORMAT bytes */
	const char *folder;
	int denied;			/* EACCES, EPERM; or 0: no permission was missing */
};

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->length; i++)
		free(names->names[i]);
	free(names->names);
}

static int names_add(struct names *names, const char *name)
{
	char **added = vector_append(names->names, names->length);

	if (added)
		*added = event_join(name);
	return added && *added ? 0 : -ENOMEM;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the folders that match a pattern, sorted; empty if @path is no folder. */
static int list(const char *path, const char *pattern, struct names *names)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);
	int ret = 0;

	if (!dir)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	for (;;) {
		errno = 0;
		entry = ret ? NULL : readdir(dir);
		if (!entry)
			break;
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < MAX_NAME &&
		    !fnmatch(pattern, entry->d_name, 0))
			ret = names_add(names, entry->d_name);
	}
	if (!ret)
		ret = -errno;
	closedir(dir);
	if (!ret && names->length)
		qsort(names->names, names->length, sizeof(*names->names), compare);
	return ret;
}

static int add(struct tracepoints *search, const char *system, const char *name)
{
	struct event_builder *builder = search->builder;
	struct perf_event_attr attr = builder->form.attr;
	struct trace_format format;
	char *text;

	/* Counting needs the ID only, so errors in the fields are ignored. */
	if (trace_format_begin(&format, search->buffer) || !format.id)
		return event_fail(builder, search->name, EINVAL,
				  "%.60s:%.60s: its format in tracefs cannot be read", system,
				  name);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = format.id;
	text = event_join(system, ":", name, *builder->modifiers ? ":" : "", builder->modifiers);
	return event_add(builder, event_pmu_of_type(builder->machine, PERF_TYPE_TRACEPOINT), &attr,
			 text);
}

/* Skips a tracepoint without a format file, and a file such as "enable". */
static int add_one(struct tracepoints *search, const char *system, const char *name)
{
	char path[PATH_MAX];
	int length;

	snprintf(path, sizeof(path), "%s/%s/%s/format", search->folder, system, name);
	length = gpmu_machine_read(search->builder->machine, path, search->buffer, MAX_FORMAT);
	if (length >= 0)
		return add(search, system, name);
	if (length == -ENOENT || length == -ENOTDIR)
		return 0;
	if (length == -EACCES || length == -EPERM) {
		search->denied = -length;
		return 0;
	}
	return event_fail(search->builder, search->name, -length, "%.120s: %s", path,
			  error_text(-length));
}

static int fail_list(struct tracepoints *search, const char *path, int ret)
{
	if (ret == -EACCES || ret == -EPERM) {
		search->denied = -ret;
		return 0;
	}
	if (ret == -ENOMEM)
		return event_no_memory(search->builder);
	return event_fail(search->builder, search->name, -ret, "%.120s: %s", path, error_text(-ret));
}

static int add_system(struct tracepoints *search, const char *system)
{
	struct names names = { .length = 0 };
	char path[PATH_MAX];
	int ret;

	if (!strpbrk(search->name, "*?["))
		return add_one(search, system, search->name);
	snprintf(path, sizeof(path), "%s/%s/%s", gpmu_machine_root(search->builder->machine),
		 search->folder, system);
	ret = list(path, search->name, &names);
	if (ret)
		ret = fail_list(search, path, ret);
	for (size_t i = 0; i < names.length && !ret; i++)
		ret = add_one(search, system, names.names[i]);
	names_release(&names);
	return ret;
}

static int add_systems(struct tracepoints *search)
{
	struct names names = { .length = 0 };
	char path[PATH_MAX];
	int ret;

	if (!strpbrk(search->system, "*?["))
		return add_system(search, search->system);
	snprintf(path, sizeof(path), "%s/%s", gpmu_machine_root(search->builder->machine),
		 search->folder);
	ret = list(path, search->system, &names);
	if (ret)
		ret = fail_list(search, path, ret);
	for (size_t i = 0; i < names.length && !ret; i++)
		ret = add_system(search, names.names[i]);
	names_release(&names);
	return ret;
}

static int may_look(const struct gpmu_machine *machine, const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", gpmu_machine_root(machine), folder);
	return access(path, R_OK | X_OK) ? -errno : 0;
}

static const char denied[] = "no permission to read tracefs: run as root, or run once \"mount -o "
			     "remount,mode=755 /sys/kernel/tracing\"";
static const char unmounted[] = "tracefs is not mounted: run once as root \"mount -t tracefs "
				"tracefs /sys/kernel/tracing\"";
static const char none[] = "this kernel has no tracefs";

const char *gpmu_tracepoints_why(const struct gpmu_machine *machine)
{
	const char *why = may_look(machine, mount_point) == -ENOENT ? none : unmounted;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		int ret = may_look(machine, folders[i]);

		if (!ret)
			return NULL;
		if (ret == -EACCES)
			why = denied;
	}
	return why;
}

/* The folder also has files such as "enable". */
static bool is_folder(const char *path, const char *name)
{
	char full[PATH_MAX];
	struct stat status;

	snprintf(full, sizeof(full), "%s/%s", path, name);
	return !stat(full, &status) && S_ISDIR(status.st_mode);
}

/* Copies the nearest name of a folder to @found, "" if none is near. 0 or -errno */
static int find_nearest(const char *path, const char *wanted, char *found)
{
	struct names names = { .length = 0 };
	struct nearest nearest;
	int ret = list(path, "*", &names);

	nearest_init(&nearest, wanted);
	for (size_t i = 0; i < names.length; i++)
		if (is_folder(path, names.names[i]))
			nearest_try(&nearest, names.names[i]);
	snprintf(found, MAX_NAME, "%s", nearest.name ? nearest.name : "");
	names_release(&names);
	return ret;
}

/* Writes "; did you mean SYSTEM:NAME?" for a system, a name or both that are misspelt, or "". */
static void suggest(const struct tracepoints *search, char *text, size_t size)
{
	char path[PATH_MAX], system[MAX_NAME], name[MAX_NAME];

	*text = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(folders) && !*text; i++) {
		const char *root = gpmu_machine_root(search->builder->machine);

		snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
		if (find_nearest(path, search->system, system) || !*system)
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", root, folders[i], system);
		if (!find_nearest(path, search->name, name) && *name)
			snprintf(text, size, "; did you mean %.40s:%.40s?", system, name);
	}
}

static int fail_none(struct tracepoints *search)
{
	char hint[128];
	const char *why = gpmu_tracepoints_why(search->builder->machine);

	if (search->denied)
		return event_fail(search->builder, search->name, search->denied,
				  "%.40s:%.40s: %s", search->system, search->name, denied);
	suggest(search, hint, sizeof(hint));
	return event_fail(search->builder, search->system, ENOENT,
			  "there is no event %.40s, and no tracepoint %.40s:%.40s%s%s%s",
			  search->system, search->system, search->name,
			  why == unmounted ? "; " : "", why == unmounted ? why : "", hint);
}

static bool is_name(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_-*?[]!";
	size_t length = strlen(name);

	return length && length < MAX_NAME && strspn(name, letters) == length;
}

int event_add_tracepoints(struct event_builder *builder, const char *system, const char *name)
{
	struct tracepoints search = { .builder = builder, .system = system, .name = name };
	int ret = 0;

	if (!is_name(system) || !is_name(name))
		return event_fail(builder, is_name(system) ? name : system, EINVAL,
				  "expected names of a tracepoint, SYSTEM:NAME");
	search.buffer = malloc(MAX_FORMAT);
	if (!search.buffer)
		return event_no_memory(builder);
	for (size_t i = 0; i < ARRAY_SIZE(folders) && !ret; i++) {
		search.folder = folders[i];
		if (!builder->event->length)
			ret = add_systems(&search);
	}
	free(search.buffer);
	if (!ret && !builder->event->length)
		ret = fail_none(&search);
	return ret;
}
