// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "saved_run.h"
#include "values/gpmu_rows.h"

/* perf's output shows by its labels what it aggregates. */
static enum gpmu_aggregation aggregation_of(const struct saved_run *run)
{
	bool has_nodes = run->wants_per_node;
	const struct gpmu_row *row;

	for (size_t i = 0; (row = gpmu_rows_at(run->rows, i)); i++) {
		if (row->scope == GPMU_SCOPE_CPU)
			return GPMU_AGGREGATE_CPU;
		has_nodes = has_nodes || row->scope == GPMU_SCOPE_NODE;
	}
	return has_nodes ? GPMU_AGGREGATE_NODE : GPMU_AGGREGATE_MACHINE;
}

/* The first table decides which columns there are. */
static void open_sink(struct saved_run *run)
{
	const struct gpmu_sink_options options = {
		.size = sizeof(options),
		.separator = run->separator,
		.title = run->title,
		.host = run->host,
		.interval = run->has_intervals,
		.big_numbers = !run->wants_no_big_num,
		.aggregation = aggregation_of(run),
		.color = common_wants_color(run->common, run->output.file),
	};
	struct gpmu_error error = { .size = sizeof(error) };

	run->sink = gpmu_sink_new(run->wants_json ? GPMU_SINK_JSON :
				  run->separator ? GPMU_SINK_CSV : GPMU_SINK_SUMMARY,
				  run->output.file, &options, &error);
	if (!run->sink)
		die("-x: %s", error.text);
}

void saved_run_begin(struct saved_run *run, bool has_intervals)
{
	enum output_mode mode = run->wants_append ? OUTPUT_APPEND :
				has_intervals ? OUTPUT_WRITE : OUTPUT_REPLACE;
	int ret = output_open(&run->output, run->path, mode, run->standard);

	if (ret)
		die_output(run->path, run->standard, ret);
	run->has_intervals = has_intervals;
	run->rows = need_memory(gpmu_rows_new());
	if (run->started && !run->wants_json)
		output_started(&run->output, run->started);
}

/* Appends the rows of the plan. Returns their number. */
static size_t add_rows(struct saved_run *run, const struct gpmu_rows *rows)
{
	const struct gpmu_row *row;
	size_t n = 0;

	for (; (row = gpmu_rows_at(rows, n)); n++)
		if (gpmu_rows_add(run->rows, row))
			die_no_memory();
	return n;
}

void saved_run_rows(struct saved_run *run, struct gpmu_saved *saved, const struct gpmu_plan *plan)
{
	const struct gpmu_rows *rows;
	const struct gpmu_row *first;
	int ret;

	gpmu_rows_clear(run->rows);
	ret = gpmu_saved_rows(saved, plan, &rows);
	if (!ret) {
		run->planned_count = add_rows(run, rows);
		for (size_t i = 0; i < run->planned_count; i++)
			run->missing += gpmu_rows_at(run->rows, i)->state >=
					GPMU_STATE_NOT_COUNTED;
		ret = run->wants_others ? gpmu_saved_others(saved, run->hidden, run->rows) : 0;
	}
	if (ret)
		die("%s", strerror(-ret));
	first = gpmu_rows_at(run->rows, 0);
	if (first)
		run->end = (double)first->time_end / 1e9;
	if (!run->sink)
		open_sink(run);
	ret = gpmu_sink_rows(run->sink, run->rows);
	if (ret)
		die_output(run->path, run->standard, ret);
}

void saved_run_end(struct saved_run *run, double elapsed)
{
	const struct gpmu_sink_end end = {
		.size = sizeof(end), .elapsed = elapsed, .user = -1, .system = -1,
	};
	int ret = 0;

	if (!run->sink)
		open_sink(run);
	/* A summary without an elapsed time would print 0 seconds. */
	if (elapsed > 0 || run->wants_json || run->separator)
		ret = gpmu_sink_end(run->sink, &end);
	if (!ret)
		ret = output_close(&run->output);
	if (ret)
		die_output(run->path, run->standard, ret);
}

void saved_run_release(struct saved_run *run)
{
	gpmu_rows_free(run->rows);
	gpmu_sink_free(run->sink);
	output_drop(&run->output);
}
