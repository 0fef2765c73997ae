// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "plugin/preload.h"
#include "plugin/source_object.h"

bool preload_can_name(const char *path)
{
	return !strpbrk(path, " :");
}

char *preload_path(const char *file, struct gpmu_error *error)
{
	char path[PATH_MAX], *real;
	int ret = source_find_file(file, path, sizeof(path), error);

	if (ret) {
		errno = -ret;
		return NULL;
	}
	real = realpath(path, NULL);
	if (!real) {
		ret = errno;
		error_set(error, 0, "%.150s: %s", path, error_text(ret));
		errno = ret;
	}
	return real;
}

char *preload_find(struct gpmu_error *error)
{
	char *real = preload_path(PRELOAD_LIBRARY, error);

	if (!real || preload_can_name(real))
		return real;
	error_set(error, 0, "%.150s cannot be preloaded: its path has a blank or a colon", real);
	free(real);
	errno = EINVAL;
	return NULL;
}

const char *preload_value(char *const *environment, const char *start)
{
	const char *value = "";

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, start, strlen(start)))
			value = *environment + strlen(start);
	return value;
}

char *preload_entry(const char *libraries, char *const *environment)
{
	const char *before = preload_value(environment, PRELOAD_VARIABLE "=");

	return text_print(PRELOAD_VARIABLE "=%s%s%s", libraries, *before ? ":" : "", before);
}
