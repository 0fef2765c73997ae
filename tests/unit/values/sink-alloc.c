// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation of sinks and of means fails in turn: the error is ENOMEM, nothing is written,
 * and the next try writes everything.
 */
#include "alloc.h"
#include "sink-test.h"
#include "values/stats.h"

#define ROWS	100	/* more text than the first buffer */

static struct gpmu_row rows[ROWS];

static void sinks(enum gpmu_sink_kind kind, const char *what)
{
	const struct gpmu_sink_end end = { sizeof(end), 1, 0, 1, 1 };
	const struct gpmu_sink_options options = { .size = sizeof(options), .host = "h" };
	bool all = true, nothing = true, whole = true;
	size_t length = 0, wanted = 0;
	struct gpmu_sink *sink;
	char *text;
	FILE *file;
	int n;

	for (n = 0; n < 1000; n++) {
		struct gpmu_error error = { 0 };
		int ret;

		/* Allocations of stdio are not counted. */
		file = open_memstream(&text, &length);
		alloc_left = n;
		errno = 0;
		sink = gpmu_sink_new(kind, file, &options, &error);
		ret = sink ? gpmu_sink_rows(sink, rows, ROWS) : -errno;
		if (alloc_left >= 0)
			break;
		all = all && (ret == -ENOMEM || (sink && kind == GPMU_SINK_SUMMARY && !ret)) &&
		      (sink || !strcmp(error.text, "no memory"));
		fflush(file);
		nothing = nothing && (!ret || !length);
		if (sink && ret) {
			ret = gpmu_sink_rows(sink, rows, ROWS);
			all = all && !ret;
			wanted = length;
		}
		gpmu_sink_free(sink);
		fclose(file);
		free(text);
	}
	alloc_left = -1;
	whole = wanted && length == wanted;
	ok(n > 4 && all, "%s sink: a failed allocation is ENOMEM, or loses a reason",
	   what);
	ok(nothing, "%s sink: nothing is written of rows without memory", what);
	ok(whole, "%s sink: the next try writes everything, the header included", what);
	alloc_left = 0;
	ok(!gpmu_sink_end(sink, &end) && alloc_left == 0,
	   "%s sink: the end allocates nothing", what);
	alloc_left = -1;
	gpmu_sink_free(sink);
	fclose(file);
	free(text);
}

/* A row larger than ours is copied. */
static void copies(void)
{
	struct {
		struct gpmu_row row;
		int more;
	} larger = { .row = event_row("a", 1) };
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_CSV, stderr, NULL, NULL);

	larger.row.size = sizeof(larger);
	alloc_left = 0;
	ok(gpmu_sink_rows(sink, &larger.row, 1) == -ENOMEM,
	   "sink: a failed allocation in copying rows is ENOMEM");
	alloc_left = -1;
	gpmu_sink_free(sink);
}

static void means(void)
{
	bool all = true, kept = true;
	struct gpmu_stats stats;
	size_t length;
	int n, ret = -1;

	stats_init(&stats);
	for (n = 0; n < 1000 && ret; n++) {
		alloc_left = n;
		ret = stats_add(&stats, rows, ROWS);
		all = all && (ret == -ENOMEM || (!ret && alloc_left >= 0));
		alloc_left = -1;
		stats_rows(&stats, &length);
		kept = kept && (!ret || !length);
	}
	ok(n > 3 && all, "means: a failed allocation is ENOMEM");
	ok(kept, "means: a failed allocation adds nothing");
	alloc_left = 1;
	ok(stats_add(&stats, rows, ROWS) == -ENOMEM,
	   "means: a failed allocation in the second run is ENOMEM");
	alloc_left = -1;
	ok(stats_rows(&stats, &length)[0].runs == 1 && length == ROWS,
	   "means: a failed second run leaves the first one's values");
	stats_release(&stats);
}

int main(void)
{
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = event_row("nvidia_scf_pmu_0/cmem_rd_data/", i);
	rows[ROWS - 1] = lost_row("a", GPMU_STATE_NOT_COUNTED, "why");
	rows[ROWS - 2] = lost_row("b", GPMU_STATE_NOT_SUPPORTED, "why not");
	sinks(GPMU_SINK_SUMMARY, "summary");
	sinks(GPMU_SINK_CSV, "CSV");
	sinks(GPMU_SINK_JSON, "JSON");
	copies();
	means();
	return done_testing();
}
