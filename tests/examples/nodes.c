// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * nodes LIST [SOURCE]: counts metrics and events of the whole machine by node, in a region that
 * is visited several times, and prints CSV. SOURCE, such as "model=steady.scenario", counts in
 * place of the kernel.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gpmu.h>

#define VISITS	5

static int fail(const char *what)
{
	fprintf(stderr, "nodes: %s\n", what);
	return 1;
}

static int count(struct gpmu *g)
{
	const struct timespec pause_time = { .tv_nsec = 20000000 };
	int ret = 0;

	for (int i = 0; i < VISITS && !ret; i++) {
		nanosleep(&pause_time, NULL);
		ret = gpmu_begin(g, "visit");
		nanosleep(&pause_time, NULL);
		if (!ret)
			ret = gpmu_end(g, "visit");
	}
	return ret ? ret : gpmu_print(g, stdout);
}

int main(int argc, char **argv)
{
	const char *const source = argc > 2 ? argv[2] : NULL;
	const struct gpmu_options options = {
		.size = sizeof(options), .sources = &source, .source_count = argc > 2, .system = 1,
		.aggregation = GPMU_AGGREGATE_NODE, .format = GPMU_SINK_CSV,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g;
	int ret;

	if (argc < 2)
		return fail("usage: nodes LIST [SOURCE]");
	g = gpmu_open(argv[1], &options, &error);
	if (!g)
		return fail(error.text);
	ret = count(g);
	gpmu_close(g);
	return ret ? fail(strerror(-ret)) : 0;
}
