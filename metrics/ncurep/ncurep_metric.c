// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics of an action: their names, and their values as the file stores them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "ncurep/ncurep.h"

static int compare_names(const void *left, const void *right)
{
	const struct ncurep_metric *a = *(const struct ncurep_metric *const *)left,
				   *b = *(const struct ncurep_metric *const *)right;
	int order = strcmp(a->info.name, b->info.name);

	return order ? order : a < b ? -1 : a > b;
}

static int add_metric(struct gpmu_ncu_report *report, struct ncurep_action *action, const NcuPb__Metric *message)
{
	struct ncurep_metric metric = { .message = message };

	if (!message->has_name || message->name >= report->names.n) {
		report->info.unnamed++;
		return 0;
	}
	metric.info.size = sizeof(metric.info);
	metric.info.name = report->names.list[message->name];
	metric.info.sampled = message->category == 1;
	metric.info.instances = message->n_instances;
	metric.info.correlated = message->n_instances && message->instances[0]->id;
	ncurep_describe(&metric.info);
	return vector_push(&action->metrics, &metric);
}

int ncurep_make_metrics(struct gpmu_ncu_report *report, struct ncurep_action *action)
{
	for (size_t i = 0; i < action->found_count; i++)
		if (add_metric(report, action, action->found[i]))
			return -ENOMEM;
	action->by_name = calloc(action->metrics.n + 1, sizeof(*action->by_name));
	if (!action->by_name)
		return -ENOMEM;
	for (size_t i = 0; i < action->metrics.n; i++)
		action->by_name[i] = &action->metrics.list[i];
	vector_sort_size(action->by_name, action->metrics.n, sizeof(*action->by_name), compare_names);
	return 0;
}

/* The number of metrics whose name is before @name: the index of the first one with it */
static size_t find(const struct ncurep_action *action, const char *name)
{
	size_t low = 0, high = action->metrics.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(action->by_name[middle]->info.name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct gpmu_ncu_metric *gpmu_ncu_action_find(const struct gpmu_ncu_action *info, const char *name)
{
	const struct ncurep_action *action = (const struct ncurep_action *)info;
	size_t i = find(action, name);

	return i < action->metrics.n && !strcmp(action->by_name[i]->info.name, name) ? &action->by_name[i]->info : NULL;
}

const struct gpmu_ncu_metric *gpmu_ncu_action_metric(const struct gpmu_ncu_action *info, size_t index)
{
	const struct ncurep_action *action = (const struct ncurep_action *)info;

	return index < action->metrics.n ? &action->metrics.list[index].info : NULL;
}

/* --- values */

static void set_number(struct gpmu_ncu_value *value, enum gpmu_ncu_kind kind, double number)
{
	value->kind = kind;
	value->number = number;
	if (number >= 0)
		value->integer = number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

static void set_integer(struct gpmu_ncu_value *value, enum gpmu_ncu_kind kind, uint64_t integer)
{
	value->kind = kind;
	value->number = (double)integer;
	value->integer = integer;
}

/* Writes no byte beyond the size of @to. Returns 0 or -EINVAL. */
static int get(const NcuPb__Value *from, struct gpmu_ncu_value *to)
{
	struct gpmu_ncu_value value = { .number = NAN };
	size_t size = to->size;

	if (size < sizeof(size))
		return -EINVAL;
	if (from && from->text) {
		value.kind = GPMU_NCU_TEXT;
		value.text = from->text;
	} else if (from && from->has_real32) {
		set_number(&value, GPMU_NCU_FLOAT, (double)from->real32);
	} else if (from && from->has_real64) {
		set_number(&value, GPMU_NCU_DOUBLE, from->real64);
	} else if (from && from->has_integer32) {
		set_integer(&value, GPMU_NCU_UINT32, from->integer32);
	} else if (from && from->has_integer64) {
		set_integer(&value, GPMU_NCU_UINT64, from->integer64);
	}
	value.size = size < sizeof(value) ? size : sizeof(value);
	sized_copy(to, size, &value);
	return 0;
}

int gpmu_ncu_metric_value(const struct gpmu_ncu_metric *metric, struct gpmu_ncu_value *value)
{
	return get(((const struct ncurep_metric *)metric)->message->value, value);
}

int gpmu_ncu_metric_instance(const struct gpmu_ncu_metric *metric, size_t index, struct gpmu_ncu_value *id,
			     struct gpmu_ncu_value *value)
{
	const NcuPb__Metric *message = ((const struct ncurep_metric *)metric)->message;

	if (index >= message->n_instances)
		return -ENOENT;
	if (id && get(message->instances[index]->id, id))
		return -EINVAL;
	return get(message->instances[index]->value, value);
}
