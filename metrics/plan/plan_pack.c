// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packs needs into groups with a greedy heuristic, because the minimum number of groups is
 * a hard problem. It places the largest needs first. A need joins a group that already has
 * all its events; else the group that shares most events with it and still fits; else it
 * becomes a new group.
 *
 * Needs of metrics with more PMUs come first. The needs of nvidia_scf_pmu_0 and
 * nvidia_scf_pmu_1 are then equal and in the same order, so both sockets get the same
 * groups. A metric of one socket uses the remaining room of that socket's groups.
 *
 * Events that were requested one by one are grouped only where this changes no count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

struct packing {
	struct plan_needs *needs;
	struct gpmu_plan *plan;
	struct plan_member *scratch;	/* room for all members */
};

static int compare_needs(const void *a, const void *b)
{
	const struct plan_need *x = *(struct plan_need *const *)a;
	const struct plan_need *y = *(struct plan_need *const *)b;

	if (x->width != y->width)
		return x->width < y->width ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? 1 : -1;
	return (x > y) - (x < y);
}

static int new_bin(struct packing *p, struct plan_need *need)
{
	struct plan_needs *needs = p->needs;
	struct plan_bin bin = {
		.rank = PLAN_NONE, .is_alone = need->is_alone || p->plan->options.no_merge,
		.is_given = need->is_given, .is_apart = need->is_apart,
	};
	int ret = 0;

	for (size_t i = 0; i < need->length && !ret; i++)
		ret = vector_append_value(bin.members, bin.length, need->members[i]);
	if (!ret)
		ret = vector_append_value(needs->bins, needs->bin_count, bin);
	if (ret)
		free(bin.members);
	need->bin = needs->bin_count - 1;
	return ret;
}

static size_t overlap(const struct plan_bin *bin, const struct plan_need *need)
{
	size_t n = 0;

	for (size_t i = 0; i < need->length; i++)
		n += plan_has_member(bin->members, bin->length, need->members[i].number);
	return n;
}

/* Writes the union of the group and the need to the scratch list; returns its length. */
static size_t unite(struct packing *p, const struct plan_bin *bin, const struct plan_need *need)
{
	size_t n = bin->length;

	memcpy(p->scratch, bin->members, n * sizeof(*bin->members));
	for (size_t i = 0; i < need->length; i++)
		if (!plan_has_member(bin->members, bin->length, need->members[i].number))
			p->scratch[n++] = need->members[i];
	return n;
}

static int join(struct packing *p, struct plan_need *need, size_t index)
{
	struct plan_bin *bin = &p->needs->bins[index];
	size_t n = unite(p, bin, need);
	int ret = 0;

	need->bin = index;
	for (size_t i = bin->length; i < n && !ret; i++)
		ret = vector_append_value(bin->members, bin->length, p->scratch[i]);
	return ret;
}

static bool is_candidate(const struct plan_bin *bin, const struct plan_need *need)
{
	return !bin->is_given && !bin->is_apart && bin->is_alone == need->is_alone &&
	       plan_is_same_pmu(bin->members[0].instance, need->members[0].instance);
}

/*
 * Finds the first group that shares @shared members with the need and has room for the
 * rest; PLAN_NONE if there is none.
 */
static int find_bin(struct packing *p, const struct plan_need *need, size_t shared, size_t *index)
{
	const struct plan_bin *bin;
	int fits, ret;

	*index = PLAN_NONE;
	for (size_t i = 0; i < p->needs->bin_count && *index == PLAN_NONE; i++) {
		bin = &p->needs->bins[i];
		if (!is_candidate(bin, need) || overlap(bin, need) != shared)
			continue;
		fits = shared == need->length ? 1 :
		       plan_fits(p->plan, p->scratch, unite(p, bin, need));
		if (fits > 0)
			*index = i;
		ret = fits < 0 ? plan_warn_unknown(p->plan, need->members[0].instance) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Returns whether this event is never multiplexed: it is a software event, or its PMU can count all
 * events that the plan needs there at once.
 */
static bool always_counts(struct packing *p, const struct plan_need *need)
{
	const struct event_instance *event = need->members[0].instance;
	const struct plan_needs *needs = p->needs;
	size_t n = 0;

	if (event->tool || event->is_weak || event->attr.pinned || event->attr.exclusive)
		return false;
	if (plan_is_software(event))
		return true;
	if (!event->pmu || !gpmu_pmu_has_cpumask(event->pmu) || gpmu_pmu_counter_count(event->pmu) < 0)
		return false;
	for (size_t i = 0; i < needs->length; i++) {
		if (!plan_is_same_pmu(needs->list[i].members[0].instance, event))
			continue;
		memcpy(p->scratch + n, needs->list[i].members,
		       needs->list[i].length * sizeof(*p->scratch));
		n += needs->list[i].length;
	}
	return plan_fits(p->plan, p->scratch, n) == 1;
}

/* Places an event that was requested by itself. */
static int place_event(struct packing *p, struct plan_need *need)
{
	struct plan_needs *needs = p->needs;

	need->is_apart = !need->is_given && always_counts(p, need);
	for (size_t i = 0; need->is_apart && i < needs->bin_count; i++) {
		struct plan_bin *bin = &needs->bins[i];

		if (!bin->is_apart || !plan_is_same_pmu(bin->members[0].instance, need->members[0].instance))
			continue;
		need->bin = i;
		return vector_append_value(bin->members, bin->length, need->members[0]);
	}
	return new_bin(p, need);
}

/*
 * Places a need. A need that is alone shares a group only with an equal need: perf also
 * counts equal events once.
 */
static int place(struct packing *p, struct plan_need *need)
{
	size_t shared = need->length, index = PLAN_NONE;
	int ret = 0;

	if (need->metric == PLAN_NONE)
		return place_event(p, need);
	if (p->plan->options.no_merge)
		return new_bin(p, need);
	do {
		ret = find_bin(p, need, shared, &index);
	} while (!ret && index == PLAN_NONE && !need->is_alone && shared--);
	if (ret)
		return ret;
	return index == PLAN_NONE ? new_bin(p, need) : join(p, need, index);
}

int plan_pack(struct plan_needs *needs, struct gpmu_plan *plan)
{
	struct packing p = { .needs = needs, .plan = plan };
	struct plan_need **sorted;
	size_t all = 1;
	int ret = 0;

	for (size_t i = 0; i < needs->length; i++)
		all += needs->list[i].length;
	sorted = malloc((needs->length + 1) * sizeof(struct plan_need *));
	p.scratch = malloc(all * sizeof(*p.scratch));
	if (!sorted || !p.scratch)
		ret = -ENOMEM;
	for (size_t i = 0; i < needs->length && !ret; i++)
		sorted[i] = &needs->list[i];
	if (!ret && needs->length)
		qsort(sorted, needs->length, sizeof(struct plan_need *), compare_needs);
	for (size_t i = 0; i < needs->length && !ret; i++)
		ret = place(&p, sorted[i]);
	free(sorted);
	free(p.scratch);
	return ret;
}
