// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "traffic/traffic.h"

struct gpmu_traffic *gpmu_traffic_new(const struct gpmu_machine *machine,
				      enum gpmu_traffic_chip chip, struct gpmu_error *error)
{
	struct gpmu_traffic *traffic = calloc(1, sizeof(*traffic));
	int ret = -ENOMEM;

	if (traffic) {
		traffic->machine = machine;
		ret = traffic_look(traffic, chip, error);
	}
	if (!ret)
		ret = traffic_make_lines(traffic);
	if (!ret)
		ret = traffic_make_events(traffic);
	if (!ret) {
		traffic_compute(traffic);
		return traffic;
	}
	if (ret == -ENOMEM)
		error_no_memory(error);
	gpmu_traffic_free(traffic);
	errno = -ret;
	return NULL;
}

/* Frees the name if it is the matrix's own copy, not a constant of a table. */
static void free_name(const char *name)
{
	free((char *)name);
}

static void free_events(struct gpmu_traffic *traffic)
{
	struct traffic_event *event;

	for (size_t i = 0; (event = traffic_event(traffic, i)); i++) {
		free(event->text);
		free(event->why);
	}
	free(traffic->clocks);
	free(traffic->bundles);
}

static void free_lines(struct gpmu_traffic *traffic)
{
	size_t sources = traffic_n_sources(traffic), memories = traffic_n_memories(traffic), i;

	for (i = 0; traffic->cells && i < sources * memories; i++)
		free_name(traffic->cells[i].name);
	for (i = 0; traffic->sources && i < sources; i++)
		free(traffic->sources[i]);
	for (i = 0; traffic->memories && i < memories; i++)
		free(traffic->memories[i]);
	for (i = 0; i < traffic->rule_count; i++)
		free_name(traffic->rules[i].line.name);
	for (i = 0; i < traffic->link_count; i++)
		free_name(traffic->links[i].link.name);
	for (i = 0; i < traffic->peak_count; i++)
		free_name(traffic->peaks[i].peak.name);
	free(traffic->cells);
	free(traffic->sources);
	free(traffic->memories);
	free(traffic->rules);
	free(traffic->sums);
	free(traffic->links);
	free(traffic->peaks);
	free(traffic->source_totals);
	free(traffic->memory_totals);
}

void gpmu_traffic_free(struct gpmu_traffic *traffic)
{
	if (!traffic)
		return;
	free_events(traffic);
	free_lines(traffic);
	free(traffic->title);
	free(traffic);
}

const char *gpmu_traffic_title(const struct gpmu_traffic *traffic)
{
	return traffic->title;
}

const char *gpmu_traffic_source(const struct gpmu_traffic *traffic, size_t source)
{
	return source < traffic_n_sources(traffic) ? traffic->sources[source] : NULL;
}

const char *gpmu_traffic_memory(const struct gpmu_traffic *traffic, size_t memory)
{
	return memory < traffic_n_memories(traffic) ? traffic->memories[memory] : NULL;
}

const struct gpmu_traffic_line *gpmu_traffic_cell(const struct gpmu_traffic *traffic, size_t source,
						  size_t memory)
{
	if (source >= traffic_n_sources(traffic) || memory >= traffic_n_memories(traffic))
		return NULL;
	return &traffic->cells[source * traffic_n_memories(traffic) + memory];
}

const struct gpmu_traffic_line *gpmu_traffic_sum(const struct gpmu_traffic *traffic, size_t index)
{
	return index < traffic->sum_count ? &traffic->rules[traffic->sums[index]].line : NULL;
}

const struct gpmu_traffic_line *gpmu_traffic_source_total(const struct gpmu_traffic *traffic,
							  size_t source)
{
	return source < traffic_n_sources(traffic) ? &traffic->source_totals[source] : NULL;
}

const struct gpmu_traffic_line *gpmu_traffic_memory_total(const struct gpmu_traffic *traffic,
							  size_t memory)
{
	return memory < traffic_n_memories(traffic) ? &traffic->memory_totals[memory] : NULL;
}

const struct gpmu_traffic_line *gpmu_traffic_total(const struct gpmu_traffic *traffic)
{
	return &traffic->total;
}

const struct gpmu_traffic_link *gpmu_traffic_link(const struct gpmu_traffic *traffic, size_t index)
{
	return index < traffic->link_count ? &traffic->links[index].link : NULL;
}

const struct gpmu_traffic_peak *gpmu_traffic_peak(const struct gpmu_traffic *traffic, size_t index)
{
	return index < traffic->peak_count ? &traffic->peaks[index].peak : NULL;
}
