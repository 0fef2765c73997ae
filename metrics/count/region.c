// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions. Begin and end cost little more than the system calls that read the counters, as
 * memory is allocated only when a name is begun for the first time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "count/region_sum.h"
#include "count/session.h"

static struct session_region **hint_of(struct session_regions *regions, const char *name)
{
	uintptr_t address = (uintptr_t)name;

	return &regions->hints[(address ^ (address >> 6)) % REGION_HINTS];
}

/*
 * Returns the region with this name, or NULL. Regions are found by hash; @key is the one that the region has, or is
 * to have.
 */
static struct session_region *find(const struct session_regions *regions, const char *name, uint64_t *key)
{
	const union map_cell *cell;

	/* If another name has this hash, try the next one. */
	for (*key = text_hash(name, strlen(name)); (cell = map_find(&regions->by_name, *key)); ++*key) {
		struct session_region *region = cell->pointer;

		if (!strcmp(region->name, name))
			return region;
	}
	return NULL;
}

static void region_free(struct session_region *region)
{
	free(region->name);
	free(region->begin);
	free(region->sum);
	free(region);
}

/* Returns NULL if out of memory. */
static struct session_region *region_new(const char *name, size_t target_count)
{
	struct session_region *region = calloc(1, sizeof(*region));

	if (!region)
		return NULL;
	region->name = strdup(name);
	region->begin = calloc(target_count, sizeof(*region->begin));
	region->sum = calloc(target_count, sizeof(*region->sum));
	if (region->name && region->begin && region->sum)
		return region;
	region_free(region);
	return NULL;
}

/* Returns NULL if out of memory. */
static struct session_region *add(struct gpmu_session *session, const char *name, uint64_t key)
{
	struct session_regions *regions = &session->regions;
	struct session_region *region = region_new(name, session->target_count ? session->target_count : 1);
	bool is_new;
	union map_cell *cell;

	if (!region)
		return NULL;
	if (!vector_append_value(regions->list, regions->count, region)) {
		cell = map_add(&regions->by_name, key, &is_new);
		if (cell) {
			cell->pointer = region;
			return region;
		}
		regions->count--;
	}
	region_free(region);
	return NULL;
}

/* Returns the region with this name, created if necessary; NULL: no memory */
static struct session_region *get(struct gpmu_session *session, const char *name)
{
	struct session_region **hint = hint_of(&session->regions, name);
	uint64_t key;

	if (*hint && !strcmp((*hint)->name, name))
		return *hint;
	*hint = find(&session->regions, name, &key);
	if (!*hint)
		*hint = add(session, name, key);
	return *hint;
}

static void begin(const struct gpmu_counts *now, struct session_region *region)
{
	struct count *to = region->begin;

	for (size_t i = 0; i < now->slot_count; i++) {
		const struct counts_slot *slot = &now->slots[i];

		for (size_t k = 0; k < slot->length; k++)
			*to++ = slot->counts[k];
	}
	region->begin_time = now->end - now->paused;
	region->begin_user = now->user_time;
	region->begin_system = now->system_time;
}

static void end(const struct gpmu_counts *now, struct session_region *region)
{
	const struct count *from = region->begin;
	struct count *sum = region->sum;

	for (size_t i = 0; i < now->slot_count; i++) {
		const struct counts_slot *slot = &now->slots[i];

		for (size_t k = 0; k < slot->length; k++)
			count_add_difference(sum++, &slot->counts[k], from++);
	}
	/* The program sets the times of the command, which may decrease. */
	region->time += counts_since(now->end - now->paused, region->begin_time);
	region->user += counts_since(now->user_time, region->begin_user);
	region->system += counts_since(now->system_time, region->begin_system);
	if (now->times_why)
		region->times_why = now->times_why;
	region->visits++;
}

int gpmu_region_begin(struct gpmu_session *session, const char *name)
{
	struct session_regions *regions = &session->regions;
	struct session_region *region;

	if (!session->is_enabled)
		return -EINVAL;
	region = get(session, name);
	if (!region || (regions->depth == regions->room && !vector_append(regions->stack, regions->room)))
		return -ENOMEM;
	if (!region->depth) {
		int ret;

		region_capture(name, true);
		ret = session_read(session);
		if (ret) {
			region_capture(name, false);
			return ret;
		}
		begin(session->now, region);
	}
	regions->stack[regions->depth++] = region;
	region->depth++;
	return 0;
}

/* Takes a region off the stack, also one that is not the innermost. */
static void take_off(struct session_regions *regions, size_t index)
{
	struct session_region **stack = regions->stack;

	regions->depth--;
	if (index == regions->depth)
		return;
	memmove(&stack[index], &stack[index + 1], (regions->depth - index) * sizeof(struct session_region *));
}

static inline int end_at(struct gpmu_session *session, size_t index)
{
	struct session_region *region = session->regions.stack[index];
	int ret = 0;

	if (region->depth == 1) {
		ret = session_read(session);
		if (!ret)
			end(session->now, region);
		region_capture(region->name, false);
	}
	region->depth--;
	take_off(&session->regions, index);
	return ret;
}

int gpmu_region_end(struct gpmu_session *session, const char *name)
{
	const char *innermost = session_innermost(session);

	if (!innermost || strcmp(innermost, name) != 0)
		return -EINVAL;
	return end_at(session, session->regions.depth - 1);
}

int session_region_end_any(struct gpmu_session *session, const char *name)
{
	for (size_t i = session->regions.depth; i > 0; i--)
		if (!strcmp(session->regions.stack[i - 1]->name, name))
			return end_at(session, i - 1);
	return -EINVAL;
}

const char *session_innermost(const struct gpmu_session *session)
{
	const struct session_regions *regions = &session->regions;

	return regions->depth ? regions->stack[regions->depth - 1]->name : NULL;
}

size_t gpmu_session_region_count(const struct gpmu_session *session)
{
	return session->regions.count;
}

const char *gpmu_region_name(const struct gpmu_session *session, size_t index)
{
	return index < session->regions.count ? session_region_at(session, index)->name : NULL;
}

uint64_t gpmu_region_visit_count(const struct gpmu_session *session, size_t index)
{
	return index < session->regions.count ? session_region_at(session, index)->visits : 0;
}

int gpmu_region_rows(struct gpmu_session *session, size_t index,
		     const struct gpmu_rows **rows)
{
	struct region_sum sum;

	if (index >= session->regions.count)
		return -EINVAL;
	sum = region_sum_of(session, index);
	return region_sum_rows(&sum, session, rows);
}

void session_regions_release(struct session_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		region_free(regions->list[i]);
	free(regions->list);
	map_release(&regions->by_name);
	free(regions->stack);
}
