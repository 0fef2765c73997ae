// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "values/stats.h"

/* Welford's recurrence: it avoids differences of large sums. */
void stat_add(struct stat_value *stat, double value)
{
	double distance = value - stat->mean;

	stat->n++;
	stat->mean += distance / stat->n;
	stat->squares += distance * (value - stat->mean);
}

double stat_deviation(const struct stat_value *stat)
{
	if (stat->n < 2)
		return 0;
	return sqrt(stat->squares / (stat->n - 1) / stat->n);
}

void stats_init(struct gpmu_stats *stats)
{
	*stats = (struct gpmu_stats){ 0 };
}

void stats_release(struct gpmu_stats *stats)
{
	free(stats->list);
	free(stats->rows.list);
	strings_release(&stats->whys);
	stats_init(stats);
}

static int first_run(struct gpmu_stats *stats, const struct gpmu_rows *rows)
{
	stats->list = calloc(rows->length + 1, sizeof(*stats->list));
	stats->rows.list = calloc(rows->length + 1, sizeof(*stats->rows.list));
	if (!stats->list || !stats->rows.list) {
		stats_release(stats);
		return -ENOMEM;
	}
	stats->rows.length = rows->length;
	for (size_t i = 0; i < rows->length; i++) {
		stats->list[i].row = rows->list[i];
		stats->list[i].row.alert = -1;
		stats->list[i].row.runs = 0;
	}
	return 0;
}

/* Replaces a reason by a copy, unless it is NULL. Returns 0 or -ENOMEM. */
static int copy_why(struct gpmu_stats *stats, const char **why)
{
	uint32_t number;

	if (!*why)
		return 0;
	if (strings_number(&stats->whys, *why, &number))
		return -ENOMEM;
	*why = strings_text(&stats->whys, number);
	return 0;
}

static uint64_t whole(double value)
{
	return value < 18446744073709551615.0 ? (uint64_t)(value + 0.5) : UINT64_MAX;
}

static void add_row(struct stats_row *stat, const struct gpmu_row *row, const char *why)
{
	bool has_runs = stat->row.runs;

	stat->row.why = why;
	stat_add(&stat->begin, (double)row->time_begin);
	stat_add(&stat->end, (double)row->time_end);
	if (row->state != GPMU_STATE_OK) {
		if (!has_runs) {
			stat->row.state = row->state;
			stat->row.value = row->value;
			stat->row.share = row->share;
			stat->row.enabled = row->enabled;
			stat->row.running = row->running;
			stat->row.counters = row->counters;
		}
		return;
	}
	stat_add(&stat->value, row->value);
	stat_add(&stat->raw, (double)row->raw);
	stat_add(&stat->enabled, (double)row->enabled);
	stat_add(&stat->running, (double)row->running);
	stat->row.state = GPMU_STATE_OK;
	if (!has_runs || row->share < stat->row.share)
		stat->row.share = row->share;
	stat->row.raw = row->raw;
	stat->row.enabled = row->enabled;
	stat->row.running = row->running;
	stat->row.counters = row->counters;
	stat->row.runs++;
	if (row->alert > stat->row.alert)
		stat->row.alert = row->alert;
}

/* Returns whether two rows are of the same event or metric, counted at the same place. */
static bool is_same(const struct gpmu_row *a, const struct gpmu_row *b)
{
	return a->metric == b->metric && !strcmp(a->name, b->name) && a->scope == b->scope &&
	       a->node == b->node && a->package == b->package && a->die == b->die &&
	       a->core == b->core && a->cpu == b->cpu && a->tid == b->tid &&
	       a->gpu_number == b->gpu_number;
}

static bool are_same(const struct gpmu_stats *stats, const struct gpmu_rows *rows)
{
	if (rows->length != stats->rows.length)
		return false;
	for (size_t i = 0; i < rows->length; i++)
		if (!is_same(&stats->list[i].row, &rows->list[i]))
			return false;
	return true;
}

int stats_add(struct gpmu_stats *stats, const struct gpmu_rows *rows)
{
	const char **whys;
	int ret = 0;

	if (stats->list && !are_same(stats, rows))
		return -EINVAL;
	whys = calloc(rows->length + 1, sizeof(*whys));
	if (!whys)
		return -ENOMEM;
	for (size_t i = 0; i < rows->length && !ret; i++) {
		whys[i] = rows->list[i].why;
		ret = copy_why(stats, &whys[i]);
	}
	if (!ret && !stats->list)
		ret = first_run(stats, rows);
	for (size_t i = 0; i < rows->length && !ret; i++)
		add_row(&stats->list[i], &rows->list[i], whys[i]);
	free(whys);
	return ret;
}

const struct gpmu_rows *stats_rows(struct gpmu_stats *stats)
{
	for (size_t i = 0; i < stats->rows.length; i++) {
		const struct stats_row *stat = &stats->list[i];
		struct gpmu_row *row = &stats->rows.list[i];

		*row = stat->row;
		row->time_begin = whole(stat->begin.mean);
		row->time_end = whole(stat->end.mean);
		if (row->state != GPMU_STATE_OK) {
			row->runs = 1;
			continue;
		}
		row->value = stat->value.mean;
		row->deviation = stat_deviation(&stat->value);
		/* With a single run keep the integers, which a double might round. */
		if (row->runs > 1) {
			row->raw = whole(stat->raw.mean);
			row->enabled = whole(stat->enabled.mean);
			row->running = whole(stat->running.mean);
		}
		row->why = NULL;
	}
	return &stats->rows;
}
