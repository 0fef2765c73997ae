// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes the counts of a region in the format of perf stat. */
#include <stdio.h>

#include <gpmu.h>

static int write_summary(const struct gpmu_rows *rows)
{
	const struct gpmu_sink_options options = {
		.size = sizeof(options),
		.title = "the region work",
		.big_numbers = 1,
	};
	/* The region has no user and system times of its own. */
	struct gpmu_sink_end end = {
		.size = sizeof(end),
		.user = -1,
		.system = -1,
	};
	const struct gpmu_row *row = gpmu_rows_at(rows, 0);
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_SUMMARY, stdout,
					       &options, NULL);
	int ret = sink ? gpmu_sink_rows(sink, rows) : -1;

	if (!ret && row)
		end.elapsed = (double)row->time_end / 1e9;
	if (!ret)
		ret = gpmu_sink_end(sink, &end);
	gpmu_sink_free(sink);
	return ret;
}

int main(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g = gpmu_open("page-faults:u", NULL, &error);
	const struct gpmu_rows *rows;
	int ret;

	if (!g) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	gpmu_begin(g, "work");
	gpmu_end(g, "work");
	ret = gpmu_get_rows(g, "work", &rows);
	if (!ret)
		ret = write_summary(rows);
	gpmu_close(g);
	return ret != 0;
}
