// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions. Begin and end cost little more than the system calls that read the counters, as
 * memory is allocated only when a name is begun for the first time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "count/region_sum.h"
#include "count/session.h"

#define FIRST_SLOTS	32

/* FNV-1a */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

static struct session_region **hint_of(struct session_regions *regions, const char *name)
{
	uintptr_t address = (uintptr_t)name;

	return &regions->hints[(address ^ (address >> 6)) % REGION_HINTS];
}

/* Returns NULL if no region has this name yet. */
static struct session_region *find(struct session_regions *regions, const char *name,
				   uint32_t hash)
{
	for (size_t i = hash; regions->slots; i++) {
		size_t index = regions->table[i & (regions->slots - 1)];

		if (!index)
			break;
		if (regions->list[index - 1]->hash == hash &&
		    !strcmp(regions->list[index - 1]->name, name))
			return regions->list[index - 1];
	}
	return NULL;
}

static void put_in_table(size_t *table, size_t slots, uint32_t hash, size_t index)
{
	size_t i = hash;

	while (table[i & (slots - 1)])
		i++;
	table[i & (slots - 1)] = index + 1;
}

/* Makes room for one more region in the table, of which at least half stays empty. */
static int grow_table(struct session_regions *regions)
{
	size_t slots = regions->slots ? regions->slots * 2 : FIRST_SLOTS;
	size_t *table;

	if (regions->length * 2 < regions->slots)
		return 0;
	table = calloc(slots, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < regions->length; i++)
		put_in_table(table, slots, regions->list[i]->hash, i);
	free(regions->table);
	regions->table = table;
	regions->slots = slots;
	return 0;
}

static void region_free(struct session_region *region)
{
	free(region->name);
	free(region->begin);
	free(region->sum);
	free(region);
}

static struct session_region *add(struct gpmu_session *session, const char *name, uint32_t hash)
{
	struct session_regions *regions = &session->regions;
	size_t n = session->target_count ? session->target_count : 1;
	struct session_region *region, **list;

	list = vector_room(regions->list, regions->length, sizeof(struct session_region *));
	if (!list)
		return NULL;
	regions->list = list;
	if (grow_table(regions))
		return NULL;
	region = calloc(1, sizeof(*region));
	if (!region)
		return NULL;
	region->hash = hash;
	region->name = strdup(name);
	region->begin = calloc(n, sizeof(*region->begin));
	region->sum = calloc(n, sizeof(*region->sum));
	if (!region->name || !region->begin || !region->sum) {
		region_free(region);
		return NULL;
	}
	put_in_table(regions->table, regions->slots, hash, regions->length);
	regions->list[regions->length++] = region;
	return region;
}

/* Returns the region with this name, created if necessary; NULL: no memory */
static struct session_region *get(struct gpmu_session *session, const char *name)
{
	struct session_region **hint = hint_of(&session->regions, name);
	uint32_t hash;

	if (*hint && !strcmp((*hint)->name, name))
		return *hint;
	hash = hash_of(name);
	*hint = find(&session->regions, name, hash);
	if (!*hint)
		*hint = add(session, name, hash);
	return *hint;
}

/* Returns the regions that have begun and not ended, the innermost last. */
static struct session_region **stack_of(const struct session_regions *regions)
{
	return regions->stack.data;
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

/* The program sets the times of the command, which may decrease. */
static uint64_t since(uint64_t later, uint64_t earlier)
{
	return later > earlier ? later - earlier : 0;
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
	region->time += since(now->end - now->paused, region->begin_time);
	region->user += since(now->user_time, region->begin_user);
	region->system += since(now->system_time, region->begin_system);
	if (now->times_why)
		region->times_why = now->times_why;
	region->visits++;
}

int gpmu_region_begin(struct gpmu_session *session, const char *name)
{
	struct session_regions *regions = &session->regions;
	struct session_region *region, **top;

	if (!session->enabled)
		return -EINVAL;
	region = get(session, name);
	top = region ? vector_add(&regions->stack, sizeof(struct session_region *)) : NULL;
	if (!top)
		return -ENOMEM;
	*top = region;
	if (!region->depth) {
		int ret;

		region_capture(name, true);
		ret = session_read(session);
		if (ret) {
			region_capture(name, false);
			regions->stack.n--;
			return ret;
		}
		begin(session->now, region);
	}
	region->depth++;
	return 0;
}

/* Takes a region off the stack, also one that is not the innermost. */
static void take_off(struct session_regions *regions, size_t index)
{
	struct session_region **stack = stack_of(regions);

	regions->stack.n--;
	if (index == regions->stack.n)
		return;
	memmove(&stack[index], &stack[index + 1],
		(regions->stack.n - index) * sizeof(struct session_region *));
}

static inline int end_at(struct gpmu_session *session, size_t index)
{
	struct session_region *region = stack_of(&session->regions)[index];
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
	return end_at(session, session->regions.stack.n - 1);
}

int session_region_end_any(struct gpmu_session *session, const char *name)
{
	for (size_t i = session->regions.stack.n; i > 0; i--)
		if (!strcmp(stack_of(&session->regions)[i - 1]->name, name))
			return end_at(session, i - 1);
	return -EINVAL;
}

const char *session_innermost(const struct gpmu_session *session)
{
	const struct session_regions *regions = &session->regions;

	return regions->stack.n ? stack_of(regions)[regions->stack.n - 1]->name : NULL;
}

size_t gpmu_session_region_count(const struct gpmu_session *session)
{
	return session->regions.length;
}

const char *gpmu_region_name(const struct gpmu_session *session, size_t index)
{
	return index < session->regions.length ? session->regions.list[index]->name : NULL;
}

uint64_t gpmu_region_visit_count(const struct gpmu_session *session, size_t index)
{
	return index < session->regions.length ? session->regions.list[index]->visits : 0;
}

int gpmu_region_rows(struct gpmu_session *session, size_t index,
		     const struct gpmu_rows **rows)
{
	const struct session_region *region;
	struct region_sum sum;

	if (index >= session->regions.length)
		return -EINVAL;
	region = session->regions.list[index];
	sum = (struct region_sum){
		.visits = region->visits, .time = region->time,
		.user = region->user, .system = region->system, .times_why = region->times_why,
		.counts = region->sum, .length = session->target_count,
	};
	return region_sum_rows(&sum, session, rows);
}

void session_regions_release(struct session_regions *regions)
{
	for (size_t i = 0; i < regions->length; i++)
		region_free(regions->list[i]);
	free(regions->list);
	free(regions->table);
	vector_release(&regions->stack);
}
