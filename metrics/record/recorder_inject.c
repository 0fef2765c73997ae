// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets the environment variables by which processes load the libraries that write channels. CUDA and NVTX load the
 * injection library. The dynamic linker preloads it, too, so that its functions precede those of libc, and libgpmu-mark.so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/channel/channel.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text/text.h"
#include "record/recorder.h"
#include "plugin/preload.h"

#define LIBRARY		"libgpmu-inject.so"
#define ASAN_VARIABLE	"ASAN_OPTIONS"
#define PCI_DISPLAY	0x03	/* class of display controllers, such as GPUs */

enum { OF_CUDA, OF_NVTX, OF_OPENACC, OF_CHANNEL, OF_PRELOAD, OF_ASAN, VARIABLE_COUNT };

static const char *const variables[VARIABLE_COUNT] = {
	[OF_CUDA] = "CUDA_INJECTION64_PATH", [OF_NVTX] = "NVTX_INJECTION64_PATH",
	[OF_OPENACC] = "ACC_PROFLIB", [OF_CHANNEL] = CHANNEL_VARIABLE, [OF_PRELOAD] = PRELOAD_VARIABLE,
	[OF_ASAN] = ASAN_VARIABLE,
};

static bool is_same_file(const char *path, const char *library)
{
	char *real = realpath(path, NULL);
	bool is_same = real && !strcmp(real, library);

	free(real);
	return is_same;
}

static bool wants_openacc(const struct gpmu_recorder *recorder)
{
	return recorder->options.cuda & GPMU_RECORDER_OPENACC;
}

static int find_injected(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	recorder->library = preload_path(LIBRARY, error);
	if (!recorder->library)
		return -errno;
	for (size_t i = OF_CUDA; i <= OF_OPENACC; i++) {
		const char *value = getenv(variables[i]);

		if ((i == OF_OPENACC && !wants_openacc(recorder)) || !value || !*value || is_same_file(value, recorder->library))
			continue;
		error_set(error, 0,
			  "%s is %.64s, of another tool, and CUDA loads one; unset it%s", variables[i], value,
			  recorder->options.ranges ? "" : ", or record without CUDA");
		return -EBUSY;
	}
	return 0;
}

int recorder_inject_find(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	const char *value = getenv(CHANNEL_VARIABLE);
	int ret = 0;

	if (value && *value) {
		error_set(error, 0, "this runs under another gpmu record, which has set " CHANNEL_VARIABLE
			  "; unset it to be recorded by this one");
		return -EBUSY;
	}
	if (recorder->options.cuda || recorder->options.ranges)
		ret = find_injected(recorder, error);
	if (ret || !recorder->options.regions)
		return ret;
	recorder->preload = preload_find(error);
	return recorder->preload ? 0 : -errno;
}

/* Returns whether the recorder sets the variable of this entry. */
static bool is_ours(const struct gpmu_recorder *recorder, const char *entry)
{
	for (size_t i = 0; i < VARIABLE_COUNT; i++) {
		size_t length = strlen(variables[i]);

		if (recorder->variables[i] && !strncmp(entry, variables[i], length) &&
		    entry[length] == '=')
			return true;
	}
	return false;
}

/* AddressSanitizer of gcc refuses to start a program unless its library is the first one. Returns 0 or -ENOMEM. */
static int make_asan(struct gpmu_recorder *recorder, char *const *environment)
{
	const char *before = preload_value(environment, ASAN_VARIABLE "=");

	recorder->variables[OF_ASAN] = text_print(ASAN_VARIABLE "=%s%sverify_asan_link_order=0", before, *before ? ":" : "");
	return recorder->variables[OF_ASAN] ? 0 : -ENOMEM;
}

/* Makes "LD_PRELOAD=..." with those of the injection library and libgpmu-mark.so that are used. Returns 0 or -ENOMEM. */
static int make_preload(struct gpmu_recorder *recorder, char *const *environment)
{
	const char *inject = recorder->library && preload_can_name(recorder->library) ? recorder->library : "";
	const char *mark = recorder->preload ? recorder->preload : "";
	char *libraries = text_print("%s%s%s", inject, *inject && *mark ? ":" : "", mark);
	int ret = libraries ? 0 : -ENOMEM;

	if (libraries && *libraries) {
		recorder->variables[OF_PRELOAD] = preload_entry(libraries, environment);
		ret = recorder->variables[OF_PRELOAD] ? make_asan(recorder, environment) : -ENOMEM;
	}
	free(libraries);
	return ret;
}

static int make_variables(struct gpmu_recorder *recorder, char *const *environment)
{
	const char *const values[VARIABLE_COUNT] = {
		recorder->library, recorder->library, wants_openacc(recorder) ? recorder->library : NULL,
		recorder->control ? recorder->channel_name : NULL,
	};

	for (size_t i = 0; i < VARIABLE_COUNT; i++) {
		free(recorder->variables[i]);
		recorder->variables[i] = NULL;
		if (!values[i])
			continue;
		recorder->variables[i] = text_print("%s=%s", variables[i], values[i]);
		if (!recorder->variables[i])
			return -ENOMEM;
	}
	return make_preload(recorder, environment);
}

void recorder_inject_report(const struct gpmu_recorder *recorder)
{
	if (recorder->library && !preload_can_name(recorder->library))
		log_line(GPMU_LOG_WARNING, "%s cannot be preloaded, because its path has a blank or a colon: the last records of "
			 "programs that end by a signal or by _exit() may be lost", recorder->library);
}

char *const *gpmu_recorder_environment(struct gpmu_recorder *recorder, char *const *environment)
{
	size_t n = 0, length = 0;

	while (environment[n])
		n++;
	free(recorder->environment);
	recorder->environment = calloc(n + VARIABLE_COUNT + 1, sizeof(*recorder->environment));
	if (!recorder->environment || make_variables(recorder, environment))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!is_ours(recorder, environment[i]))
			recorder->environment[length++] = environment[i];
	for (size_t i = 0; i < VARIABLE_COUNT; i++)
		if (recorder->variables[i])
			recorder->environment[length++] = recorder->variables[i];
	return recorder->environment;
}

/* Returns whether NVIDIA's driver has a GPU. The machine's own list needs a plugin, which only --gpu loads. */
static bool has_gpu(const struct gpmu_machine *machine)
{
	const struct gpmu_pci *pci;

	for (size_t i = 0; machine && (pci = gpmu_machine_pci(machine, i)); i++) {
		const char *driver = gpmu_pci_driver(pci);

		if (driver && !strcmp(driver, "nvidia") && gpmu_pci_class(pci) >> 16 == PCI_DISPLAY)
			return true;
	}
	return false;
}

bool recorder_lacks_cuda(const struct gpmu_recorder *recorder)
{
	const struct record_map *map = &recorder->map;

	return recorder->library && !map->process_count && !recorder->refusal_count &&
	       (has_gpu(recorder->machine) || recorder->options.pc_sampling || (!map->task_track_count && !map->counter_count));
}

void recorder_inject_release(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < VARIABLE_COUNT; i++)
		free(recorder->variables[i]);
	free(recorder->environment);
	free(recorder->library);
	free(recorder->preload);
}
