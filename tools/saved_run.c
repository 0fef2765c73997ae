// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "saved_run.h"

static void die_of_output(const struct saved_run *run, int error)
{
	die("%s: %s", run->path ? run->path : "standard error", strerror(-error));
}

void saved_run_begin(struct saved_run *run, bool intervals)
{
	enum output_mode mode = run->append ? OUTPUT_APPEND :
				intervals ? OUTPUT_WRITE : OUTPUT_REPLACE;
	struct gpmu_sink_options options = {
		.size = sizeof(options),
		.separator = run->separator,
		.title = run->title,
		.host = run->host,
		.interval = intervals,
		.big_numbers = !run->no_big_num,
		.per_node = run->per_node,
	};
	struct gpmu_error error = { .text = "" };
	int ret = output_open(&run->output, run->path, mode, stderr);

	if (ret)
		die_of_output(run, ret);
	options.continues = run->output.continues;
	options.color = common_wants_color(run->common, run->output.file);
	run->sink = gpmu_sink_new(run->json ? GPMU_SINK_JSON :
				  run->separator ? GPMU_SINK_CSV : GPMU_SINK_SUMMARY,
				  run->output.file, &options, &error);
	if (!run->sink)
		die("-x: %s", error.text);
	if (run->started && !run->json && !run->separator)
		output_started(&run->output, run->started);
}

/* Appends the rows from @first to before @end. */
static void add_rows(struct saved_run *run, const struct gpmu_row *rows, size_t first, size_t end)
{
	run->rows = need_memory(reallocarray(run->rows, run->n + end - first + 1,
					      sizeof(*rows)));
	for (size_t i = first; i < end; i++) {
		run->rows[run->n] = *gpmu_row_at(rows, i);
		run->rows[run->n++].size = sizeof(*rows);
	}
}

static void add_others(struct saved_run *run, const struct gpmu_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct gpmu_row *row = gpmu_row_at(rows, i);

		if (run->hidden && !row->metric && !strcmp(row->name, run->hidden)) {
			add_rows(run, rows, 0, i);
			add_rows(run, rows, i + 1, n);
			return;
		}
	}
	add_rows(run, rows, 0, n);
}

void saved_run_rows(struct saved_run *run, struct gpmu_saved *saved, const struct gpmu_plan *plan)
{
	const struct gpmu_row *rows;
	size_t n;
	int ret;

	run->n = 0;
	ret = gpmu_saved_rows(saved, plan, &rows, &n);
	if (!ret) {
		add_rows(run, rows, 0, n);
		run->planned_count = n;
		ret = run->others ? gpmu_saved_others(saved, &rows, &n) : 0;
	}
	if (!ret && run->others)
		add_others(run, rows, n);
	if (ret)
		die("%s", strerror(-ret));
	if (run->n)
		run->end = (double)run->rows[0].time_end / 1e9;
	ret = gpmu_sink_rows(run->sink, run->rows, run->n);
	if (ret)
		die_of_output(run, ret);
}

void saved_run_end(struct saved_run *run, double elapsed)
{
	const struct gpmu_sink_end end = {
		.size = sizeof(end), .elapsed = elapsed, .user = -1, .system = -1,
	};
	int ret = 0;

	/* A summary without an elapsed time would print 0 seconds. */
	if (elapsed > 0 || run->json || run->separator)
		ret = gpmu_sink_end(run->sink, &end);
	if (!ret)
		ret = output_close(&run->output);
	if (ret)
		die_of_output(run, ret);
}

void saved_run_release(struct saved_run *run)
{
	free(run->rows);
	gpmu_sink_free(run->sink);
	output_drop(&run->output);
}
