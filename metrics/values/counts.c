// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "values/counts.h"

/* Also allocates for n = 0, as NULL means out of memory */
static void *array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

/* A new number for a new set of targets */
static uint64_t new_shape(void)
{
	static atomic_uint_fast64_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

struct gpmu_counts *counts_new(size_t slot_count)
{
	struct gpmu_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->slots = array(slot_count, sizeof(*counts->slots));
	if (!counts->slots) {
		free(counts);
		return NULL;
	}
	counts->slot_count = slot_count;
	counts->shape = new_shape();
	for (size_t i = 0; i < slot_count; i++)
		counts->slots[i].state = COUNT_NOT_COUNTED;
	return counts;
}

static void slot_release(struct counts_slot *slot)
{
	free(slot->targets);
	free(slot->counts);
	free(slot->printed);
	free(slot->why);
}

void counts_free(struct gpmu_counts *counts)
{
	if (!counts)
		return;
	for (size_t i = 0; i < counts->slot_count; i++)
		slot_release(&counts->slots[i]);
	free(counts->slots);
	free(counts);
}

int counts_set_targets(struct gpmu_counts *counts, size_t slot, const struct target *targets,
		      size_t length)
{
	struct counts_slot new = { .length = length, .state = COUNT_NOT_COUNTED }, old;

	new.targets = array(length, sizeof(*new.targets));
	new.counts = array(length, sizeof(*new.counts));
	if (!new.targets || !new.counts) {
		slot_release(&new);
		return -ENOMEM;
	}
	if (length)
		memcpy(new.targets, targets, length * sizeof(*targets));
	old = counts->slots[slot];
	counts->slots[slot] = new;
	counts->shape = new_shape();
	slot_release(&old);
	return 0;
}

int counts_set_printed(struct gpmu_counts *counts, size_t slot)
{
	struct counts_slot *set = &counts->slots[slot];

	free(set->printed);
	set->printed = array(set->length, sizeof(*set->printed));
	return set->printed ? 0 : -ENOMEM;
}

int counts_set_why(struct counts_slot *slot, const char *why)
{
	char *copy = NULL;

	if (text_is_same(slot->why, why))
		return 0;
	if (why) {
		copy = strdup(why);
		if (!copy)
			return -ENOMEM;
	}
	free(slot->why);
	slot->why = copy;
	return 0;
}

int counts_set_lost(struct gpmu_counts *counts, size_t slot, enum count_state state,
		    const char *why)
{
	struct counts_slot *lost = &counts->slots[slot];
	int ret = counts_set_why(lost, why);

	if (ret)
		return ret;
	lost->state = state;
	for (size_t i = 0; i < lost->length; i++)
		lost->counts[i] = (struct count){ .state = state };
	return 0;
}

static bool slots_are_alike(const struct counts_slot *a, const struct counts_slot *b)
{
	return a->length == b->length &&
	       (!a->length || !memcmp(a->targets, b->targets, a->length * sizeof(*a->targets)));
}

bool counts_are_alike(const struct gpmu_counts *a, const struct gpmu_counts *b)
{
	if (a->shape == b->shape)
		return true;
	if (a->slot_count != b->slot_count)
		return false;
	for (size_t i = 0; i < a->slot_count; i++)
		if (!slots_are_alike(&a->slots[i], &b->slots[i]))
			return false;
	return true;
}

/* Copies targets, unless they are the same, and reasons of @from; counts are undefined */
static int shape_slot(struct gpmu_counts *counts, size_t slot, const struct counts_slot *from,
		      bool is_same)
{
	int ret;

	if (!is_same && !slots_are_alike(&counts->slots[slot], from)) {
		ret = counts_set_targets(counts, slot, from->targets, from->length);
		if (ret)
			return ret;
	}
	counts->slots[slot].state = from->state;
	return counts_set_why(&counts->slots[slot], from->why);
}

static int shape(struct gpmu_counts *counts, const struct gpmu_counts *from)
{
	bool is_same = counts->shape == from->shape;
	struct counts_slot *slots;

	if (counts->slot_count != from->slot_count) {
		slots = array(from->slot_count, sizeof(*slots));
		if (!slots)
			return -ENOMEM;
		for (size_t i = 0; i < counts->slot_count; i++)
			slot_release(&counts->slots[i]);
		free(counts->slots);
		counts->slots = slots;
		counts->slot_count = from->slot_count;
		counts->shape = new_shape();
	}
	for (size_t i = 0; i < from->slot_count; i++) {
		int ret = shape_slot(counts, i, &from->slots[i], is_same);

		if (ret)
			return ret;
	}
	counts->shape = from->shape;
	return 0;
}

int counts_assign(struct gpmu_counts *counts, const struct gpmu_counts *from)
{
	int ret = shape(counts, from);

	if (ret)
		return ret;
	for (size_t i = 0; i < from->slot_count; i++)
		if (from->slots[i].length)
			memcpy(counts->slots[i].counts, from->slots[i].counts,
			       from->slots[i].length * sizeof(struct count));
	counts->begin = from->begin;
	counts->end = from->end;
	counts->paused = from->paused;
	counts->user_time = from->user_time;
	counts->system_time = from->system_time;
	counts->times_why = from->times_why;
	return 0;
}

struct gpmu_counts *counts_copy(const struct gpmu_counts *counts)
{
	struct gpmu_counts *copy = counts_new(counts->slot_count);

	if (copy && counts_assign(copy, counts)) {
		counts_free(copy);
		errno = ENOMEM;
		return NULL;
	}
	return copy;
}

/* Finds the count of a target in @slot, first at @index; NULL: it has no such target */
static struct count *find_count(const struct counts_slot *slot, const struct target *target,
				size_t index)
{
	if (index < slot->length && !memcmp(&slot->targets[index], target, sizeof(*target)))
		return &slot->counts[index];
	for (size_t i = 0; i < slot->length; i++)
		if (!memcmp(&slot->targets[i], target, sizeof(*target)))
			return &slot->counts[i];
	return NULL;
}

int counts_difference(struct gpmu_counts *interval, const struct gpmu_counts *later,
		      const struct gpmu_counts *earlier)
{
	static const struct counts_slot no_slot;
	static const struct count zero;
	bool is_same = later->shape == earlier->shape;
	int ret = shape(interval, later);

	if (ret)
		return ret;
	for (size_t i = 0; i < later->slot_count; i++) {
		const struct counts_slot *slot = &later->slots[i];
		const struct counts_slot *before =
			i < earlier->slot_count ? &earlier->slots[i] : &no_slot;

		for (size_t k = 0; k < slot->length; k++) {
			const struct count *count =
				is_same ? &before->counts[k] :
				       find_count(before, &slot->targets[k], k);

			interval->slots[i].counts[k] =
				count_difference(&slot->counts[k], count ? count : &zero);
		}
	}
	interval->begin = earlier->end + counts_since(later->paused, earlier->paused);
	interval->end = later->end;
	interval->user_time = counts_since(later->user_time, earlier->user_time);
	interval->system_time = counts_since(later->system_time, earlier->system_time);
	interval->times_why = later->times_why;
	return 0;
}

int counts_step(struct gpmu_counts *interval, struct gpmu_counts *last,
		const struct gpmu_counts *now)
{
	int ret = counts_difference(interval, now, last);

	return ret ? ret : counts_assign(last, now);
}

/* The counts of a new target, 0 */
static struct count *add_target(struct counts_slot *slot, const struct target *target)
{
	size_t n = slot->length + 1;
	struct target *targets;
	struct count *counts;

	targets = realloc(slot->targets, n * sizeof(*targets));
	if (!targets)
		return NULL;
	slot->targets = targets;
	counts = realloc(slot->counts, n * sizeof(*counts));
	if (!counts)
		return NULL;
	slot->counts = counts;
	targets[n - 1] = *target;
	counts[n - 1] = (struct count){ 0 };
	slot->length = n;
	return &counts[n - 1];
}

static int add_slot(struct counts_slot *total, const struct counts_slot *slot)
{
	int ret;

	if (!total->length || slot->state == COUNT_NOT_SUPPORTED)
		total->state = slot->state;
	if (slot->why) {
		ret = counts_set_why(total, slot->why);
		if (ret)
			return ret;
	}
	for (size_t k = 0; k < slot->length; k++) {
		struct count *count = find_count(total, &slot->targets[k], k);

		if (!count)
			count = add_target(total, &slot->targets[k]);
		if (!count)
			return -ENOMEM;
		count_add(count, &slot->counts[k]);
	}
	return 0;
}

int counts_add(struct gpmu_counts *total, const struct gpmu_counts *counts)
{
	total->shape = new_shape();
	for (size_t i = 0; i < counts->slot_count && i < total->slot_count; i++) {
		int ret = add_slot(&total->slots[i], &counts->slots[i]);

		if (ret)
			return ret;
	}
	total->end += counts_since(counts->end, counts->begin);
	total->user_time += counts->user_time;
	total->system_time += counts->system_time;
	if (counts->times_why)
		total->times_why = counts->times_why;
	return 0;
}

double count_value(const struct count *count)
{
	if (count->state != COUNT_OK || count_never_ran(count))
		return NAN;
	if (count->running == count->enabled)
		return (double)count->raw;
	return (double)count->raw * (double)count->enabled / (double)count->running;
}
