// SPDX-License-Identifier: LGPL-2.1-or-later
/* Mean and deviation over runs */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "values/stats.h"
#include "tap.h"

static struct gpmu_row row_of(enum gpmu_state state, double value)
{
	return (struct gpmu_row){
		.size = sizeof(struct gpmu_row), .name = "a", .state = state,
		.value = state == GPMU_STATE_OK ? value : NAN, .share = 1, .raw = (uint64_t)value,
		.enabled = 10, .running = 10, .counters = 1, .alert = -1, .runs = 1, .time_end = (uint64_t)value,
	};
}

static void means(void)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	const struct gpmu_row *mean;
	struct gpmu_stats stats;
	struct gpmu_row rows[2];

	stats_init(&stats);
	for (size_t i = 0; i < 8; i++) {
		rows[0] = row_of(GPMU_STATE_OK, values[i]);
		rows[1] = row_of(GPMU_STATE_OK, 1e9 + values[i]);
		rows[1].share = 0.3 + fabs((double)i - 3) / 10;
		stats_add(&stats, &(struct gpmu_rows){ rows, 2 });
		mean = stats_rows(&stats)->list;
		if (!i)
			ok(stats.rows.length == 2 && mean[0].runs == 1 && mean[0].value == 2 &&
				   mean[0].deviation == 0,
			   "stats: one run is its own mean, without a deviation");
	}
	/* The squared distances from 5 are 9 1 1 1 0 0 4 16: sqrt(32 / 7 / 8). */
	ok(mean[0].runs == 8 && mean[0].value == 5, "stats: the mean of eight runs is right");
	ok(fabs(mean[0].deviation - 0.755928946018454) < 1e-14,
	   "stats: the deviation is the standard error of the mean");
	ok(fabs(mean[1].value - 1e9 - 5) < 1e-6 &&
		   fabs(mean[1].deviation - 0.755928946018454) < 1e-6,
	   "stats: the deviation is right for large values");
	ok(fabs(mean[1].share - 0.3) < 1e-15, "stats: the share is the lowest of all runs");
	ok(mean[0].raw == 5 && mean[0].enabled == 10 && mean[0].time_end == 5,
	   "stats: raw count, enabled time and end are means");
	stats_release(&stats);
}

static void missing(void)
{
	const struct gpmu_row *mean;
	struct gpmu_stats stats;
	struct gpmu_row rows[2];
	char why[] = "it vanished";

	stats_init(&stats);
	rows[0] = row_of(GPMU_STATE_OK, 3);
	rows[0].alert = 0;
	rows[1] = row_of(GPMU_STATE_NOT_COUNTED, 0);
	rows[1].why = why;
	stats_add(&stats, &(struct gpmu_rows){ rows, 2 });
	rows[0] = row_of(GPMU_STATE_IDLE, 0);
	rows[1] = row_of(GPMU_STATE_NOT_SUPPORTED, 0);
	rows[1].why = why;
	stats_add(&stats, &(struct gpmu_rows){ rows, 2 });
	rows[0] = row_of(GPMU_STATE_OK, 5);
	rows[0].alert = 1;
	stats_add(&stats, &(struct gpmu_rows){ rows, 2 });
	memset(why, '#', sizeof(why) - 1);
	mean = stats_rows(&stats)->list;
	ok(mean[0].state == GPMU_STATE_OK && mean[0].value == 4 && mean[0].runs == 2,
	   "stats: a run without a value is not in the mean");
	ok(fabs(mean[0].deviation - 1) < 1e-15,
	   "stats: a run without a value is not in the deviation");
	ok(mean[0].alert == 1 && !mean[0].why, "stats: a threshold is passed if it was in any run");
	ok(mean[1].state == GPMU_STATE_NOT_SUPPORTED && isnan(mean[1].value) && mean[1].runs == 1 &&
	   mean[1].deviation == 0, "stats: a row that was never counted is as in the last run");
	is_str(mean[1].why, "it vanished",
	       "stats: a row that was never counted keeps a copy of the reason");
	rows[1] = row_of(GPMU_STATE_OK, 8);
	stats_add(&stats, &(struct gpmu_rows){ rows, 2 });
	mean = stats_rows(&stats)->list;
	ok(mean[1].state == GPMU_STATE_OK && mean[1].value == 8 && mean[1].runs == 1 && !mean[1].why,
	   "stats: a row that was never counted has a mean after a run that counts");
	ok(stats_add(&stats, &(struct gpmu_rows){ rows, 1 }) == -EINVAL,
	   "stats: a run with another number of rows is refused");
	stats_release(&stats);
}

/* Rows are matched by position, which is not enough if threads or CPUs come and go. */
static void other_places(void)
{
	static const struct {
		size_t offset;
		const char *name;
	} places[] = {
#define PLACE(member) { offsetof(struct gpmu_row, member), #member }
		PLACE(metric), PLACE(scope), PLACE(node), PLACE(package), PLACE(die), PLACE(core),
		PLACE(cpu), PLACE(tid), PLACE(gpu_number),
	};
	struct gpmu_row first = row_of(GPMU_STATE_OK, 1), other;
	struct gpmu_stats stats;

	stats_init(&stats);
	stats_add(&stats, &(struct gpmu_rows){ &first, 1 });
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		other = first;
		*(int *)((char *)&other + places[i].offset) += 1;
		ok(stats_add(&stats, &(struct gpmu_rows){ &other, 1 }) == -EINVAL,
		   "stats: a run with another %s in a row is refused", places[i].name);
	}
	other = first;
	other.name = "b";
	ok(stats_add(&stats, &(struct gpmu_rows){ &other, 1 }) == -EINVAL,
	   "stats: a run with another name in a row is refused");
	other = first;
	other.pid = 7;
	ok(!stats_add(&stats, &(struct gpmu_rows){ &other, 1 }),
	   "stats: a run of another process is accepted, as each run of a command is");
	stats_release(&stats);
}

static void exact(void)
{
	struct gpmu_row row = row_of(GPMU_STATE_OK, 1);
	struct gpmu_stats stats;

	row.raw = UINT64_MAX - 2;
	stats_init(&stats);
	stats_add(&stats, &(struct gpmu_rows){ &row, 1 });
	is_u64(stats_rows(&stats)->list->raw, UINT64_MAX - 2, "stats: the count of one run is exact");
	row.raw = UINT64_MAX;
	stats_add(&stats, &(struct gpmu_rows){ &row, 1 });
	is_u64(stats_rows(&stats)->list->raw, UINT64_MAX,
	       "stats: a mean beyond a double's digits saturates at the largest count");
	stats_release(&stats);
	stats_init(&stats);
	ok(!stats_add(&stats, &(struct gpmu_rows){ NULL, 0 }) && !stats_rows(&stats)->length,
	   "stats: a run of no rows has no means");
	stats_release(&stats);
}

int main(void)
{
	means();
	missing();
	other_places();
	exact();
	return done_testing();
}
