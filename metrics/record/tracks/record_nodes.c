// SPDX-License-Identifier: LGPL-2.1-or-later
/* Nodes of graphs: when, and in which NVTX range, the program created the node of which a launch has a record */
#include <errno.h>
#include <stdlib.h>

#include "record/tracks/record_map.h"

/* Keeps what is known about a node, whose id may have been another node's. Returns 0 or -ENOMEM. */
static int remember(struct record_process *process, uint64_t id, struct record_node known)
{
	union map_cell *cell = map_add(&process->nodes, id, NULL);

	if (cell && !cell->pointer)
		cell->pointer = malloc(sizeof(known));
	if (!cell || !cell->pointer)
		return -ENOMEM;
	*(struct record_node *)cell->pointer = known;
	return 0;
}

static int put_created(struct record_map *map, struct record_process *process, const struct activity_node *node)
{
	const struct record_thread *thread = record_thread_of(map, process, node->thread);
	struct gpmu_trace_event event = { .time = node->begin, .category = "node", .name = "graph node" };
	struct record_args args = { .count = 0 };
	int ret;

	if (!thread)
		return -ENOMEM;
	ret = remember(process, node->node, (struct record_node){ node->begin, record_nvtx_open(process, thread) });
	record_arg(&args, "node", (int64_t)node->node);
	return ret ? ret : record_slice(map, thread->subtracks, &event, &args, node->begin);
}

int record_node(struct record_map *map, struct record_process *process, const struct activity_node *node)
{
	const struct record_node *original;

	if (!node->original)
		return put_created(map, process, node);
	original = map_object(&process->nodes, node->original);
	return original ? remember(process, node->node, *original) : 0;
}

void record_node_args(const struct record_process *process, uint64_t node, struct record_args *args)
{
	const struct record_node *known = map_object(&process->nodes, node);

	if (!known)
		return;
	record_arg(args, "created", (int64_t)known->created);
	if (known->range)
		record_arg_name(args, "created_in", record_string(process, known->range));
}
