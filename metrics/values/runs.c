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
	/* copies for the first run's rows: name, PMU, unit, in this order */
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

/* Copies the rows to this library's struct gpmu_row; the caller's can have another size. */
static struct gpmu_row *copy_rows(const struct gpmu_row *rows, size_t n)
{
	struct gpmu_row *copies = calloc(n + 1, sizeof(*copies));

	for (size_t i = 0; copies && i < n; i++) {
		memcpy(&copies[i], gpmu_row_at(rows, i), rows->size < sizeof(*copies) ? rows->size : sizeof(*copies));
		copies[i].size = sizeof(*copies);
	}
	return copies;
}

static int keep_texts(struct gpmu_runs *runs, struct gpmu_row *rows, size_t n)
{
	int ret = 0;

	runs->texts = calloc(3 * n + 1, sizeof(*runs->texts));
	if (!runs->texts)
		return -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++) {
		ret = keep(runs, &rows[i].name);
		if (!ret)
			ret = keep(runs, &rows[i].pmu);
		if (!ret)
			ret = keep(runs, &rows[i].unit);
	}
	return ret;
}

int gpmu_runs_add(struct gpmu_runs *runs, const struct gpmu_row *rows, size_t n,
		  const struct gpmu_sink_end *end)
{
	struct gpmu_row *copies = copy_rows(rows, n);
	bool first = !runs->texts;
	int ret = copies ? 0 : -ENOMEM;

	if (!ret && first)
		ret = keep_texts(runs, copies, n);
	if (!ret)
		ret = stats_add(&runs->stats, copies, n);
	free(copies);
	if (ret && first) {
		free_texts(runs->texts, runs->text_count);
		runs->texts = NULL;
		runs->text_count = 0;
	}
	if (ret)
		return ret;
	stat_add(&runs->elapsed, end->elapsed);
	if (end->user >= 0 && end->system >= 0) {
		stat_add(&runs->user, end->user);
		stat_add(&runs->system, end->system);
	}
	return 0;
}

const struct gpmu_row *gpmu_runs_rows(struct gpmu_runs *runs, size_t *n)
{
	return stats_rows(&runs->stats, n);
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
