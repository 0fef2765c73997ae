// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * nodes METRICS [SOURCE]: counts metrics of the whole machine by node, in a region that is
 * visited several times. SOURCE, such as "model=steady.scenario", counts in place of the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gpmu.h>

#define VISITS	5

static const struct timespec pause_time = { .tv_nsec = 20000000 };

static int fail(const char *what)
{
	fprintf(stderr, "nodes: %s\n", what);
	return 1;
}

/* Writes CSV to standard output: a header, and a line for each node and metric. */
static int print_region(struct gpmu_session *session, size_t index)
{
	const struct gpmu_sink_options options = { .size = sizeof(options), .host = "" };
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_CSV, stdout, &options, NULL);
	const struct gpmu_row *rows = NULL;
	size_t n = 0;
	int ret = sink ? gpmu_region_rows(session, index, &rows, &n) : -errno;

	if (!ret)
		ret = gpmu_sink_rows(sink, rows, n);
	gpmu_sink_free(sink);
	return ret ? fail(strerror(-ret)) : 0;
}

static int count(struct gpmu_session *session)
{
	int ret = gpmu_session_enable(session);

	for (int i = 0; i < VISITS && !ret; i++) {
		nanosleep(&pause_time, NULL);
		ret = gpmu_region_begin(session, "visit");
		nanosleep(&pause_time, NULL);
		if (!ret)
			ret = gpmu_region_end(session, "visit");
	}
	return ret ? fail(strerror(-ret)) : print_region(session, 0);
}

static struct gpmu_session *open_session(const struct gpmu_plan *plan, struct gpmu_error *error)
{
	const struct gpmu_session_options options = {
		.size = sizeof(options),
		.system = 1,
		.aggregation = GPMU_AGGREGATE_NODE,
	};

	return gpmu_session_new(plan, &options, error);
}

int main(int argc, char **argv)
{
	const struct gpmu_plan_options options = { .size = sizeof(options), .system_wide = 1 };
	struct gpmu_error error = { .text = "out of memory" };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_session *session = NULL;
	struct gpmu_source *source = NULL;
	struct gpmu_plan *plan = NULL;
	int ret = 1;

	if (argc < 2)
		ret = fail("usage: nodes METRICS [SOURCE]");
	else if (argc > 2 && machine)
		source = gpmu_source_new(argv[2], &error);
	if (argc == 2 || (source && !gpmu_machine_add_source(machine, source, &error)))
		plan = gpmu_plan_new(machine, catalog, &options, &error);
	if (plan && !gpmu_plan_add_metrics(plan, argv[1], &error) && !gpmu_plan_make(plan, &error))
		session = open_session(plan, &error);
	if (session)
		ret = count(session);
	else if (argc > 1)
		fail(error.text);
	gpmu_session_free(session);
	gpmu_plan_free(plan);
	gpmu_source_put(source);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret;
}
