// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checks whether events of a PMU can be counted at the same time. */
#include <string.h>

#include "machine/pmu.h"
#include "plan/plan_build.h"
#include "plugin/source_object.h"

#define MAX_GROUP	64	/* more than any PMU has counters */
#define MAX_PASS	512	/* more than the pass of a GPU has metrics */

/* Counters that a group takes, by the PMU's caps/ */
struct cost {
	size_t counters;
	/* cycle events beyond the first, if only the cycle counter counts them */
	size_t cycles;
};

bool plan_is_same_pmu(const struct event_instance *a, const struct event_instance *b)
{
	return a->pmu == b->pmu && a->tool == b->tool && a->cgroup == b->cgroup &&
	       (a->pmu || a->attr.type == b->attr.type);
}

bool plan_is_software(const struct event_instance *instance)
{
	return !instance->tool && (instance->attr.type == PERF_TYPE_SOFTWARE ||
				   instance->attr.type == PERF_TYPE_TRACEPOINT);
}

/*
 * A Grace PMU counts cycles with its cycle counter only. Other PMUs can also use a general
 * counter for cycles.
 */
static bool has_only_cycle_counter(const struct gpmu_pmu *pmu)
{
	return gpmu_pmu_kind(pmu) >= GPMU_PMU_SCF;
}

static struct cost cost_of(const struct plan_member *members, size_t length)
{
	const struct gpmu_pmu *pmu = members[0].instance->pmu;
	struct cost cost = { .counters = 0 };
	bool has_cycle_counter = gpmu_pmu_cycle_counter(pmu) == 1;
	size_t cycles = 0;

	for (size_t i = 0; i < length; i++)
		cycles += members[i].instance->is_cycle_counter;
	cost.counters = length - cycles;
	cycles -= cycles && has_cycle_counter;
	if (has_cycle_counter && has_only_cycle_counter(pmu))
		cost.cycles = cycles;
	else
		cost.counters += cycles;
	return cost;
}

static bool is_known(const struct gpmu_pmu *pmu)
{
	return pmu && gpmu_pmu_counter_count(pmu) >= 0;
}

static int ask(const struct gpmu_plan *plan, const struct plan_member *members, size_t length)
{
	const size_t max = plan_counts_at_once(members[0].instance->pmu) ? MAX_PASS : MAX_GROUP;
	const struct perf_event_attr *attrs[MAX_PASS];

	if (!plan->options.fits || !members[0].instance->pmu)
		return -1;
	if (length > max)
		return 0;
	for (size_t i = 0; i < length; i++)
		attrs[i] = &members[i].instance->attr;
	return plan->options.fits(members[0].instance->pmu, attrs, length, plan->options.user);
}

int plan_fits(const struct gpmu_plan *plan, const struct plan_member *members,
	      size_t length)
{
	const struct gpmu_pmu *pmu = members[0].instance->pmu;
	struct cost cost;

	if (members[0].instance->tool || plan_is_software(members[0].instance))
		return 1;
	if (is_known(pmu)) {
		cost = cost_of(members, length);
		return !cost.cycles && cost.counters <= (size_t)gpmu_pmu_counter_count(pmu);
	}
	return length == 1 ? 1 : ask(plan, members, length);
}

bool plan_counts_at_once(const struct gpmu_pmu *pmu)
{
	return pmu && pmu->source && pmu->source->plugin.fits;
}

/* Returns whether the PMU has counters for all events that the plan counts on it. */
static bool has_room(const struct gpmu_plan *plan, const struct event_instance *candidate)
{
	struct plan_member all[MAX_PASS] = { { .instance = candidate } };
	size_t n = 0;

	for (size_t i = 0; i < plan->slot_count; i++) {
		if (!plan_is_same_pmu(plan->slots[i].instance, candidate))
			continue;
		if (n == MAX_PASS)
			return false;
		all[n++].instance = plan->slots[i].instance;
	}
	return plan_fits(plan, all, n) == 1;
}

bool plan_always_counts(const struct gpmu_plan *plan, size_t index)
{
	const struct gpmu_group *group = &plan->groups[index];
	size_t i = group->first, end = i + group->length;

	while (i < end && (plan->slots[i].instance->tool || plan_is_software(plan->slots[i].instance)))
		i++;
	if (i == end)
		return true;
	if (!group->pmu || !gpmu_pmu_has_cpumask(group->pmu))
		return false;
	for (size_t j = 0; j < index; j++)
		if (plan->groups[j].pmu == group->pmu)
			return plan->groups[j].is_always;
	return has_room(plan, plan->slots[i].instance);
}

char *plan_misfit(const struct plan_member *members, size_t length)
{
	const struct gpmu_pmu *pmu = members[0].instance->pmu;
	struct cost cost;

	if (!is_known(pmu))
		return text_print("%s cannot count its %zu events at the same time",
				  pmu ? gpmu_pmu_name(pmu) : "the kernel", length);
	cost = cost_of(members, length);
	if (cost.cycles)
		return text_print("needs the cycle counter of %s %zu times", gpmu_pmu_name(pmu),
				  cost.cycles + 1);
	return text_print("needs %zu event counters of %s, which has %d", cost.counters,
			  gpmu_pmu_name(pmu), gpmu_pmu_counter_count(pmu));
}

int plan_warn_unknown(struct gpmu_plan *plan, const struct event_instance *instance)
{
	const struct gpmu_pmu *pmu = instance->pmu;
	const char *name = pmu ? gpmu_pmu_name(pmu) : instance->name;
	size_t length = strlen(name);

	/* Warn once for all of nvidia_scf_pmu_0, nvidia_scf_pmu_1, ... */
	if (pmu && gpmu_pmu_number(pmu) >= 0)
		while (length && strchr("0123456789", name[length - 1]))
			length--;
	if (length && length < strlen(name) && name[length - 1] == '_')
		length--;
	return plan_warn(plan, "%.*s: its number of counters is unknown, so each metric has its own "
			 "groups, which are assumed to fit; a driver with caps/counters, or "
			 "permission to open events, makes the number known",
			 (int)length, name);
}
