// SPDX-License-Identifier: LGPL-2.1-or-later
/* A report of Nsight Compute: reading, and its ranges and actions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "ncurep/ncurep.h"

/* Completes the actions: names of metrics, and code, may come after them in the file. */
static int complete(struct gpmu_ncu_report *report)
{
	for (size_t i = 0; i < report->actions.n; i++) {
		struct ncurep_action *action = report->actions.list[i];

		if (ncurep_make_metrics(report, action) || ncurep_make_nvtx(action))
			return -ENOMEM;
		ncurep_make_source(report, action);
	}
	return 0;
}

static struct gpmu_ncu_report *no_memory(struct gpmu_ncu_report *report, struct gpmu_error *error)
{
	gpmu_ncu_report_free(report);
	error_no_memory(error);
	return NULL;
}

struct gpmu_ncu_report *gpmu_ncu_report_new(int fd, const char *path, struct gpmu_error *error)
{
	struct gpmu_ncu_report *report = calloc(1, sizeof(*report));
	int ret;

	if (!report)
		return no_memory(NULL, error);
	report->info.size = sizeof(report->info);
	report->path = strdup(path);
	if (!report->path)
		return no_memory(report, error);
	ret = ncurep_read(report, fd, error);
	if (ret) {
		gpmu_ncu_report_free(report);
		errno = -ret;
		return NULL;
	}
	return complete(report) ? no_memory(report, error) : report;
}

void gpmu_ncu_report_free(struct gpmu_ncu_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->actions.n; i++)
		ncurep_action_free(report->actions.list[i]);
	for (size_t i = 0; i < report->ranges.n; i++) {
		vector_free(&report->ranges.list[i]->actions);
		free(report->ranges.list[i]);
	}
	for (size_t i = 0; i < report->sources.n; i++)
		ncurep_message_free(report->sources.list[i]);
	for (size_t i = 0; i < report->blocks.n; i++)
		ncurep_message_free(report->blocks.list[i]);
	map_release(&report->codes);
	vector_free(&report->actions);
	vector_free(&report->ranges);
	vector_free(&report->sources);
	vector_free(&report->names);
	vector_free(&report->blocks);
	free(report->path);
	free(report->why);
	free(report);
}

int gpmu_ncu_report_get_info(const struct gpmu_ncu_report *report, struct gpmu_ncu_info *info)
{
	size_t size = info->size;

	if (size < sizeof(size))
		return -EINVAL;
	sized_copy(info, size, &report->info);
	info->size = size < sizeof(*info) ? size : sizeof(*info);
	return 0;
}

const struct gpmu_ncu_range *gpmu_ncu_report_range(const struct gpmu_ncu_report *report, size_t index)
{
	return index < report->ranges.n ? &report->ranges.list[index]->info : NULL;
}

const struct gpmu_ncu_action *gpmu_ncu_report_action(const struct gpmu_ncu_report *report, size_t index)
{
	return index < report->actions.n ? &report->actions.list[index]->info : NULL;
}

const struct gpmu_ncu_action *gpmu_ncu_range_action(const struct gpmu_ncu_range *info, size_t index)
{
	const struct ncurep_range *range = (const struct ncurep_range *)info;

	return index < range->actions.n ? &range->actions.list[index]->info : NULL;
}
