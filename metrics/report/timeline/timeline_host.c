// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps pinned and managed memory, its nodes, and what moved in unified memory. */
#include <errno.h>
#include <string.h>

#include "report/timeline/timeline.h"

int timeline_take_unified(struct timeline *timeline, const struct timeline_track *track,
			  const struct gpmu_trace_item *item)
{
	struct timeline_unified unified = {
		.begin = item->begin, .end = item->end, .address = timeline_integer(item, "address"),
		.value = timeline_integer(item, "value"), .gpu = track->gpu, .process = track->process,
		.file = (uint32_t)timeline->files.n - 1,
	};

	if (strings_number(&timeline->strings, item->name ? item->name : "", &unified.name))
		return -ENOMEM;
	return vector_push(&timeline->unified, &unified);
}

/* Addresses have at most 57 bits. Different memory with the same key replaces what was known; find() notices that. */
static uint64_t key_of(const struct timeline_track *track, uint64_t address)
{
	return address ^ (uint64_t)track->process << 44;
}

/* Returns the latest memory at the address, or NULL */
static struct timeline_host_memory *find(struct timeline *timeline, const struct timeline_track *track,
					 uint64_t address)
{
	struct timeline_host_memory *memory;
	uint32_t index;

	if (!map_get(&timeline->host_numbers, key_of(track, address), &index))
		return NULL;
	memory = &timeline->host_memory.list[index];
	return memory->address == address && memory->process == track->process &&
			       memory->file + 1 == timeline->files.n ? memory : NULL;
}

static int add(struct timeline *timeline, const struct timeline_track *track, const struct gpmu_trace_item *item)
{
	struct timeline_host_memory memory = {
		.begin = item->begin, .end = UINT64_MAX, .address = timeline_integer(item, "address"),
		.bytes = timeline_integer(item, "bytes"), .file = (uint32_t)timeline->files.n - 1,
		.process = track->process, .correlation = (uint32_t)timeline_integer(item, "correlation"),
	};

	if (!strcmp(item->name, "registered")) {
		if (strings_number(&timeline->strings, item->name, &memory.kind))
			return -ENOMEM;
	} else if (timeline_text_number(timeline, item, "memory", &memory.kind)) {
		return -ENOMEM;
	}
	if (map_set(&timeline->host_numbers, key_of(track, memory.address), (uint32_t)timeline->host_memory.n))
		return -ENOMEM;
	return vector_push(&timeline->host_memory, &memory);
}

/* The node may be known only after the memory has been freed. */
static int add_node(struct timeline *timeline, const struct timeline_track *track, const struct gpmu_trace_item *item)
{
	const struct timeline_host_memory *memory = find(timeline, track, timeline_integer(item, "address"));
	struct timeline_host_node node = { .bytes = timeline_integer(item, "bytes") };

	if (!memory)
		return 0;
	node.memory = (size_t)(memory - timeline->host_memory.list);
	if (timeline_text_number(timeline, item, "node", &node.node) ||
	    timeline_text_number(timeline, item, "gpu_node", &node.gpu_node))
		return -ENOMEM;
	return vector_push(&timeline->host_nodes, &node);
}

int timeline_take_host_memory(struct timeline *timeline, const struct timeline_track *track,
			      const struct gpmu_trace_item *item)
{
	struct timeline_host_memory *memory;

	if (!item->name)
		return 0;
	if (!strcmp(item->name, "allocated") || !strcmp(item->name, "registered"))
		return add(timeline, track, item);
	if (!strcmp(item->name, "on node"))
		return add_node(timeline, track, item);
	memory = strcmp(item->name, "freed") ? NULL : find(timeline, track, timeline_integer(item, "address"));
	if (memory)
		memory->end = item->begin;
	return 0;
}
