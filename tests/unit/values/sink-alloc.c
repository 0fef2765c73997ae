// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation of sinks and of means fails in turn: the error is ENOMEM, nothing is written,
 * and the next try writes everything.
 */
#include "alloc.h"
#include "sink-test.h"
#include "values/sink/sink.h"
#include "values/stats.h"

#define ROWS	100	/* more text than the first buffer */
#define METRICS	4

static struct gpmu_row rows[ROWS];

static void sinks(enum gpmu_sink_kind kind, bool wants_metric_only, const char *what)
{
	const struct gpmu_sink_end end = { sizeof(end), 1, 0, 1, 1 };
	const struct gpmu_sink_options options = { .size = sizeof(options), .host = "h",
						   .metric_only = wants_metric_only };
	bool is_right = true, is_empty = true, is_whole = true;
	size_t length = 0, wanted = 0;
	struct gpmu_sink *sink;
	char *text;
	FILE *file;
	int n;

	for (n = 0; n < 1000; n++) {
		struct gpmu_error error = { .size = sizeof(error) };
		int ret;

		/* Allocations of stdio are not counted. */
		file = open_memstream(&text, &length);
		alloc_left = n;
		errno = 0;
		sink = gpmu_sink_new(kind, file, &options, &error);
		ret = sink ? gpmu_sink_rows(sink, rows_of(rows, ROWS)) : -errno;
		if (alloc_left >= 0)
			break;
		is_right = is_right && (ret == -ENOMEM || (sink && kind == GPMU_SINK_SUMMARY && !ret)) &&
			   (sink || !strcmp(error.text, "out of memory"));
		fflush(file);
		is_empty = is_empty && (!ret || !length);
		if (sink && ret) {
			ret = gpmu_sink_rows(sink, rows_of(rows, ROWS));
			is_right = is_right && !ret;
			wanted = length;
		}
		gpmu_sink_free(sink);
		fclose(file);
		free(text);
	}
	alloc_left = -1;
	is_whole = wanted && length == wanted;
	ok(n > 4 && is_right, "%s sink: a failed allocation is ENOMEM, or loses a reason",
	   what);
	ok(is_empty, "%s sink: nothing is written of rows without memory", what);
	ok(is_whole, "%s sink: the next try writes everything, the header included", what);
	alloc_left = 0;
	ok(!gpmu_sink_end(sink, &end) && alloc_left == 0,
	   "%s sink: the end allocates nothing", what);
	alloc_left = -1;
	gpmu_sink_free(sink);
	fclose(file);
	free(text);
}

/* Each allocation for the second of two held lists of rows fails in turn. */
static void held(enum gpmu_sink_kind kind, const char *what)
{
	const struct gpmu_sink_options options = { .size = sizeof(options), .host = "h", .held = 1 };
	bool is_kept = true;
	int n, ret = -ENOMEM;

	for (n = 0; ret && n < 1000; n++) {
		size_t first = 0, length = 0;
		char *text;
		FILE *file = open_memstream(&text, &length);
		struct gpmu_sink *sink = gpmu_sink_new(kind, file, &options, NULL);

		gpmu_sink_rows(sink, rows_of(rows, 1));
		first = sink->buffer.length;
		alloc_left = n;
		ret = gpmu_sink_rows(sink, rows_of(rows, ROWS));
		alloc_left = -1;
		is_kept = is_kept && (!ret || !gpmu_sink_rows(sink, NULL)) && (!ret || length == first);
		gpmu_sink_free(sink);
		fclose(file);
		free(text);
	}
	ok(n > 1 && is_kept, "%s sink: rows without memory leave the held rows", what);
}

static void means(void)
{
	bool is_right = true, is_kept = true;
	struct gpmu_stats stats;
	int n, ret = -1;

	stats_init(&stats);
	for (n = 0; n < 1000 && ret; n++) {
		alloc_left = n;
		ret = stats_add(&stats, rows_of(rows, ROWS));
		is_right = is_right && (ret == -ENOMEM || (!ret && alloc_left >= 0));
		alloc_left = -1;
		is_kept = is_kept && (!ret || !stats_rows(&stats)->length);
	}
	ok(n > 3 && is_right, "means: a failed allocation is ENOMEM");
	ok(is_kept, "means: a failed allocation adds nothing");
	alloc_left = 0;
	ok(stats_add(&stats, rows_of(rows, ROWS)) == -ENOMEM,
	   "means: a failed allocation in the second run is ENOMEM");
	alloc_left = -1;
	ok(stats_rows(&stats)->list[0].runs == 1 && stats_rows(&stats)->length == ROWS,
	   "means: a failed second run leaves the first one's values");
	stats_release(&stats);
}

int main(void)
{
	static const char *const names[METRICS] = { "a", "b", "c", "d" };

	for (size_t i = 0; i < ROWS; i++)
		rows[i] = event_row("nvidia_scf_pmu_0/cmem_rd_data/", i);
	rows[ROWS - 1] = lost_row("a", GPMU_STATE_NOT_COUNTED, "why");
	rows[ROWS - 2] = lost_row("b", GPMU_STATE_NOT_SUPPORTED, "why not");
	sinks(GPMU_SINK_SUMMARY, false, "summary");
	sinks(GPMU_SINK_CSV, false, "CSV");
	sinks(GPMU_SINK_JSON, false, "JSON");
	held(GPMU_SINK_SUMMARY, "summary");
	held(GPMU_SINK_CSV, "CSV");
	held(GPMU_SINK_JSON, "JSON");
	means();
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = on_node(metric_row(names[i % METRICS], 7, "GB/s"), (int)i / METRICS, 0);
	sinks(GPMU_SINK_SUMMARY, true, "metric-only summary");
	sinks(GPMU_SINK_CSV, true, "metric-only CSV");
	sinks(GPMU_SINK_JSON, true, "metric-only JSON");
	return done_testing();
}
