// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts of each function. CUPTI can return success without data, or with all values 0, so that each launched function is
 * checked: a metric of all instructions is above 0 for each kernel that has run. Metrics of some instructions have no records
 * of functions without these instructions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vector.h"
#include "sass/sass.h"

#define WAIT_MS	2000	/* for room in the channel */

/* Sums of a part of a function */
struct part {
	char *text;
	double *values;
};

struct sass_function {
	char *name;
	double *values;
	struct part *parts;
	size_t part_count, last;	/* last: part that was found last */
	uint64_t launches, foreign;
	bool has_records;
};

static struct sass_function *functions;
static size_t count, last;
static uint64_t forgotten;	/* launches without memory for the function */

/* Metrics of all instructions */
static const char *const complete[] = { "smsp__sass_inst_executed", "smsp__sass_thread_inst_executed" };

static struct sass_function *add(const struct inject *self, const char *name)
{
	struct sass_function *list = reallocarray(functions, count + 1, sizeof(*list)), *function;

	if (!list)
		return NULL;
	functions = list;
	function = &list[count];
	*function = (struct sass_function){
		.name = strdup(name), .values = calloc(self->control->ranges.metric_count, sizeof(*function->values)),
	};
	if (function->name && function->values) {
		last = count++;
		return function;
	}
	free(function->name);
	free(function->values);
	return NULL;
}

/* The records of a function follow each other. */
static struct sass_function *find(const struct inject *self, const char *name)
{
	if (last < count && !strcmp(functions[last].name, name))
		return &functions[last];
	for (size_t i = 0; i < count; i++)
		if (!strcmp(functions[i].name, name)) {
			last = i;
			return &functions[i];
		}
	return add(self, name);
}

static struct part *add_part(const struct inject *self, struct sass_function *function, const char *text)
{
	struct part *part = vector_append(function->parts, function->part_count);

	if (!part)
		return NULL;
	part->text = strdup(text);
	part->values = calloc(self->control->ranges.metric_count, sizeof(*part->values));
	if (part->text && part->values) {
		function->last = function->part_count - 1;
		return part;
	}
	free(part->text);
	free(part->values);
	function->part_count--;
	return NULL;
}

/* Parts follow each other in the same order each time. */
static struct part *find_part(const struct inject *self, struct sass_function *function, const char *text)
{
	for (size_t i = 0; i < function->part_count; i++) {
		const size_t next = (function->last + i) % function->part_count;

		if (strcmp(function->parts[next].text, text) != 0)
			continue;
		function->last = next;
		return &function->parts[next];
	}
	return add_part(self, function, text);
}

void sass_functions_add(const struct inject *self, const char *name, const char *text, size_t metric, double value)
{
	struct sass_function *function = find(self, name);
	struct part *part;

	if (!function)
		return;
	function->has_records = true;
	function->values[metric] += value;
	part = *text ? find_part(self, function, text) : NULL;
	if (part)
		part->values[metric] += value;
}

void sass_functions_launch(const struct inject *self, const char *name, bool is_foreign)
{
	struct sass_function *function = find(self, name);

	if (!function)
		forgotten++;
	else if (is_foreign)
		function->foreign++;
	else
		function->launches++;
}

/* --- the end */

static void put(struct inject *self, const struct activity_head *record)
{
	const struct activity_lost lost = {
		.count = 1, .why = ACTIVITY_LOST_CHANNEL, .kind = record->kind,
	};
	unsigned int waits = WAIT_MS;
	int ret;

	while ((ret = channel_write(self->writer, record)) == -EAGAIN && waits-- && channel_has_reader(self->control))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	if (ret)
		channel_lose(self->writer, &lost);
}

static bool put_name(struct inject *self, uint32_t id, uint32_t parent, const char *text)
{
	const size_t size = (sizeof(struct activity_range_name) + strlen(text) + 1 + 7) / 8 * 8;
	struct activity_range_name *name = calloc(1, size);

	if (!name)
		return false;
	name->head = (struct activity_head){ (uint32_t)size, ACTIVITY_RANGE_NAME, 0 };
	name->id = id;
	name->parent = parent;
	strcpy(name->text, text);
	put(self, &name->head);
	free(name);
	return true;
}

static bool put_values(struct inject *self, uint32_t id, uint64_t launches, const double *values)
{
	const uint32_t metrics = self->control->ranges.metric_count;
	const size_t size = sizeof(struct activity_range) + metrics * sizeof(double);
	struct activity_range *range = calloc(1, size);

	if (!range)
		return false;
	range->head = (struct activity_head){ (uint32_t)size, ACTIVITY_RANGE, 0 };
	range->name = id;
	range->count = launches;
	range->value_count = metrics;
	memcpy(range->values, values, metrics * sizeof(double));
	put(self, &range->head);
	free(range);
	return true;
}

/* Writes a function and its parts. */
static bool put_function(struct inject *self, const struct sass_function *function)
{
	static uint32_t ids;
	const uint32_t id = ++ids;
	bool is_put = put_name(self, id, 0, function->name) && put_values(self, id, function->launches, function->values);

	for (size_t i = 0; i < function->part_count && is_put; i++) {
		const struct part *part = &function->parts[i];

		is_put = put_name(self, ++ids, id, part->text) && put_values(self, ids, function->launches, part->values);
	}
	return is_put;
}

/* Returns the index of a metric of all instructions; -1: none is requested. */
static ptrdiff_t find_complete(const struct inject *self)
{
	const char *name = self->control->ranges.metrics;

	for (uint32_t i = 0; i < self->control->ranges.metric_count; i++, name += strlen(name) + 1)
		for (size_t k = 0; k < sizeof(complete) / sizeof(*complete); k++)
			if (!strcmp(name, complete[k]))
				return i;
	return -1;
}

void sass_functions_write(struct inject *self, uint64_t partial)
{
	const ptrdiff_t proof = find_complete(self);
	struct activity_ranges numbers = {
		.head = { sizeof(numbers), ACTIVITY_RANGES, 0 }, .seen = forgotten, .passes = 1, .is_complete = 1,
		.lost = { [ACTIVITY_RANGES_PARTIAL] = partial },
	};

	for (size_t i = 0; i < count; i++) {
		const struct sass_function *function = &functions[i];
		const bool has_counts = function->has_records && (proof < 0 || function->values[proof] > 0);

		numbers.seen += function->launches + function->foreign;
		numbers.lost[ACTIVITY_RANGES_FOREIGN] += function->foreign;
		if (has_counts && put_function(self, function))
			numbers.counted += function->launches;
		else
			numbers.lost[proof < 0 ? ACTIVITY_RANGES_EMPTY : ACTIVITY_RANGES_DROPPED] += function->launches;
	}
	put(self, &numbers.head);
}
