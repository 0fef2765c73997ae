// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "report/report.h"

static int set_options(struct gpmu_report *report, const struct gpmu_report_options *options)
{
	struct gpmu_report_options own = { 0 };

	if (options && options->size < sizeof(options->size))
		return -EINVAL;
	if (options)
		sized_copy(&own, sizeof(own), options);
	report->pc_keys = report_pc_keys(own.pc_keys ? own.pc_keys : "function,line,stall");
	if (!report->pc_keys)
		return -EINVAL;
	if (!own.link)
		return 0;
	for (report->link = 0; report->link < REPORT_LINKS_N; report->link++)
		if (!strcmp(own.link, gpmu_report_link(report->link)))
			return 0;
	return -EINVAL;
}

struct gpmu_report *gpmu_report_new(const struct gpmu_report_options *options,
				    struct gpmu_error *error)
{
	struct gpmu_report *report = calloc(1, sizeof(*report));

	if (!report) {
		error_no_memory(error);
		return NULL;
	}
	if (set_options(report, options)) {
		free(report);
		error_set(error, 0,
			  "the options have no size, their link is not c2c, pcie, nvlink or dram, or their keys of PC samples are not "
			  "function, line, offset, stall");
		errno = EINVAL;
		return NULL;
	}
	report_table_init(report);
	return report;
}

void gpmu_report_free(struct gpmu_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < REPORT_TABLES; i++)
		vector_free(&report->tables[i].cells);
	report_links_release(report);
	report_loads_release(report);
	timeline_release(&report->timeline);
	free(report);
}

static int refuse(struct gpmu_error *error)
{
	error_set(error, 0, "the report has already been made");
	return -EINVAL;
}

int gpmu_report_add(struct gpmu_report *report, int fd, const char *path, struct gpmu_error *error)
{
	return report->is_made ? refuse(error) : timeline_add(&report->timeline, fd, path, error);
}

int gpmu_report_make(struct gpmu_report *report, struct gpmu_error *error)
{
	static void (*const makes[])(struct gpmu_report *) = {
		report_loads, report_links, report_kernels, report_gpus, report_api, report_nvtx,
		report_moved, report_attribution, report_ranks, report_audit,
		report_counters, report_threads, report_samples, report_pcs,
		report_stacks, report_memory, report_modules, report_nodes,
		report_openacc,
	};

	if (report->is_made)
		return refuse(error);
	report->is_made = true;
	for (size_t i = 0; i < ARRAY_SIZE(makes) && !report->has_failed; i++)
		makes[i](report);
	if (!report->has_failed)
		return 0;
	return error_no_memory(error);
}

const struct gpmu_report_table *gpmu_report_table(const struct gpmu_report *report, size_t index)
{
	if (!report->is_made || report->has_failed || index >= REPORT_TABLES)
		return NULL;
	return &report->tables[index].shown;
}
