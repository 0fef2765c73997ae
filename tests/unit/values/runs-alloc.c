// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of runs fails in turn. */
#include "alloc.h"
#include "gpmu.h"
#include "values/gpmu_runs.h"
#include "values/rows.h"

static struct gpmu_row row_of(const char *name)
{
	return (struct gpmu_row){ .size = sizeof(struct gpmu_row), .name = name, .pmu = name,
				  .unit = "GB/s", .value = 1, .share = 1, .alert = -1, .runs = 1,
				  .state = GPMU_STATE_NOT_COUNTED, .why = "why" };
}

static int run(void)
{
	struct gpmu_row list[] = { row_of("a"), row_of("b") };
	const struct gpmu_rows rows = { list, 2 };
	struct gpmu_sink_end end = { .size = sizeof(end), .elapsed = 1 };
	struct gpmu_runs *runs = gpmu_runs_new();
	int ret = runs ? 0 : -errno;

	for (int i = 0; i < 2 && !ret; i++) {
		ret = gpmu_runs_add(runs, &rows, &end);
		/* A failed call can be repeated. */
		if (ret == -ENOMEM && gpmu_runs_add(runs, &rows, &end))
			ret = 1;
	}
	gpmu_runs_free(runs);
	return ret;
}

int main(void)
{
	alloc_fail_each(run, 14, "runs: adding two runs");
	return done_testing();
}
