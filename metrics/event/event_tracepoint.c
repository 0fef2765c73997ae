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
#include "base/text/trace_format.h"
#include "event/event_build.h"

#define MAX_FORMAT	(256u << 10)	/* bytes; the formats of Linux 6.18 have less than 16 KiB */
#define MAX_NAME	128

/* The usual mount point of tracefs */
static const char mount_point[] = "sys/kernel/tracing";

/* Mount points of tracefs, with that of Linux before 4.1 */
static const char *const folders[] = {
	"sys/kernel/tracing/events", "sys/kernel/debug/tracing/events",
};

/* A search for tracepoints */
struct tracepoints {
	struct event_builder *builder;
	const char *system, *name;	/* patterns */
	char *buffer;			/* MAX_FORMAT bytes */
	const char *folder;
	int denied;			/* EACCES, EPERM; or 0: no permission was missing */
};

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strlen(entry->d_name) < MAX_NAME;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Lists the members of a folder, sorted. Returns their number, 0 if @path is no folder, or -errno. */
static int list(const char *path, struct dirent ***members)
{
	int n = scandir(path, members, is_shown, by_name);

	if (n < 0)
		*members = NULL;
	return n >= 0 ? n : errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

static void free_list(struct dirent **members, int n)
{
	for (int i = 0; i < n; i++)
		free(members[i]);
	free(members);
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
	text = text_print("%s:%s%s%s", system, name, *builder->modifiers ? ":" : "", builder->modifiers);
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
		return error_no_memory(&search->builder->why);
	return event_fail(search->builder, search->name, -ret, "%.120s: %s", path, error_text(-ret));
}

/* Adds the tracepoints of a system, or of all systems that match if @system is NULL. */
static int add_members(struct tracepoints *search, const char *system)
{
	const char *pattern = system ? search->name : search->system;
	struct dirent **members;
	char path[PATH_MAX];
	int n, ret = 0;

	if (!strpbrk(pattern, "*?["))
		return system ? add_one(search, system, pattern) : add_members(search, pattern);
	snprintf(path, sizeof(path), "%s/%s%s%s", gpmu_machine_root(search->builder->machine),
		 search->folder, system ? "/" : "", system ? system : "");
	n = list(path, &members);
	if (n < 0)
		ret = fail_list(search, path, n);
	for (int i = 0; i < n && !ret; i++) {
		const char *name = members[i]->d_name;

		if (!fnmatch(pattern, name, 0))
			ret = system ? add_one(search, system, name) : add_members(search, name);
	}
	free_list(members, n);
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
	struct dirent **members;
	struct nearest nearest;
	int n = list(path, &members);

	gpmu_nearest_init(&nearest, wanted);
	for (int i = 0; i < n; i++)
		if (is_folder(path, members[i]->d_name))
			gpmu_nearest_try(&nearest, members[i]->d_name);
	snprintf(found, MAX_NAME, "%s", nearest.name ? nearest.name : "");
	free_list(members, n);
	return n < 0 ? n : 0;
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
		return error_no_memory(&builder->why);
	for (size_t i = 0; i < ARRAY_SIZE(folders) && !ret; i++) {
		search.folder = folders[i];
		if (!builder->event->length)
			ret = add_members(&search, NULL);
	}
	free(search.buffer);
	if (!ret && !builder->event->length)
		ret = fail_none(&search);
	return ret;
}
