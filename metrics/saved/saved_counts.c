// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Converts a table to counts. perf prints scaled values, so the raw count, which is the value
 * times the share, is only known to about one percent; values are those that perf printed.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gpmu_double.h"
#include "expr/gpmu_expr.h"
#include "machine/pmu.h"
#include "saved/saved.h"

/* --- times --- */

/* Returns whether it is "duration_time" or "tool/duration_time/". */
static bool is_duration(const struct gpmu_saved *saved, const struct saved_record *record)
{
	const struct saved_name *name;

	if (record->event == SAVED_NONE)
		return false;
	name = &saved->texts.list[record->event];
	return (!name->pmu || !strcmp(name->pmu, "tool")) && !strcmp(name->terms, "duration_time");
}

static bool is_outside_cores(const struct gpmu_saved *saved, const struct saved_record *record)
{
	int number;

	if (record->event == SAVED_NONE || !saved->texts.list[record->event].pmu)
		return false;
	return pmu_name_parse(saved->texts.list[record->event].pmu, &number) != GPMU_PMU_OTHER;
}

static uint64_t to_u64(double value)
{
	if (!(value > 0))
		return 0;
	return value < 18446744073709551616.0 ? (uint64_t)(value + 0.5) : UINT64_MAX;
}

/*
 * Time of a record's counter if it counts all of the time, as that of an uncore PMU or of a record
 * with a CPU label does; otherwise 0
 */
static uint64_t whole_time(const struct gpmu_saved *saved, const struct saved_record *record)
{
	unsigned int counters = record->count.counters;

	/* The JSON of perf stat --append repeats the events for the next run. */
	if (record->occurrence || record->count.share < 100)
		return 0;
	if (!counters)
		counters = record->count.label == SAVED_CPU || is_outside_cores(saved, record);
	return counters ? record->count.running / counters : 0;
}

void saved_add_times(struct gpmu_saved *saved, const struct saved_record *record)
{
	struct saved_table *table = saved->filling;
	struct saved_record *first = &table->list[record->target];
	uint64_t time = whole_time(saved, record);

	if (time > table->longest)
		table->longest = time;
	if (record->count.share >= 100 && record->count.running > first->whole)
		first->whole = record->count.running;
	if (!table->has_duration && is_duration(saved, record)) {
		table->duration = to_u64(record->count.value);
		table->has_duration = true;
	}
}

bool saved_begins_run(const struct gpmu_saved *saved)
{
	double end = (double)saved->complete->end, begin = (double)saved->complete->begin;
	double ran = (double)saved->complete->longest;

	/* Nearer to the time since 0 than to the interval, which reads of many counters delay */
	return ran >= 0.95 * end && ran > end - begin / 2;
}

uint64_t saved_wall(const struct gpmu_saved *saved)
{
	const struct saved_table *table = saved->complete;
	uint64_t ns = table->duration ? table->duration : table->longest;

	return table->is_timed || !ns ? table->end - table->begin : ns;
}

/*
 * Returns the enabled time. perf truncates the share, so the true share is up to one percentage point higher. The wall time,
 * or the time of another event that ran all the time, is exact if it is within this range.
 */
static double guess_enabled(const struct gpmu_saved *saved, const struct saved_record *record, double counters)
{
	const double low = (double)record->count.running * 100 / (record->count.share + 1);
	const double high = (double)record->count.running * 100 / record->count.share;
	const double times[] = {
		counters * (double)saved_wall(saved), (double)saved->complete->list[record->target].whole,
	};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (times[i] >= low * 0.999 && times[i] <= high * 1.001)
			return times[i];
	return high;
}

unsigned int saved_times(const struct gpmu_saved *saved, const struct saved_record *record, bool is_single,
			 uint64_t *enabled, uint64_t *running)
{
	const uint64_t wall = saved_wall(saved);
	double counters = record->count.counters ? record->count.counters : 1, sum;

	if (!record->count.running) {
		/* A counter that was enabled but never ran has a share of 0. */
		*enabled = record->count.share > 0 ? 0 : wall ? wall : 1;
		*running = 0;
		return 1;
	}
	sum = record->count.share >= 100 || !(record->count.share > 0) ? (double)record->count.running :
	      (double)record->count.running * 100 / (record->count.share + 0.5);
	if (is_single)
		counters = 1;
	else if (!record->count.counters && wall)
		counters = gpmu_double_max(1, (double)to_u64(sum / (double)wall));
	if (record->count.share < 100 && record->count.share > 0)
		sum = guess_enabled(saved, record, counters);
	else if (!(record->count.share > 0))
		/* A share of 0 means less than 1 %. */
		sum = gpmu_double_max((double)record->count.running * 100, counters * (double)wall);
	*running = to_u64((double)record->count.running / counters);
	*enabled = to_u64(sum / counters);
	if (*enabled < *running)
		*enabled = *running;
	return (unsigned int)gpmu_double_min(counters, UINT_MAX);
}

/* --- targets --- */

static int node_of_cpu(const struct gpmu_machine *machine, int cpu)
{
	const struct gpmu_node *node;
	const int *cpus;

	for (size_t i = 0; machine && (node = gpmu_machine_node(machine, i)); i++) {
		size_t n = gpmu_node_cpus(node, &cpus);

		for (size_t k = 0; k < n; k++)
			if (cpus[k] == cpu)
				return gpmu_node_number(node);
	}
	return -1;
}

static int node_of_package(const struct gpmu_machine *machine, int package)
{
	const struct gpmu_node *node;

	for (size_t i = 0; machine && (node = gpmu_machine_node(machine, i)); i++)
		if (gpmu_node_package(node) == package)
			return gpmu_node_number(node);
	return package;
}

int saved_node(const struct gpmu_machine *machine, const struct saved_record *record)
{
	switch (record->count.label) {
	case SAVED_NODE:
		return record->count.number;
	case SAVED_PACKAGE:
		return node_of_package(machine, record->count.number);
	case SAVED_CPU:
		return node_of_cpu(machine, record->count.number);
	default:
		return -1;
	}
}

static bool is_of_tasks(const struct gpmu_saved *saved, const struct saved_record *record,
			const struct gpmu_pmu *pmu)
{
	if (saved_is_uncore(pmu))
		return false;
	return record->count.label == SAVED_THREAD ||
	       (record->count.label == SAVED_ALL && !saved->options.system);
}

static struct target target_of(const struct gpmu_saved *saved, const struct saved_record *record,
			     const struct gpmu_pmu *pmu)
{
	struct target target = { .cpu = -1, .node = -1, .tid = -1 };

	if (record->count.label == SAVED_CPU)
		target.cpu = record->count.number;
	if (saved_is_uncore(pmu) && gpmu_pmu_node(pmu))
		target.node = gpmu_node_number(gpmu_pmu_node(pmu));
	else if (saved_is_uncore(pmu) && gpmu_pmu_kind(pmu) != GPMU_PMU_OTHER)
		target.node = gpmu_pmu_number(pmu);
	else
		target.node = saved_node(saved->plan->machine, record);
	if (is_of_tasks(saved, record, pmu))
		target.tid = record->count.label == SAVED_THREAD ? record->count.number : 0;
	return target;
}

/* --- counts --- */

static const char *unit_of(const struct gpmu_saved *saved, const struct saved_record *record)
{
	return record->unit == SAVED_NONE ? "" : saved->texts.list[record->unit].text;
}

/* perf prints the event's unit, or the count. */
static double value_in_unit(const struct gpmu_saved *saved, const struct plan_slot *slot,
			    const struct saved_record *record)
{
	return !strcmp(unit_of(saved, record), slot->unit ? slot->unit : "") ?
	       record->count.value : record->count.value * slot->scale;
}

/* perf adds up the PMUs of a kind if the event does not name a number. */
static bool is_one_counter(const struct gpmu_saved *saved, const struct saved_record *record,
			   const struct gpmu_pmu *pmu)
{
	int number;

	if (record->count.label == SAVED_CPU || is_of_tasks(saved, record, pmu))
		return true;
	return saved_is_uncore(pmu) && pmu_name_parse(gpmu_pmu_name(pmu), &number) != GPMU_PMU_OTHER;
}

static struct count count_of(const struct gpmu_saved *saved, size_t index,
			     const struct saved_record *record, struct printed_count *printed)
{
	const struct plan_slot *slot = &saved->plan->slots[index];
	const struct gpmu_pmu *pmu = slot->instance->pmu;
	struct count count = { .state = record->count.state };
	unsigned int counters;
	double raw;

	counters = saved_times(saved, record, is_one_counter(saved, record, pmu), &count.enabled,
			       &count.running);
	if (count.state == COUNT_NOT_SUPPORTED) {
		count.enabled = count.running = 0;
		return count;
	}
	if (count.state != COUNT_OK) {
		count.running = 0;
		return count;
	}
	printed->value = value_in_unit(saved, slot, record);
	printed->deviation = printed->value * record->count.deviation / 100;
	printed->sources = saved_is_uncore(pmu) && !is_one_counter(saved, record, pmu) ? counters : 0;
	raw = slot->scale > 0 ? printed->value / slot->scale : printed->value;
	if (count.running < count.enabled)
		raw *= (double)count.running / (double)count.enabled;
	count.raw = to_u64(raw);
	return count;
}

/* Finds the slot's records in the table, last one first; returns their number. */
static size_t find_records(const struct gpmu_saved *saved, const struct saved_slot *slot,
			   struct saved_record **records)
{
	const struct saved_table *table = saved->complete;
	size_t n = 0;

	for (size_t index = saved_slot_last(saved, slot); index != SAVED_NONE; index = table->list[index].before) {
		struct saved_record *record = &table->list[index];

		/*
		 * If the event was printed less often than planned, the same record serves
		 * all of its slots.
		 */
		if (record->occurrence == slot->occurrence ||
		    (record->occurrence < slot->occurrence && !record->is_repeated))
			records[n++] = record;
	}
	return n;
}

/*
 * Removes records without counts: some versions of perf print an uncore event for all
 * sockets or CPUs, with counts only for its own. Keeps one record if none has a count.
 */
static size_t keep_counted(struct saved_record **records, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		records[i]->is_used = true;
		if (records[i]->count.state == COUNT_OK)
			kept++;
	}
	if (!kept)
		return n ? 1 : 0;
	kept = 0;
	for (size_t i = 0; i < n; i++)
		if (records[i]->count.state == COUNT_OK)
			records[kept++] = records[i];
	return kept;
}

/* Returns the reason why the slot cannot be counted by its records, or NULL. */
static const char *why_lost(const struct gpmu_saved *saved, size_t index,
			    struct saved_record *const *records, size_t n)
{
	const char *unit = saved->plan->slots[index].unit;

	if (saved->slots[index].length > 1)
		return "several events of perf's output match it";
	if (!n)
		return "it is not in perf's output";
	for (size_t i = 0; i < n; i++) {
		const char *printed = unit_of(saved, records[i]);

		if (unit && *printed && strcmp(printed, unit) != 0)
			return "perf's output has it in another unit";
		/* Their sum would count a part of the machine twice. */
		if (records[i]->count.label != records[0]->count.label)
			return "perf's output has it for overlapping parts of the machine";
	}
	return NULL;
}

/* perf's placeholder gives no further reason. */
const char *saved_why(enum count_state state)
{
	return state == COUNT_NOT_SUPPORTED ? "perf reports it as not supported" :
					      "perf reports it as not counted";
}

static int set_slot(struct gpmu_saved *saved, size_t index, struct saved_record **records,
		    struct target *targets)
{
	const struct event_instance *instance = saved->plan->slots[index].instance;
	size_t n = find_records(saved, &saved->slots[index], records);
	struct counts_slot *slot = &saved->counts->slots[index];
	const char *why;
	int ret;

	if (saved_is_uncore(instance->pmu))
		n = keep_counted(records, n);
	why = why_lost(saved, index, records, n);
	if (why)
		return counts_set_lost(saved->counts, index, COUNT_NOT_COUNTED, why);
	for (size_t i = 0; i < n; i++) {
		records[i]->is_used = true;
		targets[i] = target_of(saved, records[n - 1 - i], instance->pmu);
	}
	ret = counts_set_targets(saved->counts, index, targets, n);
	for (size_t i = 0; i < n && !ret; i++)
		if (records[i]->count.state != COUNT_OK)
			ret = counts_set_lost(saved->counts, index, records[i]->count.state,
					      saved_why(records[i]->count.state));
	if (!ret)
		ret = counts_set_printed(saved->counts, index);
	for (size_t i = 0; i < n && !ret; i++) {
		slot->counts[i] = count_of(saved, index, records[n - 1 - i], &slot->printed[i]);
		slot->state = slot->counts[i].state;
	}
	return ret;
}

static void set_tool(struct gpmu_saved *saved, size_t index)
{
	enum event_tool tool = saved->plan->slots[index].instance->tool;
	const struct saved_table *table = saved->complete;
	const size_t last = saved_slot_last(saved, &saved->slots[index]);

	if (last == SAVED_NONE)
		return;
	for (size_t record_index = last; record_index != SAVED_NONE; record_index = table->list[record_index].before)
		table->list[record_index].is_used = true;
	if (tool == EVENT_TOOL_USER_TIME)
		saved->counts->user_time = to_u64(table->list[last].count.value);
	else if (tool == EVENT_TOOL_SYSTEM_TIME)
		saved->counts->system_time = to_u64(table->list[last].count.value);
}

static bool has_duration(const struct gpmu_plan *plan)
{
	for (size_t i = 0; i < plan->metric_count; i++) {
		const struct plan_metric *metric = &plan->metrics[i];
		size_t n = metric->expr ? gpmu_expr_id_count(metric->expr) : 0;

		for (size_t k = 0; k < n; k++)
			if (metric->inputs[k].kind == PLAN_DURATION)
				return true;
	}
	return false;
}

/* The plan's text begins with duration_time if a metric needs it; it has no slot. */
static void use_duration(struct gpmu_saved *saved)
{
	struct saved_table *table = saved->complete;

	for (size_t i = 0; i < table->length; i++) {
		struct saved_record *record = &table->list[i];

		if (!record->occurrence && is_duration(saved, record))
			record->is_used = true;
	}
}

int saved_counts_fill(struct gpmu_saved *saved)
{
	const struct saved_table *table = saved->complete;
	struct saved_record **records = calloc(table->length + 1, sizeof(struct saved_record *));
	struct target *targets = calloc(table->length + 1, sizeof(*targets));
	int ret = records && targets ? 0 : -ENOMEM;

	saved->counts->begin = table->begin;
	saved->counts->end = table->begin + saved_wall(saved);
	saved->counts->user_time = saved->counts->system_time = 0;
	for (size_t i = 0; i < table->length; i++)
		table->list[i].is_used = false;
	if (has_duration(saved->plan))
		use_duration(saved);
	for (size_t i = 0; i < saved->plan->slot_count && !ret; i++) {
		if (saved->plan->slots[i].instance->tool == EVENT_TOOL_NONE)
			ret = set_slot(saved, i, records, targets);
		else
			set_tool(saved, i);
	}
	free(records);
	free(targets);
	return ret;
}
