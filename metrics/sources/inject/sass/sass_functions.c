// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts of each function. CUPTI can return success without data, or with wrong values, so that each launched function is
 * checked: each of its warps executes the first instruction once, and the launches have their numbers of warps. That requires
 * a metric of all instructions. Metrics of some instructions have no records of functions without these instructions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/demangle.h"
#include "base/vector.h"
#include "sass/sass.h"

#define WAIT_MS		2000	/* for room in the channel */
#define BY_WARP		"smsp__sass_inst_executed"	/* metrics of all instructions */
#define BY_THREAD	"smsp__sass_thread_inst_executed"

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
	struct sass_shape launched;	/* sums */
	double *entries;	/* values of the first instruction */
	bool has_records;
};

static struct sass_function *functions;
static size_t count, last;
static uint64_t forgotten;	/* launches without memory for the function */
static bool has_graphs;		/* whose kernels are counted without their launches */

/* Metric of all instructions that is requested */
struct proof {
	size_t metric;		/* index; SIZE_MAX: none is requested */
	bool is_by_thread;	/* counts threads, not warps */
};

static struct sass_function *add(const struct inject *self, const char *name)
{
	struct sass_function *list = reallocarray(functions, count + 1, sizeof(*list)), *function;

	if (!list)
		return NULL;
	functions = list;
	function = &list[count];
	*function = (struct sass_function){
		.name = strdup(name), .values = calloc(self->control->ranges.metric_count, sizeof(*function->values)),
		.entries = calloc(self->control->ranges.metric_count, sizeof(*function->entries)),
	};
	if (function->name && function->values && function->entries) {
		last = count++;
		return function;
	}
	free(function->name);
	free(function->values);
	free(function->entries);
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

void sass_functions_add(const struct inject *self, const struct sass_value *value)
{
	struct sass_function *function = find(self, value->function);
	struct part *part;

	if (!function)
		return;
	function->has_records = true;
	function->values[value->metric] += value->value;
	if (value->is_entry)
		function->entries[value->metric] += value->value;
	part = *value->part ? find_part(self, function, value->part) : NULL;
	if (part)
		part->values[value->metric] += value->value;
}

void sass_functions_launch(const struct inject *self, const char *name, const struct sass_shape *shape, bool is_foreign)
{
	struct sass_function *function = find(self, name);

	if (!function) {
		forgotten++;
	} else if (is_foreign) {
		function->foreign++;
	} else {
		function->launches++;
		function->launched.warps += shape->warps;
		function->launched.threads += shape->threads;
		function->launched.is_unknown = function->launched.is_unknown || shape->is_unknown;
	}
}

void sass_functions_graph(void)
{
	has_graphs = true;
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

static struct proof find_proof(const struct inject *self)
{
	const char *name = self->control->ranges.metrics;

	for (uint32_t i = 0; i < self->control->ranges.metric_count; i++, name += strlen(name) + 1)
		if (!strcmp(name, BY_WARP) || !strcmp(name, BY_THREAD))
			return (struct proof){ i, !strcmp(name, BY_THREAD) };
	return (struct proof){ .metric = SIZE_MAX };
}

/* Warps or threads that the launches of a function have, as the metric counts */
static double find_launched(const struct sass_function *function, const struct proof *proof)
{
	return (double)(proof->is_by_thread ? function->launched.threads : function->launched.warps);
}

/*
 * Returns whether the counts are those of all launches. Kernels of graphs have no launch that is seen, nor have functions that
 * others call.
 */
static bool is_exact(const struct sass_function *function, const struct proof *proof)
{
	double counted;

	if (proof->metric == SIZE_MAX || !function->has_records)
		return function->has_records;
	if (function->values[proof->metric] <= 0 || !function->launches)
		return function->values[proof->metric] > 0;
	counted = function->entries[proof->metric];
	if (has_graphs || function->launched.is_unknown)
		return counted >= find_launched(function, proof);
	return counted == find_launched(function, proof);
}

static void note_wrong(struct inject *self, const struct sass_function *function, const struct proof *proof)
{
	static bool is_noted;
	const double counted = proof->metric == SIZE_MAX ? 0 : function->entries[proof->metric];
	char *name = demangle(function->name);

	output_warn_once(self, &is_noted, "SASS metrics: a function whose counts differ from its launches is left out: "
			 "%.100s has %.0f of %.0f %s", name ? name : function->name, counted, find_launched(function, proof),
			 proof->is_by_thread ? "threads" : "warps");
	free(name);
}

/* Writes a function, or counts its launches as not counted. */
static void write_function(struct inject *self, const struct sass_function *function, const struct proof *proof,
			   struct activity_ranges *numbers)
{
	const bool has_proof = proof->metric != SIZE_MAX;

	numbers->seen += function->launches + function->foreign;
	numbers->lost[ACTIVITY_RANGES_FOREIGN] += function->foreign;
	if (is_exact(function, proof) && put_function(self, function)) {
		numbers->counted += function->launches;
		return;
	}
	numbers->lost[has_proof ? ACTIVITY_RANGES_DROPPED : ACTIVITY_RANGES_EMPTY] += function->launches;
	if (has_proof && function->launches)
		note_wrong(self, function, proof);
}

void sass_functions_write(struct inject *self, uint64_t partial)
{
	const struct proof proof = find_proof(self);
	struct activity_ranges numbers = {
		.head = { sizeof(numbers), ACTIVITY_RANGES, 0 }, .seen = forgotten, .passes = 1, .is_complete = 1,
		.lost = { [ACTIVITY_RANGES_PARTIAL] = partial },
	};

	for (size_t i = 0; i < count; i++)
		write_function(self, &functions[i], &proof, &numbers);
	put(self, &numbers.head);
}

void sass_functions_write_late(struct inject *self, uint64_t launches)
{
	const struct activity_ranges numbers = {
		.head = { sizeof(numbers), ACTIVITY_RANGES, 0 }, .seen = launches, .passes = 1, .is_complete = 1,
		.lost = { [ACTIVITY_RANGES_FOREIGN] = launches },
	};

	put(self, &numbers.head);
}
