// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * samples PLUGIN OPTIONS SECONDS EVENT...: counts events of the first GPU by a sampling plugin, and prints the answer
 * to its query "sampling", the statistics of its samples.
 */
#include <dlfcn.h>
#include <errno.h>
#include <gpmu-source.h>
#include <gpmu/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS_MAX 32
#define COUNT_MAX  64	/* bytes of one count */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int find_events(const struct gpmu_source_plugin *plugin, void *source, size_t pmu,
		       char **names, size_t length, struct gpmu_source_event *events)
{
	for (size_t i = 0; i < length; i++) {
		const struct gpmu_source_event_info *info = plugin->event_find(source, pmu, names[i]);
		const char *number = info ? strchr(info->terms, '=') : NULL;

		if (!number) {
			fprintf(stderr, "no event %s\n", names[i]);
			return -ENOENT;
		}
		events[i] = (struct gpmu_source_event){ .config = strtoull(number + 1, NULL, 0) };
	}
	return 0;
}

/* The first PMU whose events have CUPTI's names */
static int find_pmu(const struct gpmu_source_plugin *plugin, void *source, size_t *pmu)
{
	const struct gpmu_source_pmu *found;

	for (*pmu = 0; (found = plugin->pmu(source, *pmu)); (*pmu)++)
		if (!strncmp(found->name, "nvidia_gpu_", strlen("nvidia_gpu_")))
			return 0;
	fprintf(stderr, "no GPU: %s\n", plugin->message(source) ?: "");
	return -ENODEV;
}

/* Reads counts at the end: group_read() waits for the last sample, so that all samples are decoded. */
static int sample(const struct gpmu_source_plugin *plugin, void *source, void *group, double seconds,
		  struct gpmu_error *error)
{
	_Alignas(struct gpmu_source_count) char counts[EVENTS_MAX * COUNT_MAX];
	const struct timespec time = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};
	int ret = plugin->prepare(source, error);
	uint64_t end;

	if (!ret)
		ret = plugin->enable(source, now());
	if (ret)
		return ret;
	nanosleep(&time, NULL);
	end = now();
	ret = plugin->disable(source, end);
	return ret ? ret : plugin->group_read(source, group, end, (struct gpmu_source_count *)counts);
}

static int run(const struct gpmu_source_plugin *plugin, void *source, char **argv, size_t length,
	       struct gpmu_error *error)
{
	struct gpmu_source_event events[EVENTS_MAX];
	char *answer = NULL;
	void *group;
	size_t pmu;
	int ret = find_pmu(plugin, source, &pmu);

	if (!ret)
		ret = find_events(plugin, source, pmu, argv + 1, length, events);
	if (!ret)
		ret = plugin->group_open(source, pmu, events, length, &group, error);
	if (ret)
		return ret;
	ret = sample(plugin, source, group, strtod(argv[0], NULL), error);
	if (!ret)
		ret = plugin->query(source, "sampling", &answer, error);
	if (!ret)
		puts(answer);
	for (const char *line; (line = plugin->message(source));)
		fprintf(stderr, "%s\n", line);
	free(answer);
	plugin->group_close(source, group);
	return ret;
}

int main(int argc, char **argv)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_source_plugin *plugin;
	void *object, *source;
	int ret;

	if (argc < 5 || argc > 4 + EVENTS_MAX) {
		fprintf(stderr, "usage: samples PLUGIN OPTIONS SECONDS EVENT...\n");
		return 2;
	}
	object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	plugin = object ? dlsym(object, "gpmu_source_plugin") : NULL;
	if (!plugin || plugin->event_size != sizeof(struct gpmu_source_event) ||
	    plugin->count_size > COUNT_MAX) {
		fprintf(stderr, "%s\n", object ? "a plugin of other sizes" : dlerror());
		return 1;
	}
	ret = plugin->open(&source, argv[2], &error);
	if (!ret) {
		ret = run(plugin, source, argv + 3, (size_t)argc - 4, &error);
		plugin->close(source);
	}
	if (ret)
		fprintf(stderr, "%s %s\n", strerror(-ret), error.text);
	return ret != 0;
}
