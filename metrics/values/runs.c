// SPDX-License-Identifier: LGPL-2.1-or-later
/* Collects rows of several sessions in sequence; the texts outlive the sessions. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"
#include "values/gpmu_runs.h"
#include "values/stats.h"

struct gpmu_runs {
	struct gpmu_stats stats;
	struct stat_value elapsed, user, system;
	struct strings texts;	/* of the first run's rows */
};

struct gpmu_runs *gpmu_runs_new(void)
{
	struct gpmu_runs *runs = calloc(1, sizeof(*runs));

	if (runs)
		stats_init(&runs->stats);
	return runs;
}

void gpmu_runs_free(struct gpmu_runs *runs)
{
	if (!runs)
		return;
	stats_release(&runs->stats);
	strings_release(&runs->texts);
	free(runs);
}

/* Replaces the texts of a row by copies. Returns 0 or -ENOMEM. */
static int keep_texts(struct gpmu_runs *runs, struct gpmu_row *row)
{
	const char **const texts[] = { &row->name, &row->pmu, &row->unit, &row->comm, &row->cgroup };
	uint32_t number;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!*texts[i])
			continue;
		if (strings_number(&runs->texts, *texts[i], &number))
			return -ENOMEM;
		*texts[i] = strings_text(&runs->texts, number);
	}
	return 0;
}

/* Keeps copies of the first run's rows and of their texts. */
static int add_first(struct gpmu_runs *runs, const struct gpmu_rows *rows)
{
	struct gpmu_rows copies = { 0 };
	int ret = 0;

	for (size_t i = 0; i < rows->length && !ret; i++) {
		ret = gpmu_rows_add(&copies, &rows->list[i]);
		if (!ret)
			ret = keep_texts(runs, &copies.list[i]);
	}
	if (!ret)
		ret = stats_add(&runs->stats, &copies);
	free(copies.list);
	return ret;
}

int gpmu_runs_add(struct gpmu_runs *runs, const struct gpmu_rows *rows,
		  const struct gpmu_sink_end *end)
{
	int ret = runs->stats.list ? stats_add(&runs->stats, rows) : add_first(runs, rows);

	if (ret)
		return ret;
	stat_add(&runs->elapsed, end->elapsed);
	if (end->user >= 0 && end->system >= 0) {
		stat_add(&runs->user, end->user);
		stat_add(&runs->system, end->system);
	}
	return 0;
}

const struct gpmu_rows *gpmu_runs_rows(struct gpmu_runs *runs)
{
	return stats_rows(&runs->stats);
}

void gpmu_runs_end(const struct gpmu_runs *runs, struct gpmu_sink_end *end)
{
	*end = (struct gpmu_sink_end){
		.size = sizeof(*end),
		.elapsed = runs->elapsed.mean,
		.deviation = stat_deviation(&runs->elapsed),
		.user = runs->user.n ? runs->user.mean : -1,
		.system = runs->system.n ? runs->system.mean : -1,
	};
}
