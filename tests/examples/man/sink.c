// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes a row as CSV. */
#include <stdio.h>

#include <gpmu.h>

int main(void)
{
	const struct gpmu_sink_options options = {
		.size = sizeof(options),
		.host = "grace1",
	};
	const struct gpmu_row row = {
		.size = sizeof(row),
		.time_end = 1500000000,
		.name = "page-faults",
		.node = -1,
		.package = -1,
		.cpu = -1,
		.pid = -1,
		.value = 120,
		.share = 1,
		.raw = 120,
		.counters = 1,
		.alert = -1,
		.runs = 1,
	};
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_CSV, stdout,
					       &options, NULL);
	int ret = sink ? gpmu_sink_rows(sink, &row, 1) : -1;

	gpmu_sink_free(sink);
	return ret ? 1 : 0;
}
