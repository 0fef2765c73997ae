// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The nodes of graphs, for gpmu record --graph-nodes: a launch of a graph has a record for each of its kernels, copies and
 * memsets. When a graph is instantiated, CUPTI clones its nodes and those of its child graphs, and reports each clone. It
 * reports the clone's type only at the begin of the clone's creation (measured with CUPTI 13.0).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/raw_clock.h"
#include "inject.h"

/* CUgraphNodeType */
enum { NODE_KERNEL, NODE_COPY, NODE_SET, NODE_CONDITIONAL = 13 };

struct graph {
	uint64_t nodes[ACTIVITY_WORKS];
	bool is_unsure;		/* the number of nodes that run is not known: some are disabled or conditional */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map graphs;	/* struct graph *, by the handle of the executable graph */

/* The graph that this thread's call instantiates */
static __thread struct graph cloned;
static __thread const void *node;	/* the node whose creation began last */
static __thread uint32_t node_type;
static __thread bool is_instantiating;

static void add_clone(const CUpti_GraphData *data)
{
	static const uint8_t kinds[] = {
		[NODE_KERNEL] = ACTIVITY_KERNEL, [NODE_COPY] = ACTIVITY_COPY, [NODE_SET] = ACTIVITY_SET,
	};

	/* The clone of a child graph is created around those of its nodes. */
	if (data->node != node)
		return;
	if (node_type < sizeof(kinds))
		cloned.nodes[kinds[node_type] - ACTIVITY_KERNEL]++;
	cloned.is_unsure = cloned.is_unsure || node_type == NODE_CONDITIONAL;
}

static uint64_t key_of(const void *exec)
{
	return (uintptr_t)exec;
}

static void forget(const void *exec)
{
	union map_cell cell;

	pthread_mutex_lock(&lock);
	if (map_take(&graphs, key_of(exec), &cell))
		free(cell.pointer);
	pthread_mutex_unlock(&lock);
}

/* Keeps the nodes of an executable graph. Without memory its launches are not counted. */
static void remember(const void *exec)
{
	struct graph *graph = malloc(sizeof(*graph));
	union map_cell *cell = NULL;
	bool is_new;

	forget(exec);
	if (!graph)
		return;
	*graph = cloned;
	pthread_mutex_lock(&lock);
	cell = map_add(&graphs, key_of(exec), &is_new);
	if (cell)
		cell->pointer = graph;
	pthread_mutex_unlock(&lock);
	if (!cell)
		free(graph);
}

/*
 * Records a node that the program has created, or the clone of a node. cuptiGetGraphNodeId() is the only function of
 * CUPTI that is called in a callback: the handle may be invalid afterwards.
 */
static void put_node(struct inject *self, const void *handle, const void *original)
{
	const uint64_t now = raw_clock_now();
	struct activity_node record = {
		{ sizeof(record), ACTIVITY_NODE, 0 }, now, now, 0, 0, (uint32_t)gettid(), 0,
	};

	if (!inject_is_alive(self) || self->api.node_id((void *)(uintptr_t)handle, &record.node) ||
	    (original && self->api.node_id((void *)(uintptr_t)original, &record.original)))
		return;
	output_try(self, &record.head);
}

void graphs_event(struct inject *self, uint32_t cbid, const CUpti_GraphData *data)
{
	switch (cbid) {
	case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
		/* A clone is reported as created, and then as cloned. */
		if (!is_instantiating)
			put_node(self, data->node, NULL);
		break;
	case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING:
		node = data->node;
		node_type = data->nodeType;
		break;
	case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
		add_clone(data);
		put_node(self, data->node, data->originalNode);
		break;
	case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
		remember(data->graphExec);
		break;
	case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING:
		forget(data->graphExec);
		break;
	}
}

void graphs_instantiate(bool is_begin)
{
	is_instantiating = is_begin;
	if (is_begin)
		memset(&cloned, 0, sizeof(cloned));
}

void graphs_disable(const void *exec)
{
	union map_cell *cell;

	pthread_mutex_lock(&lock);
	cell = map_find(&graphs, key_of(exec));
	if (cell)
		((struct graph *)cell->pointer)->is_unsure = true;
	pthread_mutex_unlock(&lock);
}

void graphs_count(struct inject *self, const void *exec, uint32_t correlation, enum channel_tally tally)
{
	struct graph graph = { .is_unsure = true };
	union map_cell *cell;

	pthread_mutex_lock(&lock);
	cell = map_find(&graphs, key_of(exec));
	if (cell)
		graph = *(const struct graph *)cell->pointer;
	pthread_mutex_unlock(&lock);
	if (graph.is_unsure) {
		tally = CHANNEL_UNSURE;
		calls_note_unsure(correlation);
	}
	for (int work = 0; work < ACTIVITY_WORKS; work++)
		if (graph.nodes[work] && self->control->kinds >> (ACTIVITY_KERNEL + work) & 1)
			channel_count(self->writer, tally, ACTIVITY_KERNEL + work, graph.nodes[work]);
}
