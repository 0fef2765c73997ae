// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets the environment variables by which a process that uses CUDA or NVTX loads the
 * injection library, which writes its channel.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "trace/channel/channel.h"
#include "base/error.h"
#include "base/text.h"
#include "record/recorder.h"
#include "plugin/source_object.h"

#define LIBRARY	"libgpmu-inject.so"

static const char *const variables[] = {
	"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", CHANNEL_VARIABLE,
};

#define VARIABLE_COUNT	(sizeof(variables) / sizeof(variables[0]))

int recorder_inject_find(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	char path[PATH_MAX];
	int ret = source_find_file(LIBRARY, path, sizeof(path), error);

	if (ret)
		return ret;
	/* The path must be absolute: the command may run in another folder. */
	recorder->library = realpath(path, NULL);
	if (recorder->library)
		return 0;
	error_set(error, 0, "%.150s: %m", path);
	return -errno;
}

static bool is_same_file(const char *path, const char *library)
{
	char *real = realpath(path, NULL);
	bool same = real && !strcmp(real, library);

	free(real);
	return same;
}

int recorder_inject_check(const struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	const char *value = getenv(CHANNEL_VARIABLE);

	if (value && *value) {
		error_set(error, 0, "this runs under another gpmu record, which has set " CHANNEL_VARIABLE
			  "; unset it to be recorded by this one");
		return -EBUSY;
	}
	for (size_t i = 0; i + 1 < VARIABLE_COUNT; i++) {
		value = getenv(variables[i]);
		if (!value || !*value || is_same_file(value, recorder->library))
			continue;
		error_set(error, 0, "%s is %.64s, of another tool, and CUDA loads one; unset it, or "
			  "record without CUDA", variables[i], value);
		return -EBUSY;
	}
	return 0;
}

static bool is_ours(const char *entry)
{
	for (size_t i = 0; i < VARIABLE_COUNT; i++) {
		size_t length = strlen(variables[i]);

		if (!strncmp(entry, variables[i], length) && entry[length] == '=')
			return true;
	}
	return false;
}

static int make_variables(struct gpmu_recorder *recorder)
{
	const char *const values[VARIABLE_COUNT] = {
		recorder->library, recorder->library, recorder->folder,
	};

	for (size_t i = 0; i < VARIABLE_COUNT; i++) {
		if (!recorder->variables[i])
			recorder->variables[i] = text_print("%s=%s", variables[i], values[i]);
		if (!recorder->variables[i])
			return -ENOMEM;
	}
	return 0;
}

char *const *gpmu_recorder_environment(struct gpmu_recorder *recorder, char *const *environment)
{
	size_t n = 0, length = 0;

	while (environment[n])
		n++;
	free(recorder->environment);
	recorder->environment = calloc(n + VARIABLE_COUNT + 1, sizeof(*recorder->environment));
	if (!recorder->environment || (recorder->folder && make_variables(recorder)))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!recorder->folder || !is_ours(environment[i]))
			recorder->environment[length++] = environment[i];
	for (size_t i = 0; recorder->folder && i < VARIABLE_COUNT; i++)
		recorder->environment[length++] = recorder->variables[i];
	return recorder->environment;
}

void recorder_inject_release(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < VARIABLE_COUNT; i++)
		free(recorder->variables[i]);
	free(recorder->environment);
	free(recorder->library);
}
