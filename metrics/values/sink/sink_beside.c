// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The number that perf stat prints beside a count: a ratio of two events of the same CPUs or
 * tasks, or the event's rate in their CPU time. Its rules are those of perf 6.12.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/vector.h"
#include "values/sink/sink.h"

/* Kinds after BESIDE_CLOCK need a second row as divisor. */
enum beside_kind { BESIDE_NONE, BESIDE_CLOCK, BESIDE_RATIO, BESIDE_FREQUENCY, BESIDE_RATE };

static const struct ratio {
	const char *name, *divisor, *unit;
	bool is_percent;
} ratios[] = {
	{ .name = "instructions", .divisor = "cycles", .unit = "insn per cycle" },
	{ .name = "branch-misses", .divisor = "branches", .unit = "of all branches", .is_percent = true },
	{ .name = "stalled-cycles-frontend", .divisor = "cycles", .unit = "frontend cycles idle", .is_percent = true },
	{ .name = "stalled-cycles-backend", .divisor = "cycles", .unit = "backend cycles idle", .is_percent = true },
	{ .name = "cache-misses", .divisor = "cache-references", .unit = "of all cache refs", .is_percent = true },
	{ .name = "L1-dcache-load-misses",
	  .divisor = "L1-dcache-loads",
	  .unit = "of all L1-dcache accesses",
	  .is_percent = true },
	{ .name = "L1-icache-load-misses",
	  .divisor = "L1-icache-loads",
	  .unit = "of all L1-icache accesses",
	  .is_percent = true },
	{ .name = "LLC-load-misses", .divisor = "LLC-loads", .unit = "of all LL-cache accesses", .is_percent = true },
	{ .name = "dTLB-load-misses",
	  .divisor = "dTLB-loads",
	  .unit = "of all dTLB cache accesses",
	  .is_percent = true },
	{ .name = "iTLB-load-misses",
	  .divisor = "iTLB-loads",
	  .unit = "of all iTLB cache accesses",
	  .is_percent = true },
};

/* An event's name without PMU and modifiers, and its modifiers */
struct parts {
	const char *name, *modifiers;
	size_t length;
};

/* Splits names such as "cycles:u" and "armv8_pmuv3_0/cycles/u". */
static struct parts split(const char *name)
{
	const char *begin = strchr(name, '/'), *end = begin ? strchr(begin + 1, '/') : NULL;

	if (end)
		return (struct parts){ begin + 1, end + 1, (size_t)(end - begin) - 1 };
	end = name + strcspn(name, ":");
	return (struct parts){ name, *end ? end + 1 : end, (size_t)(end - name) };
}

static bool is(const struct parts *parts, const char *name)
{
	static const char *const aliases[][2] = {
		{ "cpu-cycles", "cycles" }, { "branch-instructions", "branches" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(name, aliases[i][1]) && is(parts, aliases[i][0]))
			return true;
	return !strncmp(parts->name, name, parts->length) && !name[parts->length];
}

static bool is_clock(const struct parts *parts)
{
	return is(parts, "task-clock") || is(parts, "cpu-clock");
}

/* Counts of PMUs outside the cores do not belong to the CPU time. */
static bool is_of_cpus(const struct gpmu_row *row)
{
	return !row->mean && !row->unit &&
	       (!row->pmu || strncmp(row->pmu, "nvidia_", strlen("nvidia_")) != 0);
}

static const struct ratio *ratio_of(const struct parts *parts)
{
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
		if (is(parts, ratios[i].name))
			return &ratios[i];
	return NULL;
}

static enum beside_kind kind_of(const struct gpmu_row *row)
{
	const struct parts parts = split(row->name);

	if (is_clock(&parts))
		return BESIDE_CLOCK;
	if (!is_of_cpus(row))
		return BESIDE_NONE;
	if (is(&parts, "cycles"))
		return BESIDE_FREQUENCY;
	return ratio_of(&parts) ? BESIDE_RATIO : BESIDE_RATE;
}

static bool is_same_target(const struct gpmu_row *a, const struct gpmu_row *b)
{
	return text_is_same(a->cgroup, b->cgroup) && a->scope == b->scope && a->node == b->node && a->cpu == b->cpu &&
	       a->pid == b->pid && a->package == b->package && a->die == b->die &&
	       a->core == b->core && a->tid == b->tid;
}

static bool is_partner(enum beside_kind kind, const struct gpmu_row *row,
		       const struct gpmu_row *other)
{
	struct parts parts, others;

	if (other->metric || !is_same_target(row, other))
		return false;
	others = split(other->name);
	if (kind != BESIDE_RATIO)
		return is_clock(&others);
	parts = split(row->name);
	return is(&others, ratio_of(&parts)->divisor) && !strcmp(parts.modifiers, others.modifiers);
}

/* The rows of one interval have the same names and places as those of the next. */
static struct sink_partner *find_partner(struct gpmu_sink *sink, const struct gpmu_rows *rows,
					 size_t index)
{
	const struct gpmu_row *row = &rows->list[index];
	struct sink_partner *partner;

	if (sink->partner_count > rows->length)
		sink->partner_count = 0;
	while (sink->partner_count < rows->length)
		if (!vector_append(sink->partners, sink->partner_count)) {
			sink->buffer.has_failed = true;
			return NULL;
		}
	partner = &sink->partners[index];
	if (partner->name == row->name && (!partner->other_name ||
	    partner->other_name == rows->list[partner->other].name))
		return partner;
	*partner = (struct sink_partner){ .name = row->name, .kind = kind_of(row) };
	for (size_t i = 0; i < rows->length && partner->kind > BESIDE_CLOCK; i++)
		if (is_partner(partner->kind, row, &rows->list[i])) {
			partner->other = i;
			partner->other_name = rows->list[i].name;
			break;
		}
	if (partner->kind == BESIDE_RATIO && !partner->other_name)
		partner->kind = BESIDE_NONE;
	return partner;
}

static void set(struct sink_beside *beside, double value, unsigned int decimals, const char *unit)
{
	if (!isfinite(value))
		return;
	beside->value = value;
	beside->decimals = decimals;
	snprintf(beside->unit, sizeof(beside->unit), "%s", unit);
}

/* @rate: per second */
static void set_rate(struct sink_beside *beside, double rate)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t i = 0;

	for (; rate >= 1000 && i + 1 < ARRAY_SIZE(units); i++)
		rate /= 1000;
	set(beside, rate, 3, units[i]);
}

/* perf prints unit and name of a metric as one text, separated by two blanks. */
static void set_metric(struct sink_beside *beside, const struct gpmu_row *row)
{
	if (row->state == GPMU_STATE_OK)
		beside->value = row->value;
	beside->decimals = 6;
	snprintf(beside->unit, sizeof(beside->unit), "%s%s%s", row->unit ? row->unit : "",
		 row->unit ? "  " : "", row->name);
}

void sink_beside(struct gpmu_sink *sink, const struct gpmu_rows *rows, size_t index,
		 struct sink_beside *beside)
{
	const struct gpmu_row *row = &rows->list[index], *other;
	const double wall = (double)(row->time_end - row->time_begin);
	const struct sink_partner *partner;
	const struct ratio *ratio;
	struct parts parts;

	beside->value = NAN;
	beside->is_percent = false;
	beside->unit[0] = '\0';
	if (row->metric) {
		set_metric(beside, row);
		return;
	}
	/* Rows of perf's output have the number that perf printed. */
	if (row->source)
		return;
	partner = find_partner(sink, rows, index);
	if (!partner || partner->kind == BESIDE_NONE || row->state != GPMU_STATE_OK)
		return;
	if (partner->kind == BESIDE_CLOCK) {
		set(beside, row->value * 1e6 / wall, 3, "CPUs utilized");
		return;
	}
	other = partner->other_name ? &rows->list[partner->other] : NULL;
	if (!other || other->state != GPMU_STATE_OK)
		return;
	switch (partner->kind) {
	case BESIDE_RATIO:
		parts = split(row->name);
		ratio = ratio_of(&parts);
		beside->is_percent = ratio->is_percent;
		set(beside, (ratio->is_percent ? 100 : 1) * row->value / other->value, 2, ratio->unit);
		break;
	case BESIDE_FREQUENCY:
		set(beside, row->value / other->value / 1e6, 3, "GHz");
		break;
	default:
		set_rate(beside, row->value / other->value * 1e3);
	}
}
