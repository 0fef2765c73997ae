// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * run PLUGIN OPTIONS SECONDS EVENT...: counts events of a plugin's first PMU and prints the counts; makes a recording
 * under the recorder. With 0 seconds it only looks up the events.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpmu-source.h"
#include "gpmu.h"

#define EVENTS	64

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return time.tv_sec * UINT64_C(1000000000) + time.tv_nsec;
}

static void say(const struct gpmu_source_plugin *plugin, void *source)
{
	const char *text;

	while ((text = plugin->message(source)))
		fprintf(stderr, "%s\n", text);
}

static int count(const struct gpmu_source_plugin *plugin, void *source, char **names, size_t length,
		 double seconds, struct gpmu_error *error)
{
	struct timespec pause = { .tv_sec = (time_t)seconds,
				  .tv_nsec = (long)((seconds - (time_t)seconds) * 1e9) };
	struct gpmu_source_event events[EVENTS] = { 0 };
	struct gpmu_source_count counts[EVENTS] = { 0 };
	void *group;
	int ret;

	for (size_t i = 0; i < length; i++) {
		const struct gpmu_source_event_info *info = plugin->event_find(source, 0, names[i]);

		if (!info) {
			snprintf(error->text, sizeof(error->text), "no event %s", names[i]);
			return 1;
		}
		printf("%s: %s, unit %s, %d passes: %s\n", names[i], info->mean ? "mean" : "count",
		       info->unit ? info->unit : "-", info->passes, info->description);
		events[i].config = strtoull(strchr(info->terms, '=') + 1, NULL, 0);
	}
	if (seconds <= 0)
		return 0;
	ret = plugin->group_open(source, 0, events, length, &group, error);
	if (ret)
		return ret;
	ret = plugin->prepare(source, error);
	if (!ret)
		ret = plugin->enable(source, now());
	if (!ret) {
		nanosleep(&pause, NULL);
		ret = plugin->disable(source, now());
	}
	if (!ret)
		ret = plugin->group_read(source, group, now(), counts);
	for (size_t i = 0; i < length && !ret; i++)
		printf("%s %lu in %lu of %lu ns\n", names[i], counts[i].raw, counts[i].running,
		       counts[i].enabled);
	say(plugin, source);
	plugin->group_close(source, group);
	return ret;
}

int main(int argc, char **argv)
{
	const struct gpmu_source_plugin *plugin = NULL;
	struct gpmu_error error = { .size = sizeof(error) };
	void *handle, *source;
	int ret;

	if (argc < 5 || argc - 4 > EVENTS) {
		fprintf(stderr, "usage: %s PLUGIN OPTIONS SECONDS EVENT...\n", argv[0]);
		return 2;
	}
	handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (handle)
		plugin = dlsym(handle, "gpmu_source_plugin");
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	ret = plugin->open(&source, argv[2], &error);
	if (!ret) {
		say(plugin, source);
		if (plugin->pmu(source, 0))
			ret = count(plugin, source, argv + 4, (size_t)argc - 4,
				    strtod(argv[3], NULL), &error);
		plugin->close(source);
	}
	if (ret)
		fprintf(stderr, "%d: %s\n", ret, error.text);
	return ret != 0;
}
