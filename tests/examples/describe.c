// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * describe NAME [FILE]: prints the catalog's entry of a metric, or of the events with this name on
 * each PMU. FILE has more metrics and events in the schema of perf's pmu-events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include <gpmu.h>

static void line(const char *what, const char *text)
{
	if (text)
		printf("  %s: %s\n", what, text);
}

static void show_metric(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	const int here = gpmu_metric_supported(metric, machine) == 1;
	char *why = here ? NULL : gpmu_metric_why_not(metric, machine);
	const char *group;

	printf("metric %s: %s\n", gpmu_metric_name(metric), here ? "supported" : "not supported");
	line("reason", why);
	free(why);
	line("description", gpmu_metric_description(metric));
	line("details", gpmu_metric_details(metric));
	line("formula", gpmu_metric_expr(metric));
	line("threshold", gpmu_metric_threshold(metric));
	line("unit", gpmu_metric_unit(metric));
	line("PMU", gpmu_metric_pmu(metric));
	line("identifier", gpmu_metric_compat(metric));
	line("CPU", gpmu_metric_cpu(metric));
	for (size_t i = 0; (group = gpmu_metric_group(metric, i)); i++)
		line("group", group);
	printf("  from %s:%u\n", gpmu_metric_file(metric), gpmu_metric_line(metric));
}

static void show_event(const struct gpmu_event_def *event, const struct gpmu_machine *machine)
{
	printf("event %s: %s\n", gpmu_event_def_name(event),
	       gpmu_event_def_supported(event, machine) == 1 ? "supported" : "for other machines");
	line("topic", gpmu_event_def_topic(event));
	line("description", gpmu_event_def_description(event));
	line("details", gpmu_event_def_details(event));
	line("terms", gpmu_event_def_terms(event));
	line("unit", gpmu_event_def_unit(event));
	line("PMU", gpmu_event_def_pmu(event));
	line("identifier", gpmu_event_def_compat(event));
	line("CPU", gpmu_event_def_cpu(event));
	printf("  from %s:%u\n", gpmu_event_def_file(event), gpmu_event_def_line(event));
}

/* Returns how many metrics and events have a name like @name. */
static size_t search(const struct gpmu_catalog *catalog, const struct gpmu_machine *machine,
		     const char *name)
{
	const struct gpmu_metric *metric = gpmu_catalog_find_metric(catalog, name, machine);
	const struct gpmu_event_def *event;
	size_t found = metric != NULL;

	if (metric)
		show_metric(metric, machine);
	for (size_t i = 0; (event = gpmu_catalog_event(catalog, i)); i++)
		if (!strcasecmp(gpmu_event_def_name(event), name)) {
			show_event(event, machine);
			found++;
		}
	return found;
}

/* Adds the metrics and events of a file, and prints the keys that it ignored. */
static int add(struct gpmu_catalog *catalog, const char *path, struct gpmu_error *error)
{
	const char *warning;
	int ret = gpmu_catalog_add(catalog, path, error);

	for (size_t i = 0; (warning = gpmu_catalog_warning(catalog, i)); i++)
		fprintf(stderr, "describe: %s\n", warning);
	return ret;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "GraceMemBW";
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = machine ? gpmu_catalog_new(NULL, &error) : NULL;
	size_t metrics = 0, found = 0;

	if (catalog && (argc < 3 || !add(catalog, argv[2], &error))) {
		found = search(catalog, machine, name);
		while (gpmu_catalog_metric(catalog, metrics))
			metrics++;
		if (!found)
			snprintf(error.text, sizeof(error.text), "none of %zu metrics and no event is named %s",
				 metrics, name);
	}
	if (!found)
		fprintf(stderr, "describe: %s\n", error.text);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return found ? 0 : 1;
}
