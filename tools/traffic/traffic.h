/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a flow's numbers and the GPUs' counts as text, CSV or JSON. */
#ifndef GPMU_TRAFFIC_H
#define GPMU_TRAFFIC_H

#include <stdbool.h>
#include <stdio.h>

#include "gpmu.h"
#include "traffic/gpmu_traffic.h"
#include "values/gpmu_balance.h"

/* Notes that were printed, which later intervals do not repeat */
struct traffic_notes {
	char *lines[64];
	size_t n;
	bool has_origins;	/* the origins of peaks were printed */
};

/* The numbers of an interval, and the output form */
struct traffic_view {
	FILE *file;
	const struct gpmu_traffic *flow;	/* NULL: no Grace */
	const struct gpmu_machine *machine;
	const struct gpmu_balance *balance;
	const struct gpmu_rows *rows;	/* including those of GPUs */
	double begin, end;	/* seconds */
	bool wants_json, has_interval;
	const char *separator;	/* of CSV; NULL: text */
	struct traffic_notes *notes;
};

void traffic_text(const struct traffic_view *view);
void traffic_notes_release(struct traffic_notes *notes);
/* traffic_records() writes CSV or JSON lines, traffic_header() the heading of CSV. */
void traffic_records(const struct traffic_view *view);
void traffic_header(const struct traffic_view *view);

/* --- traffic_gpu.c */

#define TRAFFIC_GPU_PARTS 4

/* Metrics of what a GPU reads or receives, and of what it writes or sends */
struct traffic_gpu_part {
	const char *name, *metrics[2];
	bool is_to_grace;	/* a link to a Grace, which other machines do not have */
};

extern const struct traffic_gpu_part traffic_gpu_parts[TRAFFIC_GPU_PARTS];

/* Returns whether a source counts GPUs' traffic. */
bool traffic_has_gpus(const struct gpmu_machine *machine);
/* Adds the metrics of all parts; of links to a Grace only if @has_grace is set. Returns as gpmu_plan_add_metrics(). */
int traffic_gpu_plan(struct gpmu_plan *plan, bool has_grace, struct gpmu_error *error);
/* Returns whether a GPU of the machine has a link to a Grace, or may have one. */
bool traffic_gpu_has_grace(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog);
/* A GPU's row, or NULL; @way: 0 or 1 */
const struct gpmu_row *traffic_gpu_row(const struct traffic_view *view, size_t gpu, size_t part,
				       size_t way);
/* Converts the row to a flow's value. */
struct gpmu_traffic_value traffic_gpu_value(const struct gpmu_row *row);

#endif /* GPMU_TRAFFIC_H */
