// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics of tests/data/gpu/metrics.tsv. The count of a GPU is a function of the time alone, so that the expected value of
 * any reading can be calculated by hand.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define NS	1000000000.0
#define GPC_HZ	1980000000.0	/* the clock of the SMs, in whose cycles peaks are */

static struct fake_metric metrics[FAKE_METRICS];
static size_t metrics_length;

static const char *const of_counter[] = {
	"", ".peak_sustained", ".peak_sustained_active", ".peak_sustained_active.per_second",
	".peak_sustained_elapsed", ".peak_sustained_elapsed.per_second", ".per_cycle_active",
	".per_cycle_elapsed", ".per_second", ".pct_of_peak_sustained_active",
	".pct_of_peak_sustained_elapsed",
};
static const char *const of_throughput[] = {
	".pct_of_peak_sustained_active", ".pct_of_peak_sustained_elapsed",
};
static const char *const of_ratio[] = { "max_rate", "pct", "ratio" };
static const char *const rollups[] = { "avg", "max", "min", "sum" };

static const struct {
	const char *name;
	enum fake_type type;
} types[] = {
	{ "counter", FAKE_COUNTER }, { "ratio", FAKE_RATIO }, { "throughput", FAKE_THROUGHPUT },
};

#define LENGTH(array)	(sizeof(array) / sizeof(*(array)))

enum { BASE, TYPE, UNIT, DIM, RATE, SHAPE, UNITS, PEAK, PASS, DESCRIPTION, COLUMNS };

static void copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

static bool read_metric(char *line, struct fake_metric *metric)
{
	char *columns[COLUMNS], *state = NULL;
	size_t n = 0;

	for (char *text = strtok_r(line, "\t\n", &state); text && n < COLUMNS;
	     text = strtok_r(NULL, "\t\n", &state))
		columns[n++] = text;
	if (line[0] == '#' || n != COLUMNS)
		return false;
	copy(metric->base, sizeof(metric->base), columns[BASE]);
	copy(metric->unit, sizeof(metric->unit), columns[UNIT]);
	copy(metric->dim, sizeof(metric->dim), columns[DIM]);
	copy(metric->pass, sizeof(metric->pass), columns[PASS]);
	copy(metric->description, sizeof(metric->description), columns[DESCRIPTION]);
	metric->rate = strtoull(columns[RATE], NULL, 10);
	metric->units = strtoull(columns[UNITS], NULL, 10);
	metric->peak = strtoull(columns[PEAK], NULL, 10);
	for (size_t i = 0; i < LENGTH(types); i++)
		if (!strcmp(columns[TYPE], types[i].name))
			metric->type = types[i].type;
	if (!strncmp(columns[SHAPE], "square:", 7))
		metric->period = strtoull(columns[SHAPE] + 7, NULL, 10);
	return true;
}

__attribute__((constructor))
static void read_metrics(void)
{
	FILE *file = fake_open_data("metrics.tsv");
	char line[512];

	while (metrics_length < FAKE_METRICS && fgets(line, sizeof(line), file))
		metrics_length += read_metric(line, &metrics[metrics_length]);
	fclose(file);
}

size_t fake_metrics(void)
{
	return metrics_length;
}

const struct fake_metric *fake_metric(size_t index)
{
	return &metrics[index];
}

const char *fake_suffix(enum fake_type type, size_t index)
{
	static _Thread_local char name[64];
	const char *const *list = type == FAKE_COUNTER ? of_counter : of_throughput;
	size_t length = type == FAKE_COUNTER ? LENGTH(of_counter) : LENGTH(of_throughput);

	if (type == FAKE_RATIO)
		return index < LENGTH(of_ratio) ? of_ratio[index] : NULL;
	if (index >= LENGTH(rollups) * length)
		return NULL;
	snprintf(name, sizeof(name), "%s%s", rollups[index / length], list[index % length]);
	return name;
}

static bool is_suffix(enum fake_type type, const char *suffix)
{
	const char *name;

	for (size_t i = 0; (name = fake_suffix(type, i)); i++)
		if (!strcmp(name, suffix))
			return true;
	return false;
}

bool fake_find(const char *name, struct fake_name *result)
{
	for (size_t i = 0; i < metrics_length; i++) {
		size_t length = strlen(metrics[i].base);

		if (strncmp(name, metrics[i].base, length) || (name[length] && name[length] != '.'))
			continue;
		*result = (struct fake_name){ .metric = &metrics[i], .index = i };
		if (name[length])
			snprintf(result->suffix, sizeof(result->suffix), "%s", name + length + 1);
		return !name[length] || is_suffix(metrics[i].type, result->suffix);
	}
	return false;
}

bool fake_is_absent(const struct fake_metric *metric, size_t gpu)
{
	char list[80], unit[32];

	snprintf(list, sizeof(list), ",%s,", fake_gpu(gpu)->absent);
	snprintf(unit, sizeof(unit), ",%s,", metric->unit);
	return strstr(list, unit);
}

/* The count until @time of a counter that never resets */
static uint64_t counted(const struct fake_metric *metric, size_t gpu, uint64_t time)
{
	uint64_t active = time;

	if (metric->period) {
		uint64_t half = metric->period / 2, rest = time % metric->period;

		active = time / metric->period * half + (rest < half ? rest : half);
	}
	return (unsigned __int128)active * metric->rate * (gpu + 1) / 1000000000;
}

double fake_value(const struct fake_name *name, size_t gpu, uint64_t start, uint64_t end)
{
	const struct fake_metric *metric = name->metric;
	const char *suffix = name->suffix;
	double sum, seconds = (end - start) / NS, value;

	if (fake_is_absent(metric, gpu))
		return NAN;
	sum = counted(metric, gpu, end) - counted(metric, gpu, start);
	if (metric->type == FAKE_RATIO)
		return sum / seconds / 1000 / (!strcmp(suffix, "pct") ? 1 : 100);
	if (metric->type == FAKE_THROUGHPUT)
		return sum / seconds / 1000;
	if (strstr(suffix, "pct_of_peak"))
		return 100 * sum / seconds / metric->peak;
	if (strstr(suffix, "peak_sustained"))
		return metric->peak / GPC_HZ / (strncmp(suffix, "sum", 3) ? metric->units : 1);
	value = strncmp(suffix, "sum", 3) ? sum / metric->units : sum;
	if (strstr(suffix, "per_second"))
		return value / seconds;
	if (strstr(suffix, "per_cycle"))
		return value / seconds / NS;
	return value;
}
