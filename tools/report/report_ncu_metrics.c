// SPDX-License-Identifier: LGPL-2.1-or-later
/* The metrics of kernels, their source counters, and advice. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "report/report_ncu.h"

/* --- metrics: a row for each metric of each kernel */

/* A value of a metric of a kernel */
struct sample {
	const char *name, *unit, *text;
	double number;		/* NaN: a text */
	size_t order;
};

struct samples {
	struct sample *list;
	size_t n, room;
};

static void add_sample(struct samples *samples, const char *name, const char *unit, const char *text, double number)
{
	if (samples->n == samples->room) {
		samples->room = samples->room ? samples->room * 2 : 1024;
		samples->list = need_memory(reallocarray(samples->list, samples->room, sizeof(*samples->list)));
	}
	samples->list[samples->n] = (struct sample){
		.name = name, .unit = unit ? unit : "", .text = text, .number = number, .order = samples->n,
	};
	samples->n++;
}

static int compare_samples(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

enum { METRIC, UNIT, COUNT, MEAN, MIN, MAX, TEXT, KERNEL, METRIC_COLUMNS };
static const struct gpmu_report_column metric_columns[METRIC_COLUMNS] = {
	NCU_COLUMN("metric", TEXT), NCU_COLUMN("unit", TEXT), NCU_COLUMN("count", COUNT), NCU_COLUMN("mean", NUMBER),
	NCU_COLUMN("min", NUMBER), NCU_COLUMN("max", NUMBER), NCU_COLUMN("text", TEXT), NCU_LONG("kernel"),
};

/* Adds the row of @n values of one metric. */
static void add_metric(struct ncu_table *table, const struct ncu_kernel *kernel, const struct sample *values, size_t n)
{
	struct gpmu_report_cell *row = ncu_table_row(table);
	double sum = 0, min = INFINITY, max = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		sum += values[i].number;
		min = values[i].number < min ? values[i].number : min;
		max = values[i].number > max ? values[i].number : max;
	}
	row[METRIC] = ncu_text(values->name);
	row[UNIT] = ncu_text(values->unit);
	row[COUNT] = ncu_number((double)n);
	row[KERNEL] = ncu_text(kernel->name);
	row[TEXT] = ncu_text(values->text);
	if (isnan(sum))
		return;
	row[MEAN] = ncu_number(sum / (double)n);
	row[MIN] = ncu_number(min);
	row[MAX] = ncu_number(max);
}

static void add_metrics(struct ncu_table *table, const struct ncu_kernel *kernel, struct samples *samples)
{
	size_t end;

	if (samples->n)
		qsort(samples->list, samples->n, sizeof(*samples->list), compare_samples);
	for (size_t i = 0; i < samples->n; i = end) {
		for (end = i + 1; end < samples->n && !strcmp(samples->list[i].name, samples->list[end].name); end++)
			;
		add_metric(table, kernel, &samples->list[i], end - i);
	}
	samples->n = 0;
}

/*
 * Metrics of gpmu; of several entries of one name, which are for different chips, that whose events are in the report
 */
static void sample_own(const struct ncu_input *input, const struct gpmu_ncu_action *action, struct samples *samples)
{
	const struct gpmu_metric *metric;
	const char *last = "";
	double value;

	for (size_t i = 0; (metric = gpmu_catalog_metric(input->catalog, i)); i++) {
		int ret;

		if (!strcmp(gpmu_metric_name(metric), last))
			continue;
		ret = gpmu_ncu_action_eval(action, metric, &value);
		if (ret == -ENOMEM)
			die_no_memory();
		if (ret || isnan(value))
			continue;
		last = gpmu_metric_name(metric);
		add_sample(samples, last, gpmu_metric_unit(metric), NULL, value);
	}
}

static void sample_raw(const struct gpmu_ncu_action *action, struct samples *samples)
{
	struct gpmu_ncu_value value = { .size = sizeof(value) };
	const struct gpmu_ncu_metric *metric;

	for (size_t i = 0; (metric = gpmu_ncu_action_metric(action, i)); i++)
		if (!gpmu_ncu_metric_value(metric, &value) && value.kind != GPMU_NCU_MISSING)
			add_sample(samples, metric->name, metric->unit, value.text, value.number);
}

void ncu_make_metrics(const struct ncu_input *input, struct ncu_table *table)
{
	struct samples samples = { 0 };

	ncu_table_init(table, "metrics", "metrics of kernels", metric_columns, METRIC_COLUMNS);
	for (size_t i = 0; i < input->shown; i++) {
		const struct ncu_kernel *kernel = &input->kernels[i];

		for (size_t k = 0; k < kernel->count; k++)
			sample_own(input, kernel->actions[k], &samples);
		add_metrics(table, kernel, &samples);
		for (size_t k = 0; k < kernel->count && input->wants_raw; k++)
			sample_raw(kernel->actions[k], &samples);
		add_metrics(table, kernel, &samples);
	}
	if (!table->table.row_count)
		table->table.note = "the report has no metric of which one of gpmu's is made; --by=metric prints all";
	free(samples.list);
}

/* --- source: counters by instruction, the sum of all launches of a kernel */

struct counter {
	const char *metric;
	uint64_t address;
	double value;
};

struct counters {
	struct counter *list;
	size_t n, room;
};

static int compare_counters(const void *left, const void *right)
{
	const struct counter *a = left, *b = right;
	int order = strcmp(a->metric, b->metric);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static void count_metric(struct counters *counters, const struct gpmu_ncu_metric *metric)
{
	struct gpmu_ncu_value id = { .size = sizeof(id) }, value = { .size = sizeof(value) };

	for (size_t i = 0; metric->correlated && !gpmu_ncu_metric_instance(metric, i, &id, &value); i++) {
		if (id.kind == GPMU_NCU_TEXT || id.kind == GPMU_NCU_MISSING || isnan(value.number))
			continue;
		if (counters->n == counters->room) {
			counters->room = counters->room ? counters->room * 2 : 1024;
			counters->list = need_memory(reallocarray(counters->list, counters->room, sizeof(*counters->list)));
		}
		counters->list[counters->n++] = (struct counter){ metric->name, id.integer, value.number };
	}
}

static void add_counters(struct ncu_table *table, const struct ncu_kernel *kernel, struct counters *counters)
{
	enum { ADDRESS, VALUE, SOURCE_METRIC, NAME };
	struct gpmu_report_cell *row = NULL;

	if (counters->n)
		qsort(counters->list, counters->n, sizeof(*counters->list), compare_counters);
	for (size_t i = 0; i < counters->n; i++) {
		const struct counter *counter = &counters->list[i];

		if (!i || compare_counters(counter - 1, counter)) {
			row = ncu_table_row(table);
			row[ADDRESS] = ncu_text(ncu_table_keep(table, print_text("0x%llx", (unsigned long long)counter->address)));
			row[SOURCE_METRIC] = ncu_text(counter->metric);
			row[NAME] = ncu_text(kernel->name);
		}
		row[VALUE] = ncu_number(row[VALUE].number + counter->value);
	}
	counters->n = 0;
}

void ncu_make_source(const struct ncu_input *input, struct ncu_table *table)
{
	static const struct gpmu_report_column columns[] = {
		NCU_COLUMN("address", TEXT), NCU_COLUMN("value", NUMBER), NCU_COLUMN("metric", TEXT), NCU_LONG("kernel"),
	};
	struct counters counters = { 0 };
	const struct gpmu_ncu_metric *metric;

	ncu_table_init(table, "source", "source counters by address", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < input->shown; i++) {
		const struct ncu_kernel *kernel = &input->kernels[i];

		for (size_t k = 0; k < kernel->count; k++)
			for (size_t m = 0; (metric = gpmu_ncu_action_metric(kernel->actions[k], m)); m++)
				count_metric(&counters, metric);
		add_counters(table, kernel, &counters);
	}
	if (!table->table.row_count)
		table->table.note = "the report has no counters of instructions: ncu collects them by --section SourceCounters";
	free(counters.list);
}

/* --- advice */

static int get_metric(const char *name, double *value, const char **unit, void *user)
{
	const struct gpmu_ncu_metric *metric = gpmu_ncu_action_find(user, name);
	struct gpmu_ncu_value found = { .size = sizeof(found) };

	if (!metric || gpmu_ncu_metric_value(metric, &found) || isnan(found.number))
		return -ENOENT;
	*value = found.number;
	*unit = metric->unit;
	return 0;
}

/* The launches to which a rule was applied, to which it applies, and which lack its metrics */
struct tally {
	size_t checked, found, lacking;
};

/* Applies a rule to the launches of a kernel. Returns the values of the first one to which it applies, or NULL. */
static char *apply(const struct ncu_input *input, size_t rule, const struct ncu_kernel *kernel, struct tally *tally)
{
	char *values = NULL;

	for (size_t i = 0; i < kernel->count; i++) {
		char *text;
		int ret = gpmu_advice_apply(input->advice, rule, get_metric, (void *)kernel->actions[i], &text);

		if (ret == -ENOMEM)
			die_no_memory();
		tally->checked += ret >= 0;
		tally->found += ret == 1;
		tally->lacking += ret < 0;
		if (ret == 1 && !values)
			values = text;
		else
			free(text);
	}
	return values;
}

static void add_advice(const struct ncu_input *input, const struct ncu_kernel *kernel, struct ncu_table *table)
{
	enum { RULE, LAUNCHES, NAME, TITLE, VALUES, ADVICE };
	const struct gpmu_advice_rule *rule;

	for (size_t i = 0; (rule = gpmu_advice_rule(input->advice, i)); i++) {
		struct tally tally = { 0 };
		char *values = apply(input, i, kernel, &tally);
		struct gpmu_report_cell *row;

		if (!values)
			continue;
		row = ncu_table_row(table);
		row[RULE] = ncu_text(rule->name);
		row[LAUNCHES] = ncu_number((double)tally.found);
		row[NAME] = ncu_text(kernel->name);
		row[TITLE] = ncu_text(rule->title);
		row[VALUES] = ncu_text(ncu_table_keep(table, values));
		row[ADVICE] = ncu_text(rule->text);
	}
}

void ncu_make_advice(const struct ncu_input *input, struct ncu_table *table)
{
	static const struct gpmu_report_column columns[] = {
		NCU_COLUMN("rule", TEXT), NCU_COLUMN("count", COUNT), NCU_COLUMN("kernel", TEXT), NCU_COLUMN("observation", TEXT),
		NCU_LONG("values"), NCU_LONG("advice"),
	};

	ncu_table_init(table, "advice", "advice", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < input->shown; i++)
		if (input->kernels[i].work == GPMU_NCU_KERNEL)
			add_advice(input, &input->kernels[i], table);
	if (!table->table.row_count)
		table->table.note = "no rule applies; --by=advice prints the metrics that rules need";
}

void ncu_make_rules(const struct ncu_input *input, struct ncu_table *table)
{
	enum { RULE, CHECKED, FOUND, LACKING, METRICS };
	static const struct gpmu_report_column columns[] = {
		NCU_COLUMN("rule", TEXT), NCU_COLUMN("checked", COUNT), NCU_COLUMN("found", COUNT), NCU_COLUMN("lacking", COUNT),
		NCU_LONG("metrics"),
	};
	const struct gpmu_advice_rule *rule;

	ncu_table_init(table, "rules", "rules, and the metrics that they need", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; (rule = gpmu_advice_rule(input->advice, i)); i++) {
		struct gpmu_report_cell *row = ncu_table_row(table);
		struct tally tally = { 0 };

		for (size_t k = 0; k < input->kernel_count; k++)
			if (input->kernels[k].work == GPMU_NCU_KERNEL)
				free(apply(input, i, &input->kernels[k], &tally));
		row[RULE] = ncu_text(rule->name);
		row[CHECKED] = ncu_number((double)tally.checked);
		row[FOUND] = ncu_number((double)tally.found);
		row[LACKING] = ncu_number((double)tally.lacking);
		row[METRICS] = ncu_text(rule->metrics);
	}
}
