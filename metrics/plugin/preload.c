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

char *preload_find(struct gpmu_error *error)
{
	char path[PATH_MAX], *real;
	int ret = source_find_file(PRELOAD_LIBRARY, path, sizeof(path), error);

	if (ret) {
		errno = -ret;
		return NULL;
	}
	/* The command may run in another folder. */
	real = realpath(path, NULL);
	if (!real) {
		ret = errno;
		error_set(error, 0, "%.150s: %s", path, error_text(ret));
		errno = ret;
		return NULL;
	}
	if (preload_can_name(real))
		return real;
	error_set(error, 0, "%.150s cannot be preloaded: its path has a blank or a colon", real);
	free(real);
	errno = EINVAL;
	return NULL;
}

char *preload_entry(const char *libraries, char *const *environment)
{
	const char *before = "";

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, PRELOAD_VARIABLE "=", strlen(PRELOAD_VARIABLE "=")))
			before = *environment + strlen(PRELOAD_VARIABLE "=");
	return text_print(PRELOAD_VARIABLE "=%s%s%s", libraries, *before ? ":" : "", before);
}
