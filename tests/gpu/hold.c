// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hold PLUGIN SECONDS: acts as another profiler: samples the plugin's first GPU for SECONDS or until it is killed,
 * and prints "held" once it has the GPU.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpmu-source.h"
#include "gpmu.h"

#define EVENT	"dram__bytes_read.sum"

static int fail(const char *what)
{
	fprintf(stderr, "hold: %s\n", what);
	return 1;
}

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	const struct gpmu_source_plugin *plugin = library ? dlsym(library, "gpmu_source_plugin") : NULL;
	const struct gpmu_source_event_info *info;
	struct gpmu_source_event event = { 0 };
	struct gpmu_error error = { .size = sizeof(error) };
	void *source, *group;

	if (!plugin)
		return fail(argc == 3 ? dlerror() : "usage: hold PLUGIN SECONDS");
	if (plugin->open(&source, "", &error))
		return fail(error.text);
	info = plugin->event_find(source, 0, EVENT);
	if (!info || sscanf(info->terms, "event=%lx", &event.config) != 1)
		return fail("no " EVENT);
	if (plugin->group_open(source, 0, &event, 1, &group, &error) ||
	    plugin->prepare(source, &error))
		return fail(error.text);
	printf("held\n");
	fflush(stdout);
	sleep((unsigned int)atoi(argv[2]));
	plugin->group_close(source, group);
	plugin->close(source);
	return 0;
}
