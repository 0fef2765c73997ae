// SPDX-License-Identifier: LGPL-2.1-or-later
/* Means over sessions that have been freed */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu.h"
#include "tap.h"
#include "values/gpmu_runs.h"

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
	const struct gpmu_row *rows;
	struct gpmu_sink_end end;
	int ret = 0;
	size_t n;

	for (size_t i = 0; i < 3; i++) {
		char name[] = "GraceMemBW";
		struct gpmu_row row = row_of(name, values[i]);

		end = end_of(10 * values[i], values[i]);
		ret |= gpmu_runs_add(runs, &row, 1, &end);
		memset(name, 'x', strlen(name));
	}
	rows = gpmu_runs_rows(runs, &n);
	ok(!ret && n == 1 && rows[0].runs == 3 && rows[0].value == 2,
	   "runs: the value is the mean of three runs");
	/* sqrt(((1 - 2)^2 + (3 - 2)^2) / 2 / 3) */
	ok(fabs(rows[0].deviation - sqrt(1.0 / 3)) < 1e-15,
	   "runs: the deviation is the standard error of the mean");
	is_str(rows[0].name, "GraceMemBW", "runs: a row's name outlives its session");
	is_str(rows[0].pmu, "GraceMemBW", "runs: a row's PMU outlives its session");
	is_str(rows[0].unit, "GraceMemBW", "runs: a row's unit outlives its session");
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
	const struct gpmu_row *rows;
	size_t n = 1;

	gpmu_runs_rows(runs, &n);
	ok(n == 0, "runs: without a run there is no row");
	gpmu_runs_end(runs, &end);
	ok(end.elapsed == 0 && end.user < 0 && end.system < 0,
	   "runs: without a run there is no time");
	end = end_of(1, -1);
	ok(!gpmu_runs_add(runs, &row, 1, &end), "runs: rows without PMU and unit are accepted");
	rows = gpmu_runs_rows(runs, &n);
	ok(n == 1 && !rows[0].pmu && !rows[0].unit, "runs: rows without PMU and unit keep none");
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
	const struct gpmu_row *mean;
	size_t n;

	gpmu_runs_add(runs, rows, 2, &end);
	end.elapsed = 5;
	ok(gpmu_runs_add(runs, rows, 1, &end) == -EINVAL,
	   "runs: another number of rows is refused");
	mean = gpmu_runs_rows(runs, &n);
	gpmu_runs_end(runs, &end);
	ok(n == 2 && mean[1].runs == 1 && end.elapsed == 1, "runs: a refused run changes nothing");
	gpmu_runs_free(runs);
}

/* A row of a newer library */
struct longer {
	struct gpmu_row row;
	char more[24];
};

static void longer_rows(void)
{
	struct longer rows[] = { { .row = row_of("a", 1) }, { .row = row_of("b", 2) } };
	struct gpmu_runs *runs = gpmu_runs_new();
	struct gpmu_sink_end end = end_of(1, 1);
	const struct gpmu_row *mean;
	size_t n;

	rows[0].row.size = rows[1].row.size = sizeof(rows[0]);
	ok(gpmu_row_at(&rows[0].row, 1) == &rows[1].row, "row: gpmu_row_at() finds a longer row");
	gpmu_runs_add(runs, &rows[0].row, 2, &end);
	mean = gpmu_runs_rows(runs, &n);
	ok(n == 2 && mean[1].value == 2 && mean[1].size == sizeof(struct gpmu_row),
	   "runs: rows of another size are read by their own size");
	gpmu_runs_free(runs);
}

int main(void)
{
	means();
	none();
	other_rows();
	longer_rows();
	return done_testing();
}
