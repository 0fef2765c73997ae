// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists the metrics of a group with their formulas. */
#include <stdio.h>

#include <gpmu.h>

int main(void)
{
	struct gpmu_error error = { .text = "" };
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	const char *group = "grace_bandwidth";
	const struct gpmu_metric *metric;
	size_t i = 0;

	if (!catalog) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	while ((metric = gpmu_catalog_group_metric(catalog, group, i++)))
		printf("%s = %s\n", gpmu_metric_name(metric),
		       gpmu_metric_expr(metric));
	gpmu_catalog_free(catalog);
	return 0;
}
