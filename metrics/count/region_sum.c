// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/region_sum.h"
#include "count/session.h"

size_t region_find(const struct gpmu_session *session, const char *name)
{
	for (size_t i = 0; i < session->regions.count; i++)
		if (!strcmp(session_region_at(session, i)->name, name))
			return i;
	return SIZE_MAX;
}

static int reserve(struct region_sum *sum, size_t length)
{
	if (sum->counts)
		return 0;
	sum->counts = calloc(length ? length : 1, sizeof(*sum->counts));
	if (!sum->counts)
		return -ENOMEM;
	sum->length = length;
	return 0;
}

int region_sum_reserve(struct region_sum *sum, const struct gpmu_session *session)
{
	return reserve(sum, session->target_count);
}

static int add_counts(struct region_sum *sum, const struct count *counts, size_t length)
{
	if (reserve(sum, length))
		return -ENOMEM;
	for (size_t i = 0; i < sum->length; i++) {
		/* This session could open fewer events than the others. */
		static const struct count lost = { .state = COUNT_NOT_COUNTED };

		count_add(&sum->counts[i], length == sum->length ? &counts[i] : &lost);
	}
	return 0;
}

struct region_sum region_sum_of(const struct gpmu_session *session, size_t index)
{
	const struct session_region *region = session_region_at(session, index);

	return (struct region_sum){
		.visits = region->visits, .time = region->time,
		.user = region->user, .system = region->system, .times_why = region->times_why,
		.counts = region->sum, .length = session->target_count,
	};
}

int region_sum_add(struct region_sum *sum, const struct gpmu_session *session, size_t index)
{
	const struct region_sum region = region_sum_of(session, index);

	return region_sum_merge(sum, &region);
}

int region_sum_merge(struct region_sum *sum, const struct region_sum *other)
{
	int ret = other->counts ? add_counts(sum, other->counts, other->length) : 0;

	if (ret)
		return ret;
	sum->visits += other->visits;
	sum->time += other->time;
	sum->user += other->user;
	sum->system += other->system;
	return 0;
}

/* Sets the reason of all rows if no visit has ended. Returns 0 or -ENOMEM. */
static int set_unvisited(struct gpmu_counts *counts)
{
	static const char why[] = "no visit of the region has ended";
	int ret = 0;

	for (size_t i = 0; i < counts->slot_count && !ret; i++)
		if (!counts->slots[i].why)
			ret = counts_set_lost(counts, i, COUNT_NOT_COUNTED, why);
	counts->times_why = why;
	return ret;
}

int region_sum_rows(const struct region_sum *sum, struct gpmu_session *session,
		    const struct gpmu_rows **rows)
{
	static const struct count lost = { .state = COUNT_NOT_COUNTED };
	struct gpmu_counts *counts = session->difference;
	const bool is_same = sum->length == session->target_count;
	const struct count *from = sum->counts;
	/* Copies the targets, and the reasons of what is not counted. */
	int ret = counts_assign(counts, session->now);

	if (ret)
		return ret;
	for (size_t i = 0; i < counts->slot_count; i++)
		for (size_t k = 0; k < counts->slots[i].length; k++)
			counts->slots[i].counts[k] = is_same && from ? *from++ : lost;
	counts->begin = 0;
	counts->end = sum->time;
	counts->user_time = sum->user;
	counts->system_time = sum->system;
	counts->times_why = sum->times_why;
	ret = sum->visits ? 0 : set_unvisited(counts);
	return ret ? ret : row_maker_rows(session->maker, counts, 0, rows);
}

void region_sum_release(struct region_sum *sum)
{
	free(sum->counts);
	*sum = (struct region_sum){ 0 };
}
