// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ranges that a process nests deeper than the library counts, as it may write anything to its channel */
#include "gpmu.h"
#include "ranges/gpmu_ranges.h"
#include "tap.h"

#define NESTED	100
#define COUNTED	64

int main(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_recorder_ranges calls = { .size = sizeof(calls) };
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_ranges *ranges = catalog ? gpmu_ranges_new(catalog, "GH100", "a__b.sum", 0, &error) : NULL;
	struct gpmu_ranges_row row;
	const double value = 1;
	unsigned int failed = 0;
	size_t rows = 0;

	if (!ranges) {
		printf("Bail out! %s\n", error.text);
		return 1;
	}
	gpmu_ranges_connect(ranges, &calls);
	for (uint32_t id = 1; id <= NESTED; id++) {
		failed += calls.name(calls.user, 1, id, id - 1, "a") != 0;
		failed += calls.range(calls.user, 1, id, 0, 1, &value, 1) != 0;
	}
	is_u64(failed, 0, "ranges: names and ranges that are nested too deeply are no errors");
	while (!gpmu_ranges_row(ranges, rows, &row))
		rows++;
	is_u64(rows, COUNTED, "ranges: names and ranges beyond 64 levels are ignored, so that no path exhausts the memory");
	gpmu_ranges_free(ranges);
	gpmu_catalog_free(catalog);
	return done_testing();
}
