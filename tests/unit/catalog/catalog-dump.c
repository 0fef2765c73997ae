// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * For catalog-upstream.t: catalog-dump PATH prints the catalog of a path, one line for each event
 * and each metric.
 */
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"

static const char *text(const char *text)
{
	return text ? text : "";
}

/* Prints a field on one line, with backslash, newline and tab escaped. */
static void put(const char *field, char end)
{
	for (; *field; field++) {
		if (*field == '\n')
			fputs("\\n", stdout);
		else if (*field == '\t')
			fputs("\\t", stdout);
		else if (*field == '\\')
			fputs("\\\\", stdout);
		else
			putchar(*field);
	}
	putchar(end);
}

static void put_scale(double scale, const char *unit)
{
	printf("%.17g\t", scale);
	put(text(unit), '\n');
}

static int dump(const char *path)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_catalog *catalog = gpmu_catalog_new(path, &error);
	const struct gpmu_event_def *event;
	const struct gpmu_metric *metric;
	size_t i, j;

	if (!catalog) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (i = 0; (event = gpmu_catalog_event(catalog, i)); i++) {
		if (!strncmp(gpmu_event_def_file(event), "built in", 8))
			continue;
		printf("event\t%s\t", gpmu_event_def_file(event));
		put(gpmu_event_def_name(event), '\t');
		put(text(gpmu_event_def_pmu(event)), '\t');
		put(text(gpmu_event_def_compat(event)), '\t');
		put(gpmu_event_def_terms(event), '\t');
		put(gpmu_event_def_topic(event), '\t');
		put_scale(event_def_scale(event), gpmu_event_def_unit(event));
	}
	for (i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++) {
		if (!strncmp(gpmu_metric_file(metric), "built in", 8))
			continue;
		printf("metric\t%s\t", gpmu_metric_file(metric));
		put(gpmu_metric_name(metric), '\t');
		put(text(gpmu_metric_pmu(metric)), '\t');
		put(text(gpmu_metric_compat(metric)), '\t');
		put(gpmu_metric_expr(metric), '\t');
		for (j = 0; gpmu_metric_group(metric, j); j++)
			put(gpmu_metric_group(metric, j), ';');
		putchar('\t');
		put_scale(metric_scale(metric), gpmu_metric_unit(metric));
	}
	gpmu_catalog_free(catalog);
	return 0;
}

int main(int argc, char **argv)
{
	return argc == 2 ? dump(argv[1]) : 2;
}
