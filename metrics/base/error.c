// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "gpmu.h"

#define PATH_MIN	64	/* bytes that a path gets, with its NUL */

void error_set_at(struct gpmu_error *error, size_t offset, const char *fmt, va_list args)
{
	const size_t size = error ? error->size : 0, head = offsetof(struct gpmu_error, text);

	if (size <= head)
		return;
	error->offset = offset;
	vsnprintf(error->text, size - head < sizeof(error->text) ? size - head :
		  sizeof(error->text), fmt, args);
}

void error_set_offset(struct gpmu_error *error, size_t offset)
{
	if (error && error->size > offsetof(struct gpmu_error, text))
		error->offset = offset;
}

/* Returns whether a byte of UTF-8 continues a character */
static bool is_inside(char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Copies a path to @size bytes. A longer path loses its middle, because its end has the name of the file. */
static void copy_path(char *to, size_t size, const char *path)
{
	const size_t length = strlen(path), room = size - sizeof("...");
	size_t begin = length, end = length;

	if (length >= size) {
		begin = room / 4;
		end = length - (room - begin);
	}
	while (begin < length && begin && is_inside(path[begin]))
		begin--;
	while (is_inside(path[end]))
		end++;
	snprintf(to, size, "%.*s%s%s", (int)begin, path, begin < length ? "..." : "", path + end);
}

void error_set_path(struct gpmu_error *error, size_t offset, const char *path, const char *fmt, ...)
{
	char rest[sizeof(error->text)], shown[sizeof(error->text)];
	size_t room;
	va_list args;

	va_start(args, fmt);
	vsnprintf(rest, sizeof(rest), fmt, args);
	va_end(args);
	room = sizeof(shown) - strlen(rest);
	copy_path(shown, room < PATH_MIN ? PATH_MIN : room, path);
	error_set(error, offset, "%s%s", shown, rest);
}

void error_set(struct gpmu_error *error, size_t offset, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error_set_at(error, offset, fmt, args);
	va_end(args);
}

int error_no_memory(struct gpmu_error *error)
{
	error_set(error, 0, ERROR_NO_MEMORY);
	errno = ENOMEM;
	return -ENOMEM;
}
