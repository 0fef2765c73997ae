/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drives the plugin nvml through its ABI. GPMU_CUDA names the folders of the libraries; empty, it selects the system's
 * NVML. If it is unset, the tests use the fake with a scenario of tests/gpu/fake.
 */
#ifndef GPMU_TESTS_NVML_TEST_H
#define GPMU_TESTS_NVML_TEST_H

#include <dlfcn.h>
#include <jansson.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpmu-source.h"
#include "gpmu.h"
#include "tap.h"

/* The values of tests/gpu/rules-nvml.mk, for linters */
#ifndef FAKE
#define FAKE	"build/tests/gpu/fake/"
#define PLUGIN	"build/gpmu-nvml.so"
#endif

static const struct gpmu_source_plugin *plugin;
static struct gpmu_error failure = { .size = sizeof(failure) };

__attribute__((unused))
static uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void use_scenario(const char *name)
{
	char path[128];

	setenv("GPMU_CUDA", FAKE, 1);
	snprintf(path, sizeof(path), "tests/gpu/fake/nvml-%s.json", name);
	setenv("GPMU_FAKE_NVML", path, 1);
}

/* Returns whether the plugin has been loaded. */
static bool load_plugin(void)
{
	void *library = dlopen(getenv("GPMU_PLUGIN") ? getenv("GPMU_PLUGIN") : PLUGIN, RTLD_NOW);

	plugin = library ? dlsym(library, "gpmu_source_plugin") : NULL;
	if (!plugin)
		printf("Bail out! %s\n", dlerror());
	return plugin;
}

static void *open_source(const char *options)
{
	void *source = NULL;
	int ret;

	failure = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	ret = plugin->open(&source, options, &failure);
	return ret ? NULL : source;
}

__attribute__((unused))
static int open_error(const char *options)
{
	void *source = NULL;
	int ret;

	failure = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	ret = plugin->open(&source, options, &failure);
	if (!ret)
		plugin->close(source);
	return ret;
}

__attribute__((unused))
static size_t find_pmu(void *source, const char *name)
{
	const struct gpmu_source_pmu *pmu;
	size_t i;

	for (i = 0; (pmu = plugin->pmu(source, i)); i++)
		if (!strcmp(pmu->name, name))
			return i;
	return i;
}

/* The number after "event=" */
__attribute__((unused))
static uint64_t config_of(const struct gpmu_source_event_info *info)
{
	return info ? strtoull(info->terms + strlen("event="), NULL, 0) : 0;
}

/* Opens one event; on failure the reason is in @failure */
__attribute__((unused))
static int open_event(void *source, size_t pmu, const char *name, void **group)
{
	struct gpmu_source_event event = { .config = config_of(plugin->event_find(source, pmu, name)) };

	failure = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	return plugin->group_open(source, pmu, &event, 1, group, &failure);
}

__attribute__((unused))
static struct gpmu_source_count read_count(void *source, void *group, uint64_t time, int *ret)
{
	struct gpmu_source_count count = { 0 };
	int result = plugin->group_read(source, group, time, &count);

	if (ret)
		*ret = result;
	return count;
}

/* The value of an event that is a mean */
__attribute__((unused))
static double mean(struct gpmu_source_count count, double scale)
{
	return count.running ? (double)count.raw * (scale ? scale : 1) / (double)count.running : -1;
}

__attribute__((unused))
static bool is_near(double got, double want, double share, const char *what)
{
	double difference = got > want ? got - want : want - got;
	bool has_passed = ok(difference <= share * want, "%s", what);

	if (!has_passed)
		diag("got %g, want %g", got, want);
	return has_passed;
}

__attribute__((unused))
static json_t *ask(void *source, const char *question)
{
	char *text = NULL;
	json_t *answer;

	failure = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	if (plugin->query(source, question, &text, &failure))
		return NULL;
	answer = json_loads(text, 0, NULL);
	free(text);
	return answer;
}

#endif /* GPMU_TESTS_NVML_TEST_H */
