// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any file is read as a report of Nsight Compute up to its first fault, or refused. What a report returns conforms to
 * the documentation in the header.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpmu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static void check_value(const struct gpmu_ncu_value *value)
{
	must(value->kind <= GPMU_NCU_UINT64 && (value->kind == GPMU_NCU_TEXT) == (value->text != NULL));
	if (value->kind == GPMU_NCU_TEXT || value->kind == GPMU_NCU_MISSING)
		must(isnan(value->number) && !value->integer);
}

static void check_metric(const struct gpmu_ncu_action *action, const struct gpmu_ncu_metric *metric)
{
	struct gpmu_ncu_value id = { .size = sizeof(id) }, value = { .size = sizeof(value) };

	must(metric->name && gpmu_ncu_action_find(action, metric->name) && metric->type <= GPMU_NCU_THROUGHPUT);
	must(!gpmu_ncu_metric_value(metric, &value));
	check_value(&value);
	for (size_t i = 0; i < metric->instances; i++) {
		must(!gpmu_ncu_metric_instance(metric, i, &id, &value));
		check_value(&id);
		check_value(&value);
	}
	must(gpmu_ncu_metric_instance(metric, metric->instances, &id, &value) == -ENOENT);
}

static void check_action(const struct gpmu_ncu_action *action)
{
	const struct gpmu_ncu_source *source = gpmu_ncu_action_source(action);
	const struct gpmu_ncu_metric *metric;
	const struct gpmu_ncu_nvtx *range;
	const char *content;

	must(action->work <= GPMU_NCU_GRAPH && action->range);
	for (size_t i = 0; (metric = gpmu_ncu_action_metric(action, i)); i++)
		check_metric(action, metric);
	for (size_t i = 0; (range = gpmu_ncu_action_nvtx(action, i)); i++)
		must(range->name && range->domain && gpmu_ncu_action_matches(action, "step/*/forward") >= 0);
	for (size_t i = 0; source && gpmu_ncu_source_file(source, i, &content); i++)
		must(!content || strlen(content) < SIZE_MAX);
}

static void check_report(const struct gpmu_ncu_report *report, size_t size)
{
	struct gpmu_ncu_info info = { .size = sizeof(info) };
	const struct gpmu_ncu_action *action;
	const struct gpmu_ncu_range *range;
	size_t n = 0, in_ranges = 0;

	must(!gpmu_ncu_report_get_info(report, &info));
	must(info.why ? info.end <= size && !strncmp(info.why, "f:", 2) : info.end == size);
	for (; (action = gpmu_ncu_report_action(report, n)); n++)
		check_action(action);
	for (size_t i = 0; (range = gpmu_ncu_report_range(report, i)); i++)
		for (size_t k = 0; (action = gpmu_ncu_range_action(range, k)); k++, in_ranges++)
			must(action->range == range);
	must(in_ranges == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("report", MFD_CLOEXEC);
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_ncu_report *report;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	report = gpmu_ncu_report_new(fd, "f", &error);
	if (report)
		check_report(report, size);
	else
		must(errno == EINVAL && !strncmp(error.text, "f:0: ", 5));
	gpmu_ncu_report_free(report);
	close(fd);
	return 0;
}
