// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "profile/profile_stack.h"

#define CONTEXT_USER_DEFERRED	((uint64_t)-640)	/* PERF_CONTEXT_USER_DEFERRED, since Linux 6.19: a cookie follows */

int profile_stacks_add(struct profile_stacks *stacks, uint32_t caller, uint32_t frame, uint32_t *number)
{
	const uint64_t key = (uint64_t)caller << 32 | frame;
	struct profile_stack_node *node = vector_element(&stacks->nodes, &stacks->numbers, key);

	if (!node)
		return -ENOMEM;
	*node = (struct profile_stack_node){ .caller = caller, .frame = frame };
	*number = (uint32_t)(node - stacks->nodes.list) + 1;
	return 0;
}

/* Puts the text of a frame and a semicolon in front of @end, unless it is NULL. Returns their length. */
static size_t put(const struct strings *texts, uint32_t frame, char *end)
{
	const char *text = strings_text(texts, (frame & ~PROFILE_STACK_OBJECT) - 1);
	const size_t brackets = frame & PROFILE_STACK_OBJECT && *text != '[', length = strlen(text);
	char *cursor = end ? end - length - 2 * brackets - 1 : NULL;

	if (cursor && brackets)
		*cursor++ = '[';
	for (size_t i = 0; i < length && cursor; i++)
		*cursor++ = text[i] == ';' ? ':' : text[i];
	if (cursor && brackets)
		*cursor++ = ']';
	if (cursor)
		*cursor = ';';
	return length + 2 * brackets + 1;
}

char *profile_stacks_text(const struct profile_stacks *stacks, const struct strings *texts, uint32_t number)
{
	const struct profile_stack_node *nodes = stacks->nodes.list;
	char *text, *end;
	size_t size = 0;

	for (uint32_t node = number; node; node = nodes[node - 1].caller)
		size += put(texts, nodes[node - 1].frame, NULL);
	text = malloc(size + 1);
	if (!text)
		return NULL;
	end = text + size;
	for (uint32_t node = number; node; node = nodes[node - 1].caller)
		end -= put(texts, nodes[node - 1].frame, end);
	/* The last semicolon */
	text[size ? size - 1 : 0] = '\0';
	return text;
}

void profile_stacks_release(struct profile_stacks *stacks)
{
	vector_free(&stacks->nodes);
	map_release(&stacks->numbers);
}

/* --- deferred stacks */

static int add_addresses(struct profile_addresses *to, const uint64_t *addresses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (vector_push(to, &addresses[i]))
			return -ENOMEM;
	return 0;
}

static bool is_same(const struct profile_deferred *deferred, uint32_t index, const struct gpmu_perfdata_record *record)
{
	const struct profile_deferred_stack *stack = &deferred->stacks.list[index];
	const uint64_t *addresses = deferred->addresses.list;

	return stack->tid == record->tid && stack->count == record->deferred.count &&
	       !memcmp(addresses + stack->begin, record->deferred.callchain, stack->count * sizeof(*addresses));
}

int profile_deferred_add(struct profile_deferred *deferred, const struct gpmu_perfdata_record *record)
{
	struct profile_deferred_stack stack = { .tid = record->tid, .begin = deferred->addresses.n };
	uint32_t index;
	uint64_t hash;

	if (record->type != GPMU_PERFDATA_CALLCHAIN_DEFERRED || !(record->has & PERF_SAMPLE_TID) ||
	    !record->deferred.count)
		return 0;
	hash = text_hash((const char *)record->deferred.callchain, record->deferred.count * sizeof(uint64_t)) ^
	       record->tid;
	if (map_get(&deferred->hashes, hash, &index) && is_same(deferred, index, record))
		return map_set(&deferred->cookies, record->deferred.cookie, index);
	stack.count = record->deferred.count;
	if (vector_push(&deferred->stacks, &stack) ||
	    add_addresses(&deferred->addresses, record->deferred.callchain, stack.count))
		return -ENOMEM;
	index = (uint32_t)deferred->stacks.n - 1;
	return map_set(&deferred->hashes, hash, index) ? -ENOMEM : map_set(&deferred->cookies, record->deferred.cookie, index);
}

/* Joins the stack of the cookie at the end of a chain. */
static int join_cookie(struct profile_deferred *deferred, uint32_t tid, const uint64_t *chain, size_t count)
{
	const struct profile_deferred_stack *stack;
	uint32_t index;

	if (count < 2 || chain[count - 2] != CONTEXT_USER_DEFERRED ||
	    !map_get(&deferred->cookies, chain[count - 1], &index))
		return 0;
	stack = &deferred->stacks.list[index];
	if (stack->tid != tid)
		return 0;
	return add_addresses(&deferred->joined, chain, count - 2) ?:
	       add_addresses(&deferred->joined, &deferred->addresses.list[stack->begin], stack->count);
}

static bool has_calls(const struct gpmu_perfdata_record *record)
{
	return record->event && record->event->attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	       record->sample.branch_count;
}

/*
 * Replaces the callers in user space by the calls of a branch stack. As in perf, a chain without user space stays as it is. The
 * innermost frame in user space is the sampled address or, if the chain has the mark of user space but no address after it, the
 * function that the last call entered.
 */
static int join_calls(struct profile_deferred *deferred, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_sample *sample = &record->sample;
	size_t user = 0;
	int ret;

	while (user < sample->callchain_count && sample->callchain[user] != (uint64_t)PERF_CONTEXT_USER)
		user++;
	if (user == sample->callchain_count)
		return 0;
	ret = add_addresses(&deferred->joined, sample->callchain, user + 1);
	if (!ret)
		ret = add_addresses(&deferred->joined, user + 1 < sample->callchain_count ? &sample->callchain[user + 1] :
				    (const uint64_t[]){ sample->branches[0].to }, 1);
	for (size_t i = 0; i < sample->branch_count && !ret; i++)
		ret = add_addresses(&deferred->joined,
				    (const uint64_t[]){ PERF_CONTEXT_USER, sample->branches[i].from }, 2);
	return ret;
}

int profile_deferred_join(struct profile_deferred *deferred, const struct gpmu_perfdata_record *record,
			  const uint64_t **chain, size_t *count)
{
	int ret;

	*chain = record->sample.callchain;
	*count = record->sample.callchain_count;
	deferred->joined.n = 0;
	ret = has_calls(record) ? join_calls(deferred, record) : join_cookie(deferred, record->tid, *chain, *count);
	if (!ret && deferred->joined.n) {
		*chain = deferred->joined.list;
		*count = deferred->joined.n;
	}
	return ret;
}

void profile_deferred_release(struct profile_deferred *deferred)
{
	vector_free(&deferred->stacks);
	vector_free(&deferred->addresses);
	vector_free(&deferred->joined);
	map_release(&deferred->cookies);
	map_release(&deferred->hashes);
}
