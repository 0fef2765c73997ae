// SPDX-License-Identifier: LGPL-2.1-or-later
/* The time of a summary of many rows */
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "gpmu.h"
#include "tap.h"
#include "values/rows.h"
#include "values/sink/sink.h"

#define ROWS	200000	/* of each state */
#define LABELS	2	/* for the width of their column, and to print them */
#define CPU	20	/* s of CPU time. Steps by the square of the number would take a multiple, linear ones a second. */

static size_t labels;

size_t __real_sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text, size_t size);
size_t __wrap_sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text, size_t size);

size_t __wrap_sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text, size_t size)
{
	labels++;
	return __real_sink_label(row, aggregation, text, size);
}

static void add_rows(struct gpmu_rows *rows, enum gpmu_state state, const char *why)
{
	const struct gpmu_row row = {
		.size = sizeof(row), .name = "cycles", .state = state, .why = why, .value = state == GPMU_STATE_OK ? 1 : NAN,
		.share = 1, .runs = 1, .node = -1, .package = -1, .cpu = -1, .pid = -1, .alert = -1, .source = "perf",
	};

	for (size_t i = 0; i < ROWS; i++)
		if (gpmu_rows_add(rows, &row))
			abort();
}

int main(void)
{
	const struct gpmu_sink_options options = { .size = sizeof(options), .aggregation = GPMU_AGGREGATE_CPU };
	const struct rlimit limit = { CPU, CPU };
	struct gpmu_rows *rows = gpmu_rows_new();
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_SUMMARY, file, &options, NULL);

	if (!rows || !file || !sink || setrlimit(RLIMIT_CPU, &limit))
		return 1;
	add_rows(rows, GPMU_STATE_OK, NULL);
	add_rows(rows, GPMU_STATE_NOT_COUNTED, "late");
	add_rows(rows, GPMU_STATE_NOT_SUPPORTED, "absent");
	ok(!gpmu_sink_rows(sink, rows) && !fflush(file) && strstr(text, "\n\n cycles: late\n cycles: absent\n"),
	   "sink: the notes of many rows without values take a time that is proportional to their number");
	is_u64(labels, LABELS * 3 * ROWS, "sink: a summary makes the label of a row twice");
	ok(!sink->partner_count, "sink: rows of perf's output are not searched for the row that they are divided by");
	gpmu_sink_free(sink);
	gpmu_rows_free(rows);
	fclose(file);
	free(text);
	return done_testing();
}
