// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The caches are direct-mapped. An epoch is the time between two changes of maps or names: the result of
 * looking up an address or thread holds for all samples of the epoch. Code and data have a slot for each block of
 * addresses, with the function or map that was last found in it. In a row, a key's value is 0 if the key does not apply.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gpmu_outside.h"
#include "base/text/text.h"
#include "profile/profile_count.h"
#include "profile/profile_dwarf.h"

#define PLACES		16384	/* slots of the caches: powers of 2 */
#define DATA		4096
#define WHOS		256	/* the slot after these is of all tasks outside the PID namespace */
#define PAGE_SHIFT	12
#define NO_PID		(PROFILE_KERNEL - 1)	/* of a process without maps */
/* Blocks of addresses: most have a single function, instruction or map. */
#define CODE_SHIFT	6
#define LINE_SHIFT	2
#define DATA_SHIFT	21

/* The addresses that a slot is valid for; @epoch 0: none */
struct valid {
	struct profile_range range;
	uint32_t pid, epoch;
};

struct place_slot {
	struct valid valid;
	struct profile_place place;
};

struct data_slot {
	struct valid valid;
	uint32_t text;
};

struct who_slot {
	uint32_t tid, epoch, pid, thread, process, comm;
};

static const char *const names[GPMU_PROFILE_KEYS] = {
	[GPMU_PROFILE_FUNCTION] = "function", [GPMU_PROFILE_OBJECT] = "object", [GPMU_PROFILE_LINE] = "line",
	[GPMU_PROFILE_THREAD] = "thread", [GPMU_PROFILE_PROCESS] = "process", [GPMU_PROFILE_CPU] = "cpu",
	[GPMU_PROFILE_NODE] = "node", [GPMU_PROFILE_TIER] = "tier", [GPMU_PROFILE_HOME] = "home",
	[GPMU_PROFILE_DATA] = "data", [GPMU_PROFILE_PAGE] = "page", [GPMU_PROFILE_OP] = "op",
	[GPMU_PROFILE_COMM] = "comm", [GPMU_PROFILE_STACK] = "stack",
};

const char *gpmu_profile_key_name(enum gpmu_profile_key key)
{
	return key < GPMU_PROFILE_KEYS ? names[key] : NULL;
}

char *profile_key_text(const struct profile_counter *counter, enum gpmu_profile_key key, uint32_t value)
{
	if (!value)
		return NULL;
	if (key == GPMU_PROFILE_CPU || key == GPMU_PROFILE_NODE)
		return text_print("%u", value - 1);
	if (key == GPMU_PROFILE_PAGE)
		return text_print("0x%llx", (unsigned long long)counter->pages.list[value - 1]);
	if (key == GPMU_PROFILE_STACK)
		return profile_stacks_text(&counter->stacks, counter->code->texts, value);
	return strdup(strings_text(counter->code->texts, value - 1));
}

int profile_counter_init(struct profile_counter *counter)
{
	counter->places = calloc(PLACES, sizeof(*counter->places));
	counter->data = calloc(DATA, sizeof(*counter->data));
	counter->whos = calloc(WHOS + 1, sizeof(*counter->whos));
	return counter->places && counter->data && counter->whos ? 0 : -ENOMEM;
}

int profile_counter_add(struct profile_counter *counter, const struct gpmu_perfdata_record *record)
{
	if (record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2 && record->type != PERF_RECORD_COMM &&
	    record->type != PERF_RECORD_FORK)
		return 0;
	/* Most records have the time of an earlier one: records that perf wrote have the time 0. */
	if (counter->changes.n && counter->changes.list[counter->changes.n - 1] == record->time)
		return 0;
	return vector_push(&counter->changes, &record->time);
}

void profile_counter_begin(struct profile_counter *counter)
{
	vector_sort(&counter->changes, compare_first);
	counter->wanted = 0;
	for (size_t i = 0; i < counter->key_count; i++)
		counter->wanted |= 1U << counter->keys[i];
	counter->epoch = 0;
}

static bool wants(const struct profile_counter *counter, enum gpmu_profile_key key)
{
	return counter->wanted >> key & 1;
}

/* Sets the epoch of a time. */
static void enter(struct profile_counter *counter, uint64_t time)
{
	const uint64_t *times = counter->changes.list;
	size_t from = profile_count_until(time, times, counter->changes.n, sizeof(*times));

	counter->since = from ? times[from - 1] : 0;
	counter->until = from < counter->changes.n ? times[from] - 1 : UINT64_MAX;
	counter->epoch = (uint32_t)from + 1;
}

static const char *name_of(const struct profile_counter *counter, uint32_t tid, uint64_t time)
{
	const char *name = profile_tasks_name(counter->tasks, tid, time);

	return name ? name : tid ? "[unknown]" : "idle";
}

static int name_task(struct profile_counter *counter, uint32_t tid, uint64_t time, uint32_t *number)
{
	char text[64];

	snprintf(text, sizeof(text), "%.32s (%u)", name_of(counter, tid, time), tid);
	return profile_code_text(counter->code, text, number);
}

static size_t slot_at(uint64_t number, uint32_t pid, size_t slots)
{
	return (number ^ (uint64_t)pid << 32) * 0x9e3779b97f4a7c15ULL >> 40 & (slots - 1);
}

/* Tasks outside the PID namespace have a common name, and no maps; NULL: out of memory */
static const struct who_slot *outside_who(struct profile_counter *counter)
{
	struct who_slot *slot = &counter->whos[WHOS];

	if (!slot->comm && profile_code_text(counter->code, GPMU_OUTSIDE_NAME, &slot->comm))
		return NULL;
	slot->thread = slot->process = slot->comm;
	slot->pid = NO_PID;
	return slot;
}

/* The thread of a sample; NULL: out of memory */
static const struct who_slot *who_of(struct profile_counter *counter, const struct profile_sample *sample)
{
	static const struct who_slot nobody = { .pid = NO_PID };
	struct who_slot *slot = &counter->whos[sample->tid & (WHOS - 1)];

	if (sample->is_outside)
		return outside_who(counter);
	if (sample->tid == PROFILE_NO_TID)
		return &nobody;
	if (slot->tid == sample->tid && slot->epoch == counter->epoch &&
	    (sample->pid == UINT32_MAX || slot->pid == sample->pid))
		return slot;
	slot->epoch = 0;
	slot->tid = sample->tid;
	slot->pid = sample->pid != UINT32_MAX ? sample->pid : profile_tasks_pid(counter->tasks, sample->tid, sample->time);
	if (profile_code_text(counter->code, name_of(counter, slot->tid, sample->time), &slot->comm) ||
	    name_task(counter, slot->tid, sample->time, &slot->thread) ||
	    name_task(counter, slot->pid, sample->time, &slot->process))
		return NULL;
	slot->epoch = counter->epoch;
	return slot;
}

static bool has(const struct valid *valid, uint64_t address, uint32_t pid, uint32_t epoch)
{
	return address >= valid->range.begin && address < valid->range.end && valid->pid == pid &&
	       valid->epoch == epoch;
}

/* The function and object of an address; NULL: out of memory */
static const struct profile_place *place_of(struct profile_counter *counter, uint32_t pid, uint64_t ip, uint64_t time)
{
	const unsigned int shift = counter->code->wants_lines || counter->code->wants_inlines ? LINE_SHIFT : CODE_SHIFT;
	struct place_slot *slot = &counter->places[slot_at(ip >> shift, pid, PLACES)];

	if (has(&slot->valid, ip, pid, counter->epoch))
		return &slot->place;
	slot->valid = (struct valid){ .pid = pid };
	if (profile_code_find(counter->code, pid, ip, time, &slot->valid.range, &slot->place))
		return NULL;
	slot->valid.epoch = counter->epoch;
	return &slot->place;
}

static int data_of(struct profile_counter *counter, uint32_t pid, const struct profile_sample *sample, uint32_t *text)
{
	struct data_slot *slot = &counter->data[slot_at(sample->data >> DATA_SHIFT, pid, DATA)];

	if (!has(&slot->valid, sample->data, pid, counter->epoch)) {
		slot->valid = (struct valid){ .pid = pid };
		if (profile_code_data(counter->code, pid, sample->data, sample->time, &slot->valid.range, &slot->text))
			return -ENOMEM;
		slot->valid.epoch = counter->epoch;
	}
	*text = slot->text;
	return 0;
}

static int page_of(struct profile_counter *counter, uint64_t address, uint32_t *value)
{
	const uint64_t number = address >> PAGE_SHIFT;
	uint64_t *page = vector_element(&counter->pages, &counter->page_numbers, number);

	if (!page)
		return -ENOMEM;
	*page = number << PAGE_SHIFT;
	*value = (uint32_t)(page - counter->pages.list) + 1;
	return 0;
}

/* Addresses with bit 63 are the kernel's, on all machines of 64 bits that perf runs on. */
static uint32_t space_of(uint64_t address, uint32_t pid)
{
	return address >> 63 ? PROFILE_KERNEL : pid;
}

/* --- stacks */

/* Adds the function of a place, or its object if the function is not known. */
static int add_frame(struct profile_counter *counter, const struct profile_place *place, uint32_t *stack)
{
	return profile_stacks_add(&counter->stacks, *stack, place->function != counter->code->no_function ?
				  place->function : place->object | PROFILE_STACK_OBJECT, stack);
}

/* Adds the functions that are inlined at an address, outermost first. */
static int add_inlined(struct profile_counter *counter, const struct profile_inlined *inlined, uint32_t *stack)
{
	uint32_t texts[PROFILE_INLINED_MAX];
	size_t count = 0;
	int ret = 0;

	for (; inlined; inlined = inlined->caller)
		texts[count++] = inlined->text;
	while (count && !ret)
		ret = profile_stacks_add(&counter->stacks, *stack, texts[--count], stack);
	return ret;
}

/*
 * Adds the frames from index @end - 1, the outer one, to @begin. Callers have return addresses, which may be those of
 * the next function. The outermost frame of a thread has the return address 0.
 */
static int add_frames(struct profile_counter *counter, uint32_t pid, const struct profile_sample *sample, size_t begin,
		      size_t end, uint32_t *stack)
{
	int ret = 0;

	for (size_t i = end; i-- > begin && !ret;) {
		const struct profile_place *place;

		if (!sample->chain[i])
			continue;
		place = place_of(counter, pid, sample->chain[i] - (i > begin), sample->time);
		if (!place)
			return -ENOMEM;
		ret = add_frame(counter, place, stack);
		if (!ret)
			ret = add_inlined(counter, place->inlined, stack);
	}
	return ret;
}

/* A mark precedes the frames of the kernel, and those of the process. Frames after other marks are omitted. */
static int stack_of(struct profile_counter *counter, uint32_t pid, const struct profile_sample *sample, uint32_t *stack)
{
	const struct profile_place *place;
	int ret = 0;

	for (size_t end = sample->chain_count, begin; end && !ret; end = begin ? begin - 1 : 0) {
		uint64_t mark;

		for (begin = end; begin && sample->chain[begin - 1] < PERF_CONTEXT_MAX; begin--)
			;
		mark = begin ? sample->chain[begin - 1] : sample->is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		if (mark == PERF_CONTEXT_KERNEL || mark == PERF_CONTEXT_HV)
			ret = add_frames(counter, PROFILE_KERNEL, sample, begin, end, stack);
		else if (mark == PERF_CONTEXT_USER)
			ret = add_frames(counter, pid, sample, begin, end, stack);
	}
	if (ret || *stack || !sample->has_ip)
		return ret;
	place = place_of(counter, sample->is_kernel ? PROFILE_KERNEL : pid, sample->ip, sample->time);
	return place ? add_frame(counter, place, stack) : -ENOMEM;
}

/* Sets the values of all keys that are wanted. */
static int set_values(struct profile_counter *counter, const struct profile_sample *sample, uint32_t *values)
{
	const struct who_slot *who = who_of(counter, sample);
	const struct profile_place *place = NULL;

	if (!who)
		return -ENOMEM;
	if (sample->has_ip && counter->wanted & (1U << GPMU_PROFILE_FUNCTION | 1U << GPMU_PROFILE_OBJECT |
						 1U << GPMU_PROFILE_LINE)) {
		place = place_of(counter, sample->is_kernel ? PROFILE_KERNEL : who->pid, sample->ip, sample->time);
		if (!place)
			return -ENOMEM;
		values[GPMU_PROFILE_FUNCTION] = place->function;
		values[GPMU_PROFILE_OBJECT] = place->object;
		values[GPMU_PROFILE_LINE] = place->line;
	}
	values[GPMU_PROFILE_THREAD] = who->thread;
	values[GPMU_PROFILE_PROCESS] = who->process;
	values[GPMU_PROFILE_COMM] = who->comm;
	values[GPMU_PROFILE_CPU] = sample->cpu + 1;
	values[GPMU_PROFILE_NODE] = (uint32_t)(sample->node + 1);
	values[GPMU_PROFILE_TIER] = sample->tier;
	values[GPMU_PROFILE_HOME] = sample->home;
	values[GPMU_PROFILE_OP] = sample->op;
	if (wants(counter, GPMU_PROFILE_STACK) && stack_of(counter, who->pid, sample, &values[GPMU_PROFILE_STACK]))
		return -ENOMEM;
	if (sample->has_data && wants(counter, GPMU_PROFILE_PAGE) &&
	    page_of(counter, sample->data, &values[GPMU_PROFILE_PAGE]))
		return -ENOMEM;
	if (sample->has_data && wants(counter, GPMU_PROFILE_DATA))
		return data_of(counter, space_of(sample->data, who->pid), sample, &values[GPMU_PROFILE_DATA]);
	return 0;
}

int profile_count(struct profile_counter *counter, const struct profile_sample *sample)
{
	uint32_t values[GPMU_PROFILE_KEYS] = { 0 };
	struct profile_row row = { .event = sample->event, .samples = 1, .period = sample->period };

	if (!counter->epoch || sample->time < counter->since || sample->time > counter->until)
		enter(counter, sample->time);
	if (set_values(counter, sample, values))
		return -ENOMEM;
	for (size_t i = 0; i < counter->key_count; i++)
		row.keys[i] = values[counter->keys[i]];
	if (sample->has_latency) {
		row.latency = row.latency_max = sample->latency;
		row.latency_samples = 1;
	}
	counter->outside += sample->is_outside;
	counter->no_thread += sample->tid == PROFILE_NO_TID && !sample->is_outside;
	return profile_rows_add(&counter->rows, &row);
}

void profile_counter_release(struct profile_counter *counter)
{
	vector_free(&counter->changes);
	vector_free(&counter->pages);
	map_release(&counter->page_numbers);
	profile_stacks_release(&counter->stacks);
	profile_rows_release(&counter->rows);
	free(counter->places);
	free(counter->data);
	free(counter->whos);
}
