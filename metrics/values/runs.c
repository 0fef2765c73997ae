// SPDX-License-Identifier: LGPL-2.1-or-later
/* Collects rows of several sessions in sequence; the texts outlive the sessions. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "values/gpmu_runs.h"
#include "values/stats.h"

struct gpmu_runs {
	struct gpmu_stats stats;
	struct stat_value elapsed, user, system;
	/* copies for the first run's rows: name, PMU, unit, task, cgroup, in this order */
	char **texts;
	size_t text_count;
};

struct gpmu_runs *gpmu_runs_new(void)
{
	struct gpmu_runs *runs = calloc(1, sizeof(*runs));

	if (runs)
		stats_init(&runs->stats);
	return runs;
}

static void free_texts(char **texts, size_t length)
{
	for (size_t i = 0; texts && i < length; i++)
		free(texts[i]);
	free(texts);
}

void gpmu_runs_free(struct gpmu_runs *runs)
{
	if (!runs)
		return;
	stats_release(&runs->stats);
	free_texts(runs->texts, runs->text_count);
	free(runs);
}

/* Replaces a row's text by a copy. Returns 0 or -ENOMEM. */
static int keep(struct gpmu_runs *runs, const char **text)
{
	char *copy;

	if (!*text)
		return 0;
	copy = strdup(*text);
	if (!copy)
		return -ENOMEM;
	runs->texts[runs->text_count++] = copy;
	*text = copy;
	return 0;
}

static int keep_texts(struct gpmu_runs *runs, struct gpmu_rows *rows)
{
	int ret = 0;

	runs->texts = calloc(5 * rows->length + 1, sizeof(*runs->texts));
	if (!runs->texts)
		return -ENOMEM;
	for (size_t i = 0; i < rows->length && !ret; i++) {
		ret = keep(runs, &rows->list[i].name);
		if (!ret)
			ret = keep(runs, &rows->list[i].pmu);
		if (!ret)
			ret = keep(runs, &rows->list[i].unit);
		if (!ret)
			ret = keep(runs, &rows->list[i].comm);
		if (!ret)
			ret = keep(runs, &rows->list[i].cgroup);
	}
	return ret;
}

/* Keeps copies of the first run's rows and of their texts. */
static int add_first(struct gpmu_runs *runs, const struct gpmu_rows *rows)
{
	struct gpmu_rows copies = { 0 };
	int ret = 0;

	for (size_t i = 0; i < rows->length && !ret; i++)
		ret = gpmu_rows_add(&copies, &rows->list[i]);
	if (!ret)
		ret = keep_texts(runs, &copies);
	if (!ret)
		ret = stats_add(&runs->stats, &copies);
	free(copies.list);
	if (ret) {
		free_texts(runs->texts, runs->text_count);
		runs->texts = NULL;
		runs->text_count = 0;
	}
	return ret;
}

int gpmu_runs_add(struct gpmu_runs *runs, const struct gpmu_rows *rows,
		  const struct gpmu_sink_end *end)
{
	int ret = runs->texts ? stats_add(&runs->stats, rows) : add_first(runs, rows);

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
