// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ranges of all processes: a tree of names, each with the combined values of its ranges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/gpmu_double.h"
#include "base/text/text.h"
#include "ranges/ranges.h"

#define LEVELS_MAX	64	/* as many as the library counts; deeper ones would exhaust the stack */

static enum ranges_rollup rollup_of(const char *metric)
{
	static const struct {
		const char *suffix;
		enum ranges_rollup rollup;
	} rollups[] = {
		{ ".sum", RANGES_ADD }, { ".avg", RANGES_ADD }, { ".max", RANGES_MAX }, { ".min", RANGES_MIN },
	};
	const char *dot = strrchr(metric, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(rollups); i++)
		if (!strcmp(dot, rollups[i].suffix))
			return rollups[i].rollup;
	return RANGES_MEAN;
}

static int describe_metrics(struct gpmu_ranges *ranges, struct gpmu_error *error)
{
	const size_t length = ranges->metrics.n;

	ranges->units = calloc(length + 1, sizeof(*ranges->units));
	ranges->rollups = calloc(length + 1, sizeof(*ranges->rollups));
	if (!ranges->units || !ranges->rollups)
		return error_no_memory(error);
	ranges->time = SIZE_MAX;
	for (size_t i = 0; i < length; i++) {
		ranges->rollups[i] = strchr(ranges->metrics.list[i], '.') ? rollup_of(ranges->metrics.list[i]) : RANGES_ADD;
		if (!strcmp(ranges->metrics.list[i], RANGES_TIME))
			ranges->time = i;
	}
	return 0;
}

struct gpmu_ranges *gpmu_ranges_new(const struct gpmu_catalog *catalog, const char *chip, const char *list, int wants_each,
				    struct gpmu_error *error)
{
	struct gpmu_ranges *ranges = calloc(1, sizeof(*ranges));
	int ret;

	if (!ranges) {
		error_no_memory(error);
		return NULL;
	}
	ranges->wants_each = wants_each;
	ranges->numbers.size = sizeof(ranges->numbers);
	ret = ranges_add_requests(ranges, catalog, chip, list, error);
	if (!ret)
		ret = describe_metrics(ranges, error);
	if (!ret)
		return ranges;
	gpmu_ranges_free(ranges);
	errno = -ret;
	return NULL;
}

static void free_node(struct ranges_node *node)
{
	for (size_t i = 0; i < node->inner.n; i++) {
		free_node(node->inner.list[i]);
		free(node->inner.list[i]);
	}
	for (size_t i = 0; i < node->sums.n; i++)
		free(node->sums.list[i].values);
	vector_free(&node->inner);
	vector_free(&node->sums);
	free(node->path);
}

void gpmu_ranges_free(struct gpmu_ranges *ranges)
{
	if (!ranges)
		return;
	for (size_t i = 0; i < ranges->requests.n; i++) {
		free(ranges->requests.list[i].name);
		free(ranges->requests.list[i].unit);
		free(ranges->requests.list[i].metrics);
		gpmu_expr_free(ranges->requests.list[i].expr);
	}
	for (size_t i = 0; i < ranges->metrics.n; i++) {
		free(ranges->metrics.list[i]);
		if (ranges->units)
			free(ranges->units[i]);
	}
	free_node(&ranges->root);
	vector_free(&ranges->requests);
	vector_free(&ranges->metrics);
	vector_free(&ranges->rows);
	free(ranges->units);
	free(ranges->rollups);
	map_release(&ranges->ids);
	free(ranges);
}

const char *const *gpmu_ranges_metrics(const struct gpmu_ranges *ranges, size_t *length)
{
	*length = ranges->metrics.n;
	return (const char *const *)ranges->metrics.list;
}

int gpmu_ranges_set_unit(struct gpmu_ranges *ranges, size_t metric, const char *unit)
{
	char *copy = strdup(unit);

	if (!copy || metric >= ranges->metrics.n) {
		free(copy);
		return copy ? -EINVAL : -ENOMEM;
	}
	free(ranges->units[metric]);
	ranges->units[metric] = copy;
	return 0;
}

const char *gpmu_ranges_name(const struct gpmu_ranges *ranges, size_t request)
{
	return request < ranges->requests.n ? ranges->requests.list[request].name : NULL;
}

const char *gpmu_ranges_unit(const struct gpmu_ranges *ranges, size_t request)
{
	const struct ranges_request *found = &ranges->requests.list[request];

	if (request >= ranges->requests.n)
		return NULL;
	if (found->expr)
		return found->unit;
	return ranges->units[found->metrics[0]] ? ranges->units[found->metrics[0]] : "";
}

/* --- what the recorder passes */

static uint64_t id_key(pid_t pid, uint32_t id)
{
	return (uint64_t)(uint32_t)pid << 32 | id;
}

static struct ranges_node *add_node(struct ranges_node *parent, const char *name)
{
	struct ranges_node *node = calloc(1, sizeof(*node));
	const size_t prefix = parent->path ? strlen(parent->path) + 1 : 0;

	if (!node)
		return NULL;
	node->path = parent->path ? text_print("%s/%s", parent->path, name) : strdup(name);
	node->parent = parent;
	node->level = parent->path ? parent->level + 1 : 0;
	if (!node->path || vector_push(&parent->inner, &node)) {
		free(node->path);
		free(node);
		return NULL;
	}
	node->name = node->path + prefix;
	return node;
}

static int take_name(void *user, pid_t pid, uint32_t id, uint32_t parent_id, const char *text)
{
	struct gpmu_ranges *ranges = user;
	struct ranges_node *parent = parent_id ? map_object(&ranges->ids, id_key(pid, parent_id)) : &ranges->root;
	struct ranges_node *node = NULL;
	union map_cell *cell;

	/* A process may write anything to its channel. */
	if (!parent || parent->level + 1 == LEVELS_MAX)
		return 0;
	for (size_t i = 0; i < parent->inner.n && !node; i++)
		if (!strcmp(parent->inner.list[i]->name, text))
			node = parent->inner.list[i];
	if (!node)
		node = add_node(parent, text);
	cell = node ? map_add(&ranges->ids, id_key(pid, id), NULL) : NULL;
	if (!cell)
		return -ENOMEM;
	cell->pointer = node;
	return 0;
}

static void combine(const struct gpmu_ranges *ranges, struct ranges_sum *sum, uint64_t count, const double *values)
{
	const double weight = ranges->time == SIZE_MAX ? 1 : values[ranges->time];

	for (size_t i = 0; i < ranges->metrics.n; i++) {
		double *to = &sum->values[i];

		if (ranges->rollups[i] == RANGES_ADD)
			*to += values[i];
		else if (ranges->rollups[i] == RANGES_MAX)
			*to = sum->count ? gpmu_double_max(*to, values[i]) : values[i];
		else if (ranges->rollups[i] == RANGES_MIN)
			*to = sum->count ? gpmu_double_min(*to, values[i]) : values[i];
		else
			*to += values[i] * weight;
	}
	sum->weight += weight;
	sum->count += count;
}

static int take_range(void *user, pid_t pid, uint32_t name, uint64_t number, uint64_t count, const double *values,
		      size_t length)
{
	struct gpmu_ranges *ranges = user;
	struct ranges_node *node = map_object(&ranges->ids, id_key(pid, name));
	struct ranges_sum sum = { .number = number, .pid = pid };

	if (!node || length != ranges->metrics.n)
		return 0;
	if (!node->sums.n || ranges->wants_each) {
		sum.values = calloc(length ? length : 1, sizeof(*sum.values));
		if (!sum.values || vector_push(&node->sums, &sum)) {
			free(sum.values);
			return -ENOMEM;
		}
	}
	combine(ranges, &node->sums.list[node->sums.n - 1], count, values);
	return 0;
}

static void add_checkpoints(struct gpmu_recorder_checkpoints *sum, const struct gpmu_recorder_checkpoints *more)
{
	sum->saved += more->saved;
	sum->restored += more->restored;
	sum->failed += more->failed;
	sum->bytes += more->bytes;
	sum->device_bytes += more->device_bytes;
	sum->save_time += more->save_time;
	sum->restore_time += more->restore_time;
}

static int take_numbers(void *user, pid_t pid, const struct gpmu_recorder_range_numbers *numbers)
{
	struct gpmu_ranges *ranges = user;
	struct gpmu_recorder_range_numbers *sum = &ranges->numbers;

	(void)pid;
	sum->seen += numbers->seen;
	sum->counted += numbers->counted;
	for (int i = 0; i < GPMU_RECORDER_RANGE_REASONS; i++)
		sum->lost[i] += numbers->lost[i];
	add_checkpoints(&sum->checkpoints, &numbers->checkpoints);
	if (numbers->passes > sum->passes)
		sum->passes = numbers->passes;
	sum->is_complete = numbers->is_complete && (sum->is_complete || !ranges->has_numbers);
	ranges->has_numbers = true;
	return 0;
}

void gpmu_ranges_connect(struct gpmu_ranges *ranges, struct gpmu_recorder_ranges *options)
{
	options->metrics = gpmu_ranges_metrics(ranges, &options->metric_count);
	options->user = ranges;
	options->name = take_name;
	options->range = take_range;
	options->end = take_numbers;
}

void gpmu_ranges_restart(struct gpmu_ranges *ranges)
{
	ranges->numbers = (struct gpmu_recorder_range_numbers){ .size = sizeof(ranges->numbers) };
	ranges->has_numbers = false;
	/* A process of the next run may have the id of an earlier one. */
	map_clear(&ranges->ids);
}

/* --- rows */

static int add_rows(struct gpmu_ranges *ranges, const struct ranges_node *node)
{
	int ret = 0;

	for (size_t i = 0; i < node->sums.n && !ret; i++) {
		const struct ranges_shown shown = { node, &node->sums.list[i] };

		ret = vector_push(&ranges->rows, &shown);
	}
	for (size_t i = 0; i < node->inner.n && !ret; i++)
		ret = add_rows(ranges, node->inner.list[i]);
	return ret;
}

int gpmu_ranges_row(const struct gpmu_ranges *const_ranges, size_t index, struct gpmu_ranges_row *row)
{
	/* The rows are a view of the tree. */
	struct gpmu_ranges *ranges = (struct gpmu_ranges *)const_ranges;
	const struct ranges_shown *shown;

	if (!ranges->has_rows && add_rows(ranges, &ranges->root))
		return -ENOMEM;
	ranges->has_rows = true;
	if (index >= ranges->rows.n)
		return -ENOENT;
	shown = &ranges->rows.list[index];
	*row = (struct gpmu_ranges_row){
		.path = shown->node->path, .name = shown->node->name, .level = shown->node->level,
		.count = shown->sum->count, .number = shown->sum->number, .pid = shown->sum->pid,
	};
	return 0;
}

double gpmu_ranges_value(const struct gpmu_ranges *ranges, size_t row, size_t request)
{
	const struct ranges_sum *sum = ranges->rows.list[row].sum;
	double values[ranges->metrics.n ? ranges->metrics.n : 1];

	for (size_t i = 0; i < ranges->metrics.n; i++)
		values[i] = ranges->rollups[i] == RANGES_MEAN ? sum->values[i] / sum->weight : sum->values[i];
	return ranges_evaluate(ranges, &ranges->requests.list[request], values);
}

const struct gpmu_recorder_range_numbers *gpmu_ranges_numbers(const struct gpmu_ranges *ranges)
{
	return &ranges->numbers;
}
