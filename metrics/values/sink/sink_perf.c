// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of perf stat -x and the keys of perf stat -j, which both have the same content. */
#include <math.h>

#include "values/sink/sink.h"

size_t sink_perf_value(char *text, const struct gpmu_row *row, unsigned int decimals)
{
	const char *word = row->state == GPMU_STATE_NOT_SUPPORTED ? "<not supported>" :
								    "<not counted>";

	if (row->state == GPMU_STATE_OK && isfinite(row->value))
		return number_fixed(text, row->value, decimals, false);
	memcpy(text, word, strlen(word));
	return strlen(word);
}

/* A row has no scale: its value is whole if the scale is, except for an estimate. */
unsigned int sink_perf_decimals(const struct gpmu_row *row)
{
	bool is_estimate = row->share < 1 || row->runs > 1;

	if (!row->unit || !strcmp(row->unit, "ns"))
		return 0;
	return !is_estimate && row->value == floor(row->value) && row->value >= (double)row->raw ? 0 :
												2;
}

uint64_t sink_perf_running(const struct gpmu_row *row)
{
	return sink_knows_times(row) ? row->running * row->counters : 0;
}

double sink_perf_share(const struct gpmu_row *row)
{
	return row->enabled && isfinite(row->share) ? 100 * row->share : 100;
}

double sink_variance(const struct gpmu_row *row)
{
	double percent = 100 * row->deviation / fabs(row->value);

	return row->state == GPMU_STATE_OK && isfinite(percent) ? percent : 0;
}
