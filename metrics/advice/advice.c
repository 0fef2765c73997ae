// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules: the built-in ones, and those of files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "base/error.h"

#define FILE_MAX	(1U << 20)	/* bytes */

struct gpmu_advice *gpmu_advice_new(struct gpmu_error *error)
{
	struct gpmu_advice *advice = calloc(1, sizeof(*advice));

	if (!advice) {
		error_no_memory(error);
		return NULL;
	}
	if (advice_load(advice, advice_builtin, strlen(advice_builtin), "built in", error)) {
		gpmu_advice_free(advice);
		errno = ENOMEM;
		return NULL;
	}
	return advice;
}

void gpmu_advice_free(struct gpmu_advice *advice)
{
	if (!advice)
		return;
	for (size_t i = 0; i < advice->rules.n; i++)
		advice_rule_release(&advice->rules.list[i]);
	vector_free(&advice->rules);
	free(advice);
}

static int fail(const char *path, int ret, struct gpmu_error *error)
{
	error_set_path(error, 0, path, ": %s", error_text(-ret));
	return ret;
}

static int load_file(struct gpmu_advice *advice, FILE *file, const char *path, struct gpmu_error *error)
{
	char *text = malloc(FILE_MAX + 1);
	size_t size;
	int ret;

	if (!text)
		return error_no_memory(error);
	errno = 0;
	size = fread(text, 1, FILE_MAX + 1, file);
	if (ferror(file))
		ret = fail(path, errno ? -errno : -EIO, error);
	else if (size > FILE_MAX)
		ret = fail(path, -EFBIG, error);
	else
		ret = advice_load(advice, text, size, path, error);
	free(text);
	return ret;
}

int gpmu_advice_add(struct gpmu_advice *advice, const char *path, struct gpmu_error *error)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file)
		return fail(path, -errno, error);
	ret = load_file(advice, file, path, error);
	fclose(file);
	return ret;
}

const struct gpmu_advice_rule *gpmu_advice_rule(const struct gpmu_advice *advice, size_t index)
{
	return index < advice->rules.n ? &advice->rules.list[index] : NULL;
}
