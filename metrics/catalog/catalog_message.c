// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors and warnings of a load */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text/gpmu_shown.h"
#include "catalog/catalog.h"

#define MAX_NAME	100	/* bytes of a file's name in a message */

/* Formats "file:line: ...", as it is shown. */
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
	gpmu_shown(text);
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

int catalog_fail_key(const struct catalog_source *source, enum catalog_key key, const char *fmt,
		     ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return catalog_fail(source->load, source->file->name, source->line, source->offset,
			    "%s: %s", catalog_key_name(key), text);
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
