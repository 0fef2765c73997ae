// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors and warnings of a load, and its merge into a catalog. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"
#include "base/error.h"

#define MAX_NAME	100	/* bytes of a file's name in a message */

/* Formats "file:line: ..."; control characters become "?". */
static void format_line(char *text, size_t size, const char *file, unsigned int line,
			const char *fmt, va_list args)
{
	size_t length = strlen(file), n;
	const char *dots = "";

	if (length > MAX_NAME) {
		file += length - MAX_NAME;
		dots = "...";
	}
	if (line)
		n = (size_t)snprintf(text, size, "%s%s:%u: ", dots, file, line);
	else
		n = (size_t)snprintf(text, size, "%s%s: ", dots, file);
	vsnprintf(text + n, size - n, fmt, args);
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

int catalog_no_memory(struct gpmu_error *error)
{
	error_set(error, 0, "no memory");
	errno = ENOMEM;
	return -ENOMEM;
}

int catalog_fail(struct catalog_load *load, const char *file, unsigned int line, size_t offset,
		 const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	format_line(text, sizeof(text), file, line, fmt, args);
	va_end(args);
	error_set(load->error, offset, "%s", text);
	return -EINVAL;
}

int catalog_fail_errno(struct catalog_load *load, const char *file)
{
	int ret = -errno;

	catalog_fail(load, file, 0, 0, "%m");
	return ret;
}

int catalog_warn(struct catalog_load *load, const char *file, unsigned int line, const char *fmt,
		 ...)
{
	struct catalog_warnings *warnings = &load->warnings;
	char text[512];
	va_list args;

	if (warnings->length == CATALOG_MAX_WARNINGS) {
		warnings->more++;
		return 0;
	}
	va_start(args, fmt);
	format_line(text, sizeof(text), file, line, fmt, args);
	va_end(args);
	warnings->lines[warnings->length] = catalog_pool_copy(&load->pool, text, strlen(text));
	if (!warnings->lines[warnings->length])
		return -ENOMEM;
	warnings->length++;
	return 0;
}

static void take_warnings(struct catalog_warnings *warnings, const struct catalog_warnings *from)
{
	size_t i;

	for (i = 0; i < from->length && warnings->length < CATALOG_MAX_WARNINGS; i++)
		warnings->lines[warnings->length++] = from->lines[i];
	warnings->more += from->length - i + from->more;
	if (warnings->more)
		snprintf(warnings->last, sizeof(warnings->last), "%zu more warnings",
			 warnings->more);
}

/* Merges @older and the loaded entries into @merged; the load then has no entries. */
static int merge(struct gpmu_catalog *merged, const struct gpmu_catalog *older,
		 struct catalog_load *load)
{
	int ret = catalog_list_sort(load, &load->metrics);

	if (!ret)
		ret = catalog_list_sort(load, &load->events);
	if (!ret)
		ret = catalog_list_merge(&merged->metrics, &older->metrics, &load->metrics);
	if (!ret)
		ret = catalog_list_merge(&merged->events, &older->events, &load->events);
	load->metrics.length = 0;
	load->events.length = 0;
	return ret;
}

/* Bounds the linear search among entries of one name. */
static int check_namesakes(struct catalog_load *load, const struct catalog_list *list)
{
	const struct catalog_entry *entry;
	size_t i;

	for (i = CATALOG_MAX_NAMESAKES; i < list->length; i++) {
		entry = list->entries[i];
		if (!strcmp(entry->key, list->entries[i - CATALOG_MAX_NAMESAKES]->key))
			return catalog_fail(load, entry->file->name, entry->line, 0,
					    "%s: expected at most %d of one name", entry->name,
					    CATALOG_MAX_NAMESAKES);
	}
	return 0;
}

static void release_lists(struct gpmu_catalog *catalog)
{
	catalog_list_release(&catalog->metrics);
	catalog_list_release(&catalog->events);
	catalog_groups_release(&catalog->groups);
}

static int commit(struct gpmu_catalog *catalog, struct catalog_load *load)
{
	struct gpmu_catalog direct = { .order = 0 }, all = { .order = 0 };
	int ret;

	ret = merge(&direct, catalog, load);
	if (!ret)
		ret = catalog_resolve(load, &direct.metrics, &direct.events);
	if (!ret)
		ret = merge(&all, &direct, load);
	if (!ret)
		ret = check_namesakes(load, &all.metrics);
	if (!ret)
		ret = check_namesakes(load, &all.events);
	if (!ret)
		ret = catalog_groups_init(&all.groups, &all.metrics);
	release_lists(&direct);
	if (ret) {
		release_lists(&all);
		return ret;
	}
	release_lists(catalog);
	catalog->metrics = all.metrics;
	catalog->events = all.events;
	catalog->groups = all.groups;
	catalog->order = load->order;
	catalog_pool_take(&catalog->pool, &load->pool);
	take_warnings(&catalog->warnings, &load->warnings);
	return 0;
}

int catalog_load_init(struct catalog_load *load, const struct gpmu_catalog *catalog,
		      struct gpmu_error *error)
{
	*load = (struct catalog_load){
		.order = catalog->order,
		.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
		.error = error,
	};
	return load->locale ? 0 : catalog_no_memory(error);
}

int catalog_load_end(struct catalog_load *load, struct gpmu_catalog *catalog, int ret)
{
	if (!ret)
		ret = commit(catalog, load);
	catalog_list_release(&load->metrics);
	catalog_list_release(&load->events);
	catalog_pool_release(&load->pool);
	freelocale(load->locale);
	return ret == -ENOMEM ? catalog_no_memory(load->error) : ret;
}
