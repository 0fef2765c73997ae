// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A file of pmu-events: the first byte selects its path, the rest is its text. All
 * items of an accepted file are read; a refused file has a reason.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const char *text)
{
	static volatile size_t sum;

	if (text)
		sum += strlen(text);
}

static void use_metric(const struct gpmu_catalog *catalog, const struct gpmu_metric *metric)
{
	size_t i;

	use(gpmu_metric_expr(metric));
	use(gpmu_metric_threshold(metric));
	use(metric->constraint);
	use(gpmu_metric_description(metric));
	use(gpmu_metric_details(metric));
	use(gpmu_metric_unit(metric));
	use(gpmu_metric_pmu(metric));
	use(gpmu_metric_compat(metric));
	use(gpmu_metric_file(metric));
	for (i = 0; gpmu_metric_group(metric, i); i++)
		if (!gpmu_catalog_group_metric(catalog, gpmu_metric_group(metric, i), 0))
			abort();
	if (!gpmu_catalog_find_metric(catalog, gpmu_metric_name(metric), NULL) ||
	    !(metric_scale(metric) > 0) || !gpmu_metric_line(metric))
		abort();
}

static void use_event(const struct gpmu_catalog *catalog, const struct gpmu_event_def *event)
{
	use(gpmu_event_def_terms(event));
	use(gpmu_event_def_topic(event));
	use(gpmu_event_def_description(event));
	use(gpmu_event_def_details(event));
	use(gpmu_event_def_unit(event));
	use(gpmu_event_def_compat(event));
	if (!catalog_find_event(catalog, gpmu_event_def_pmu(event),
				     gpmu_event_def_name(event), NULL) ||
	    !(event_def_scale(event) > 0) || !gpmu_event_def_line(event))
		abort();
}

static int add(struct gpmu_catalog *catalog, const char *place, const void *text, size_t size,
	       struct gpmu_error *error)
{
	struct catalog_load load;
	int ret = catalog_load_init(&load, catalog, error);

	if (ret)
		return ret;
	return catalog_load_end(&load, catalog,
				catalog_add_text(&load, place, place, text, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const places[] = {
		"x.json", "/arch/arm64/x.json", "/arch/arm64/a/cpu/x.json", "x-metricgroups.json",
	};
	static const char standard[] = "[{\"EventName\": \"e\", \"EventCode\": \"1\"},"
				       "{\"MetricName\": \"m\", \"MetricExpr\": \"1\"}]";
	struct gpmu_catalog *catalog = calloc(1, sizeof(*catalog));
	struct gpmu_error error = { .size = sizeof(error) };
	size_t i;

	if (!catalog || !size ||
	    add(catalog, places[1], standard, sizeof(standard) - 1, &error)) {
		gpmu_catalog_free(catalog);
		return 0;
	}
	if (add(catalog, places[*data % 4], data + 1, size - 1, &error) &&
	    (!strstr(error.text, ".json:") || error.offset > size))
		abort();
	for (i = 0; gpmu_catalog_metric(catalog, i); i++)
		use_metric(catalog, gpmu_catalog_metric(catalog, i));
	for (i = 0; gpmu_catalog_event(catalog, i); i++)
		use_event(catalog, gpmu_catalog_event(catalog, i));
	for (i = 0; gpmu_catalog_warning(catalog, i); i++)
		use(gpmu_catalog_warning(catalog, i));
	gpmu_catalog_free(catalog);
	return 0;
}
