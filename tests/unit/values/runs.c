// SPDX-License-Identifier: LGPL-2.1-or-later
/* Means over sessions that have been freed */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu.h"
#include "tap.h"
#include "values/gpmu_runs.h"
#include "values/rows.h"

static struct gpmu_row row_of(char *name, double value)
{
	return (struct gpmu_row){
		.size = sizeof(struct gpmu_row), .name = name, .pmu = name, .unit = name,
		.value = value, .share = 1, .alert = -1, .runs = 1,
	};
}

static struct gpmu_sink_end end_of(double elapsed, double user)
{
	return (struct gpmu_sink_end){ .size = sizeof(struct gpmu_sink_end), .elapsed = elapsed,
				       .user = user, .system = user };
}

static void means(void)
{
	static const double values[] = { 1, 2, 3 };
	struct gpmu_runs *runs = gpmu_runs_new();
	const struct gpmu_rows *rows;
	const struct gpmu_row *mean;
	struct gpmu_sink_end end;
	int ret = 0;

	for (size_t i = 0; i < 3; i++) {
		char name[] = "GraceMemBW";
		struct gpmu_row row = row_of(name, values[i]);

		end = end_of(10 * values[i], values[i]);
		ret |= gpmu_runs_add(runs, &(struct gpmu_rows){ &row, 1 }, &end);
		memset(name, 'x', strlen(name));
	}
	rows = gpmu_runs_rows(runs);
	mean = gpmu_rows_at(rows, 0);
	ok(!ret && rows->length == 1 && mean->runs == 3 && mean->value == 2,
	   "runs: the value is the mean of three runs");
	/* sqrt(((1 - 2)^2 + (3 - 2)^2) / 2 / 3) */
	ok(fabs(mean->deviation - sqrt(1.0 / 3)) < 1e-15,
	   "runs: the deviation is the standard error of the mean");
	is_str(mean->name, "GraceMemBW", "runs: a row's name outlives its session");
	is_str(mean->pmu, "GraceMemBW", "runs: a row's PMU outlives its session");
	is_str(mean->unit, "GraceMemBW", "runs: a row's unit outlives its session");
	gpmu_runs_end(runs, &end);
	ok(end.elapsed == 20 && fabs(end.deviation - sqrt(100.0 / 3)) < 1e-14,
	   "runs: the elapsed time has a mean and a deviation");
	ok(end.user == 2 && end.system == 2, "runs: the command's user and system time are means");
	gpmu_runs_free(runs);
}

static void none(void)
{
	struct gpmu_runs *runs = gpmu_runs_new();
	struct gpmu_row row = row_of(NULL, 1);
	struct gpmu_sink_end end = end_of(1, -1);
	const struct gpmu_rows *rows;

	ok(!gpmu_rows_at(gpmu_runs_rows(runs), 0), "runs: without a run there is no row");
	gpmu_runs_end(runs, &end);
	ok(end.elapsed == 0 && end.user < 0 && end.system < 0,
	   "runs: without a run there is no time");
	end = end_of(1, -1);
	ok(!gpmu_runs_add(runs, &(struct gpmu_rows){ &row, 1 }, &end),
	   "runs: rows without PMU and unit are accepted");
	rows = gpmu_runs_rows(runs);
	ok(rows->length == 1 && !rows->list[0].pmu && !rows->list[0].unit,
	   "runs: the mean of rows without PMU and unit has neither");
	gpmu_runs_end(runs, &end);
	ok(end.elapsed == 1 && end.user < 0, "runs: a run without a command has no user time");
	gpmu_runs_free(runs);
	gpmu_runs_free(NULL);
}

static void other_rows(void)
{
	struct gpmu_row rows[] = { row_of("a", 1), row_of("b", 2) };
	struct gpmu_runs *runs = gpmu_runs_new();
	struct gpmu_sink_end end = end_of(1, 1);
	const struct gpmu_rows *mean;

	gpmu_runs_add(runs, &(struct gpmu_rows){ rows, 2 }, &end);
	end.elapsed = 5;
	ok(gpmu_runs_add(runs, &(struct gpmu_rows){ rows, 1 }, &end) == -EINVAL,
	   "runs: another number of rows is refused");
	mean = gpmu_runs_rows(runs);
	gpmu_runs_end(runs, &end);
	ok(mean->length == 2 && mean->list[1].runs == 1 && end.elapsed == 1,
	   "runs: a refused run changes nothing");
	gpmu_runs_free(runs);
}

int main(void)
{
	means();
	none();
	other_rows();
	return done_testing();
}
