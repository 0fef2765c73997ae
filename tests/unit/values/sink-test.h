/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows made by hand, and a sink's text of them */
#ifndef GPMU_TESTS_SINK_TEST_H
#define GPMU_TESTS_SINK_TEST_H

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpmu.h"
#include "tap.h"
#include "values/rows.h"

/* An array of @n rows as a struct gpmu_rows */
#define rows_of(array, n)	(&(const struct gpmu_rows){ .list = (struct gpmu_row *)(array), .length = (n) })

/* Makes a row of the machine that is OK and was counted for 2 s. */
__attribute__((unused))
static struct gpmu_row event_row(const char *name, uint64_t raw)
{
	return (struct gpmu_row){
		.size = sizeof(struct gpmu_row), .time_end = 2000000000, .name = name, .node = -1, .package = -1,
		.cpu = -1, .pid = -1, .value = (double)raw, .share = 1, .raw = raw,
		.enabled = 2000000000, .running = 2000000000, .counters = 1, .alert = -1, .runs = 1,
	};
}

__attribute__((unused))
static struct gpmu_row metric_row(const char *name, double value, const char *unit)
{
	struct gpmu_row row = event_row(name, 0);

	row.metric = 1;
	row.value = value;
	row.unit = unit;
	return row;
}

__attribute__((unused))
static struct gpmu_row lost_row(const char *name, enum gpmu_state state, const char *why)
{
	struct gpmu_row row = event_row(name, 0);

	row.state = state;
	row.value = NAN;
	row.share = state == GPMU_STATE_NOT_COUNTED ? 0 : NAN;
	row.why = why;
	return row;
}

__attribute__((unused))
static struct gpmu_row on_node(struct gpmu_row row, int node, int package)
{
	row.scope = GPMU_SCOPE_NODE;
	row.node = node;
	row.package = package;
	return row;
}

/* A sink that writes to memory */
struct test_sink {
	struct gpmu_sink *sink;
	FILE *file;
	char *text;
	size_t length;
};

__attribute__((unused))
static void test_sink_init(struct test_sink *t, enum gpmu_sink_kind kind,
			   struct gpmu_sink_options options)
{
	options.size = sizeof(options);
	if (!options.host)
		options.host = "grace1";
	t->file = open_memstream(&t->text, &t->length);
	t->sink = t->file ? gpmu_sink_new(kind, t->file, &options, NULL) : NULL;
	if (!t->sink) {
		printf("Bail out! no sink\n");
		exit(1);
	}
}

__attribute__((unused))
static void test_sink_release(struct test_sink *t)
{
	gpmu_sink_free(t->sink);
	fclose(t->file);
	free(t->text);
}

/* Compares line by line, so that the first different line is shown. */
__attribute__((unused))
static void is_text(const char *got, const char *want, const char *what)
{
	const char *line = want;

	if (ok(!strcmp(got, want), "%s", what))
		return;
	for (size_t i = 0; got[i] == want[i] && want[i]; i++)
		if (want[i] == '\n')
			line = want + i + 1;
	diag("got  |%.*s|", (int)strcspn(got + (line - want), "\n"), got + (line - want));
	diag("want |%.*s|", (int)strcspn(line, "\n"), line);
}

#endif /* GPMU_TESTS_SINK_TEST_H */
