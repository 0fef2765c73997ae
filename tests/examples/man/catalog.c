// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists the groups of metrics, and the metrics of a group with their formulas. */
#include <stdio.h>

#include <gpmu.h>

int main(int argc, char **argv)
{
	const char *group = argc > 1 ? argv[1] : "grace_bandwidth";
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	const struct gpmu_metric *metric;
	const char *name;
	size_t n = 0;

	if (!catalog) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (size_t i = 0; (name = gpmu_catalog_group(catalog, i)); i++)
		printf("%s\n", name);
	while ((metric = gpmu_catalog_group_metric(catalog, group, n++)))
		printf("%s = %s\n", gpmu_metric_name(metric),
		       gpmu_metric_expr(metric));
	gpmu_catalog_free(catalog);
	return 0;
}
