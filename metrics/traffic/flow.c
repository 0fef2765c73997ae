// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "traffic/flow.h"

struct gpmu_flow *gpmu_flow_new(const struct gpmu_machine *machine, enum gpmu_flow_chip chip,
				struct gpmu_error *error)
{
	struct gpmu_flow *flow = calloc(1, sizeof(*flow));
	int ret = -ENOMEM;

	if (flow) {
		flow->machine = machine;
		ret = flow_look(flow, chip, error);
	}
	if (!ret)
		ret = flow_make_lines(flow);
	if (!ret)
		ret = flow_make_events(flow);
	if (!ret) {
		flow_compute(flow);
		return flow;
	}
	if (ret == -ENOMEM)
		error_set(error, 0, "%s", strerror(ENOMEM));
	gpmu_flow_free(flow);
	errno = -ret;
	return NULL;
}

static void release_event(struct flow_event *event)
{
	free(event->text);
	free(event->why);
}

/* Whether the name is the flow's own copy, not a constant of a table */
static void free_name(const char *name)
{
	free((char *)name);
}

static void free_events(struct gpmu_flow *flow)
{
	for (size_t i = 0; i < flow->n_clocks; i++)
		release_event(&flow->clocks[i].event);
	for (size_t i = 0; i < flow->n_bundles; i++)
		for (size_t j = 0; j < FLOW_PAIR_EVENTS; j++)
			release_event(&flow->bundles[i].events[j]);
	free(flow->clocks);
	free(flow->bundles);
}

static void free_lines(struct gpmu_flow *flow)
{
	size_t sources = flow_n_sources(flow), memories = flow_n_memories(flow), i;

	for (i = 0; flow->cells && i < sources * memories; i++)
		free_name(flow->cells[i].name);
	for (i = 0; flow->sources && i < sources; i++)
		free(flow->sources[i]);
	for (i = 0; flow->memories && i < memories; i++)
		free(flow->memories[i]);
	for (i = 0; i < flow->n_rules; i++)
		free_name(flow->rules[i].line.name);
	for (i = 0; i < flow->n_links; i++)
		free_name(flow->links[i].link.name);
	for (i = 0; i < flow->n_peaks; i++)
		free_name(flow->peaks[i].peak.name);
	free(flow->cells);
	free(flow->sources);
	free(flow->memories);
	free(flow->rules);
	free(flow->sums);
	free(flow->links);
	free(flow->peaks);
	free(flow->source_totals);
	free(flow->memory_totals);
}

void gpmu_flow_free(struct gpmu_flow *flow)
{
	if (!flow)
		return;
	free_events(flow);
	free_lines(flow);
	free(flow->title);
	free(flow);
}

const char *gpmu_flow_title(const struct gpmu_flow *flow)
{
	return flow->title;
}

const char *gpmu_flow_source(const struct gpmu_flow *flow, size_t source)
{
	return source < flow_n_sources(flow) ? flow->sources[source] : NULL;
}

const char *gpmu_flow_memory(const struct gpmu_flow *flow, size_t memory)
{
	return memory < flow_n_memories(flow) ? flow->memories[memory] : NULL;
}

const struct gpmu_flow_line *gpmu_flow_cell(const struct gpmu_flow *flow, size_t source,
					    size_t memory)
{
	if (source >= flow_n_sources(flow) || memory >= flow_n_memories(flow))
		return NULL;
	return &flow->cells[source * flow_n_memories(flow) + memory];
}

const struct gpmu_flow_line *gpmu_flow_sum(const struct gpmu_flow *flow, size_t index)
{
	return index < flow->sum_count ? &flow->rules[flow->sums[index]].line : NULL;
}

const struct gpmu_flow_line *gpmu_flow_source_total(const struct gpmu_flow *flow, size_t source)
{
	return source < flow_n_sources(flow) ? &flow->source_totals[source] : NULL;
}

const struct gpmu_flow_line *gpmu_flow_memory_total(const struct gpmu_flow *flow, size_t memory)
{
	return memory < flow_n_memories(flow) ? &flow->memory_totals[memory] : NULL;
}

const struct gpmu_flow_line *gpmu_flow_total(const struct gpmu_flow *flow)
{
	return &flow->total;
}

const struct gpmu_flow_link *gpmu_flow_link(const struct gpmu_flow *flow, size_t index)
{
	return index < flow->n_links ? &flow->links[index].link : NULL;
}

const struct gpmu_flow_peak *gpmu_flow_peak(const struct gpmu_flow *flow, size_t index)
{
	return index < flow->n_peaks ? &flow->peaks[index].peak : NULL;
}
