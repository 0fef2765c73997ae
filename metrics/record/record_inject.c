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
#include "base/list.h"
#include "record/record.h"
#include "plugin/source_object.h"

#define LIBRARY	"libgpmu-inject.so"

static const char *const variables[] = {
	"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", CHANNEL_VARIABLE,
};

#define N_VARIABLES	(sizeof(variables) / sizeof(variables[0]))

int record_inject_find(struct gpmu_record *record, struct gpmu_error *error)
{
	char path[PATH_MAX];
	int ret = source_find_file(LIBRARY, path, sizeof(path), error);

	if (ret)
		return ret;
	/* The path must be absolute: the command may run in another folder. */
	record->library = realpath(path, NULL);
	if (record->library)
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

int record_inject_check(const struct gpmu_record *record, struct gpmu_error *error)
{
	const char *value = getenv(CHANNEL_VARIABLE);

	if (value && *value) {
		error_set(error, 0, "this runs under another gpmu record, which has set " CHANNEL_VARIABLE
			  "; unset it to be recorded by this one");
		return -EBUSY;
	}
	for (size_t i = 0; i + 1 < N_VARIABLES; i++) {
		value = getenv(variables[i]);
		if (!value || !*value || is_same_file(value, record->library))
			continue;
		error_set(error, 0, "%s is %.64s, of another tool, and CUDA loads one; unset it, or "
			  "record without CUDA", variables[i], value);
		return -EBUSY;
	}
	return 0;
}

static bool is_ours(const char *entry)
{
	for (size_t i = 0; i < N_VARIABLES; i++) {
		size_t length = strlen(variables[i]);

		if (!strncmp(entry, variables[i], length) && entry[length] == '=')
			return true;
	}
	return false;
}

static int make_variables(struct gpmu_record *record)
{
	const char *const values[N_VARIABLES] = {
		record->library, record->library, record->folder,
	};

	for (size_t i = 0; i < N_VARIABLES; i++) {
		if (!record->variables[i])
			record->variables[i] = text_print("%s=%s", variables[i], values[i]);
		if (!record->variables[i])
			return -ENOMEM;
	}
	return 0;
}

char *const *gpmu_record_environment(struct gpmu_record *record, char *const *environment)
{
	size_t n = 0, length = 0;

	while (environment[n])
		n++;
	free(record->environment);
	record->environment = calloc(n + N_VARIABLES + 1, sizeof(*record->environment));
	if (!record->environment || (record->folder && make_variables(record)))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!record->folder || !is_ours(environment[i]))
			record->environment[length++] = environment[i];
	for (size_t i = 0; record->folder && i < N_VARIABLES; i++)
		record->environment[length++] = record->variables[i];
	return record->environment;
}

void record_inject_release(struct gpmu_record *record)
{
	for (size_t i = 0; i < N_VARIABLES; i++)
		free(record->variables[i]);
	free(record->environment);
	free(record->library);
}
