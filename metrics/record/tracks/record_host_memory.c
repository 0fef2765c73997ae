// SPDX-License-Identifier: LGPL-2.1-or-later
/* Pinned and managed memory of a process, and what moved in unified memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/machine.h"
#include "record/tracks/record_map.h"

#define LABEL	64

static const char *const events[ACTIVITY_HOST_EVENTS] = {
	[ACTIVITY_HOST_ALLOCATED] = "allocated", [ACTIVITY_HOST_REGISTERED] = "registered",
	[ACTIVITY_HOST_FREED] = "freed", [ACTIVITY_HOST_ON_NODE] = "on node",
};

static int track_of(struct record_map *map, struct record_process *process)
{
	int track = process->host_memory;

	if (process->track < 0)
		return -ENOMEM;
	if (!track)
		track = gpmu_trace_track(map->trace, process->track, "host memory");
	if (track > 0)
		process->host_memory = track;
	return track;
}

static int put_instant(struct record_map *map, struct record_process *process, struct gpmu_trace_event *event,
		       const struct record_args *args)
{
	event->size = sizeof(*event);
	event->track = track_of(map, process);
	event->args = args->list;
	event->arg_count = args->count;
	return event->track < 0 ? event->track : gpmu_trace_instant(map->trace, event);
}

static const struct gpmu_spe_range *find_memory(const struct record_map *map, int node)
{
	for (size_t i = 0; i < map->memory.count; i++)
		if (map->memory.ranges[i].node == node)
			return &map->memory.ranges[i];
	return NULL;
}

/*
 * Prints "node 1 (GPU memory)". On a Grace each instance of a GPU (MIG) has a node without CPUs, whose memory is the
 * GPU's; a node without memory, too, has no instance.
 */
static void print_node(const struct record_map *map, int node, char label[LABEL])
{
	static const char *const kinds[] = {
		[GPMU_SPE_MEMORY_CPU] = "CPU memory", [GPMU_SPE_MEMORY_GPU] = "GPU memory",
		[GPMU_SPE_MEMORY_BARE] = "memory without CPUs",
	};
	const struct gpmu_spe_range *range = find_memory(map, node);
	const char *kind = range ? kinds[range->kind] : "";

	if (!range && map->memory.count && !machine_find_node(map->machine, node) &&
	    gpmu_midr_is_neoverse_v2(map->machine->midr))
		kind = "empty MIG slot";
	snprintf(label, LABEL, *kind ? "node %d (%s)" : "node %d", node, kind);
}

/* Returns the node that the PCI device of the context's GPU belongs to; -1: not known */
static int gpu_node(struct record_map *map, struct record_process *process, uint32_t context)
{
	const struct record_context *known = record_context_of(process, context);
	const struct record_gpu *gpu = record_process_gpu(map, process, known ? known->device : 0);
	struct pci_address address, other;
	const struct gpmu_pci *pci;

	if (!gpu || !gpu->address || !pci_address_parse(gpu->address, strlen(gpu->address), &address))
		return -1;
	for (size_t i = 0; (pci = gpmu_machine_pci(map->machine, i)); i++)
		if (pci_address_parse(gpmu_pci_address(pci), strlen(gpmu_pci_address(pci)), &other) &&
		    !pci_address_compare(&address, &other))
			return gpmu_pci_node(pci);
	return -1;
}

static int read_memory(struct record_map *map)
{
	if (map->memory.count || map->has_read_memory)
		return 0;
	map->has_read_memory = true;
	return gpmu_spe_memory_read(&map->memory, map->machine) == -ENOMEM ? -ENOMEM : 0;
}

/* Adds the node, and that of the GPU. @labels: live as long as the arguments */
static int add_nodes(struct record_map *map, struct record_process *process, const struct activity_host_memory *memory,
		     struct record_args *args, char labels[2][LABEL])
{
	int node;

	if (!map->machine)
		return 0;
	if (read_memory(map))
		return -ENOMEM;
	print_node(map, (int)memory->node, labels[0]);
	record_arg_name(args, "node", labels[0]);
	node = gpu_node(map, process, memory->context);
	if (node < 0)
		return 0;
	print_node(map, node, labels[1]);
	record_arg_name(args, "gpu_node", labels[1]);
	return 0;
}

int record_host_memory(struct record_map *map, struct record_process *process,
		       const struct activity_host_memory *memory)
{
	struct gpmu_trace_event event = { .time = memory->time, .category = "host_memory" };
	struct record_args args = { .count = 0 };
	char labels[2][LABEL];

	if (memory->event >= ACTIVITY_HOST_EVENTS || memory->node > INT32_MAX)
		return 0;
	event.name = events[memory->event];
	record_arg(&args, "address", (int64_t)memory->address);
	if (memory->event != ACTIVITY_HOST_FREED)
		record_arg(&args, "bytes", (int64_t)memory->bytes);
	if (memory->event == ACTIVITY_HOST_ON_NODE && add_nodes(map, process, memory, &args, labels))
		return -ENOMEM;
	if (memory->event <= ACTIVITY_HOST_REGISTERED) {
		record_arg_name(&args, "memory", record_memory_name(memory->memory));
		record_arg(&args, "correlation", memory->correlation);
	}
	return put_instant(map, process, &event, &args);
}

int record_unified(struct record_map *map, struct record_process *process,
		   const struct activity_unified *unified)
{
	uint32_t device = unified->to != UINT32_MAX ? unified->to : unified->from;
	struct gpmu_trace_event event = { .time = unified->begin, .category = "unified" };
	struct record_args args = { .count = 0 };
	struct record_gpu *gpu;

	record_arg(&args, "value", (int64_t)unified->value);
	record_arg(&args, "address", (int64_t)unified->address);
	event.name = record_string(process, unified->name);
	/* A fault of the host is an instant. */
	if (device == UINT32_MAX)
		return put_instant(map, process, &event, &args);
	gpu = record_process_gpu(map, process, device);
	if (!gpu)
		return -ENOMEM;
	return record_slice(map, record_gpu_subtracks(map, process, gpu, "unified memory", 1),
			    &event, &args, unified->end);
}
