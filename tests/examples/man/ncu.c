// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the kernels of a report of Nsight Compute, with their metrics. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <gpmu.h>

static void print_metric(const struct gpmu_ncu_metric *metric)
{
	struct gpmu_ncu_value id = { .size = sizeof(id) };
	struct gpmu_ncu_value value = { .size = sizeof(value) };

	gpmu_ncu_metric_value(metric, &value);
	if (value.text)
		printf("  %s: %s\n", metric->name, value.text);
	else
		printf("  %s: %g %s\n", metric->name, value.number,
		       metric->unit ? metric->unit : "");
	for (size_t i = 0; i < metric->instances; i++) {
		gpmu_ncu_metric_instance(metric, i, &id, &value);
		printf("    0x%llx: %g\n",
		       (unsigned long long)id.integer, value.number);
	}
}

static void print_code(const struct gpmu_ncu_source *source)
{
	const char *name, *content;
	size_t i = 0;

	while ((name = gpmu_ncu_source_file(source, i++, &content)))
		printf("  code: %s\n", name);
}

static void print_action(const struct gpmu_ncu_action *action,
			 const struct gpmu_metric *bandwidth)
{
	const struct gpmu_ncu_metric *metric;
	const struct gpmu_ncu_nvtx *range;
	size_t i = 0, k = 0;
	double value;

	printf("%s\n", action->name ? action->name : "?");
	while ((range = gpmu_ncu_action_nvtx(action, i++)))
		printf("  in %s\n", range->name);
	if (gpmu_ncu_action_matches(action, "step/*/forward") > 0)
		printf("  in the forward part of a step\n");
	while ((metric = gpmu_ncu_action_metric(action, k++)))
		print_metric(metric);
	if (gpmu_ncu_action_source(action))
		print_code(gpmu_ncu_action_source(action));
	if (gpmu_ncu_action_find(action, "dram__bytes_read.sum") &&
	    !gpmu_ncu_action_eval(action, bandwidth, &value))
		printf("  GpuDramReadBW: %g GB/s\n", value);
}

static void print_report(const struct gpmu_ncu_report *report,
			 const struct gpmu_metric *bandwidth)
{
	struct gpmu_ncu_info info = { .size = sizeof(info) };
	const struct gpmu_ncu_action *action;
	const struct gpmu_ncu_range *range;
	size_t i = 0, k;

	while ((range = gpmu_ncu_report_range(report, i++))) {
		k = 0;
		while ((action = gpmu_ncu_range_action(range, k++)))
			print_action(action, bandwidth);
	}
	if (!gpmu_ncu_report_action(report, 0))
		printf("no result\n");
	gpmu_ncu_report_get_info(report, &info);
	if (info.why)
		printf("%s\n", info.why);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "app.ncu-rep";
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_ncu_report *report = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (catalog)
		report = gpmu_ncu_report_new(fd, path, &error);
	if (report)
		print_report(report, gpmu_catalog_find_metric(
			catalog, "GpuDramReadBW", NULL));
	else
		fprintf(stderr, "%s\n", error.text);
	if (fd >= 0)
		close(fd);
	gpmu_ncu_report_free(report);
	gpmu_catalog_free(catalog);
	return report ? 0 : 1;
}
