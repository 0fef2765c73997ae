// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes the lines of a flow: rules, cells, links and peaks, with their names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/flow.h"

static const char *const initiators[FLOW_INITIATORS] = {
	[FLOW_CPU] = "CPU %d",
	[FLOW_PCIE] = "PCIe %d",
	[FLOW_ATS] = "GPU %d ATS",
	[FLOW_NATS] = "GPU %d non-ATS",
};

/* Replaces each %d or %s of a pattern by the next socket number. */
static char *print_numbers(const char *pattern, const int *numbers)
{
	char text[256];
	size_t length = 0;

	for (; *pattern && length < sizeof(text) - 12; pattern++) {
		if (*pattern == '%') {
			length += (size_t)sprintf(text + length, "%d", *numbers++);
			pattern++;
		} else {
			text[length++] = *pattern;
		}
	}
	text[length] = '\0';
	return strdup(text);
}

static void *more(void *list, size_t n, size_t size)
{
	char *bigger = reallocarray(list, n + 1, size);

	if (bigger)
		memset(bigger + n * size, 0, size);
	return bigger;
}

static bool is_pair(const struct gpmu_flow *flow, enum flow_each each, size_t source, size_t home)
{
	switch (each) {
	case EACH_LOCAL:
		return source == home;
	case EACH_REMOTE:
		return source != home;
	case EACH_OTHERS:
		/* Any one of the other sockets represents them all as home. */
		return flow->n_sockets > 1 && home == (source == 0);
	default:
		return !source && !home;
	}
}

/* Calls @add for each pair of source and home to which the rule applies. */
static int for_each(struct gpmu_flow *flow, enum flow_each each,
		    int (*add)(struct gpmu_flow *flow, const void *rule, size_t source,
			       size_t home),
		    const void *rule)
{
	int ret = 0;

	for (size_t source = 0; source < flow->n_sockets; source++)
		for (size_t home = 0; home < flow->n_sockets && !ret; home++)
			if (is_pair(flow, each, source, home))
				ret = add(flow, rule, source, home);
	return ret;
}

/* --- flows --- */

/* Formats "PCIe 0 -> CMEM, GMEM 1, 2, 3". */
static char *name_sum(const struct gpmu_flow *flow, const struct flow_sum *sum)
{
	const struct flow_rule *rule = sum->rule;
	const char *between = " ";
	char text[256];
	size_t length;

	length = (size_t)snprintf(
		text, sizeof(text), "%s -> %s%s%s",
		flow->sources[flow_source_index(flow, rule->initiator, sum->source)],
		rule->memories & FLOW_CMEM ? "CMEM" : "",
		rule->memories == (FLOW_CMEM | FLOW_GMEM) ? ", " : "",
		rule->memories & FLOW_GMEM ? "GMEM" : "");
	for (size_t home = 0; home < flow->n_sockets; home++) {
		if (rule->each == EACH_OTHERS ? home == sum->source : home != sum->home)
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%d", between,
					   flow->sockets[home]);
		between = ", ";
	}
	return strdup(text);
}

static int add_rule(struct gpmu_flow *flow, const void *rule, size_t source, size_t home)
{
	struct flow_sum *rules = more(flow->rules, flow->n_rules, sizeof(*rules)), *sum;
	size_t *sums;

	if (!rules)
		return -ENOMEM;
	flow->rules = rules;
	sum = &rules[flow->n_rules++];
	*sum = (struct flow_sum){
		.rule = rule, .source = source, .home = home, .line = { .size = sizeof(sum->line) }
	};
	sum->line.name = name_sum(flow, sum);
	if (!sum->line.name)
		return -ENOMEM;
	/* With a single Grace, nothing is subtracted for other sockets. */
	sum->line.note = flow->n_sockets > 1 || !sum->rule->part_count ? sum->rule->note : NULL;
	if (sum->rule->each != EACH_OTHERS && sum->rule->memories != (FLOW_CMEM | FLOW_GMEM))
		return 0;
	sums = more(flow->sums, flow->sum_count, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	flow->sums = sums;
	sums[flow->sum_count++] = flow->n_rules - 1;
	return 0;
}

static int make_rules(struct gpmu_flow *flow)
{
	int ret = 0;

	for (size_t i = 0; i < flow_n_rules && !ret; i++)
		if (flow_rules[i].chips & flow->chip)
			ret = for_each(flow, flow_rules[i].each, add_rule, &flow_rules[i]);
	return ret;
}

/* --- sources, memories, cells --- */

static int make_names(struct gpmu_flow *flow)
{
	size_t i;

	for (i = 0; i < flow_n_sources(flow); i++) {
		flow->sources[i] = print_numbers(initiators[i % flow->n_initiators],
						 &flow->sockets[i / flow->n_initiators]);
		if (!flow->sources[i])
			return -ENOMEM;
		flow->source_totals[i] =
			(struct gpmu_flow_line){ .size = sizeof(struct gpmu_flow_line),
						 .name = flow->sources[i] };
	}
	for (i = 0; i < flow_n_memories(flow); i++) {
		flow->memories[i] = print_numbers(i % flow->kind_count ? "GMEM %d" : "CMEM %d",
						  &flow->sockets[i / flow->kind_count]);
		if (!flow->memories[i])
			return -ENOMEM;
		flow->memory_totals[i] =
			(struct gpmu_flow_line){ .size = sizeof(struct gpmu_flow_line),
						 .name = flow->memories[i] };
	}
	flow->total = (struct gpmu_flow_line){ .size = sizeof(flow->total), .name = "all" };
	return 0;
}

static int make_cells(struct gpmu_flow *flow)
{
	size_t n = flow_n_memories(flow);

	for (size_t i = 0; i < flow_n_sources(flow) * n; i++) {
		struct gpmu_flow_line *cell = &flow->cells[i];

		cell->size = sizeof(*cell);
		cell->read = cell->write = flow_nothing();
		cell->name = text_print("%s -> %s", flow->sources[i / n], flow->memories[i % n]);
		if (!cell->name)
			return -ENOMEM;
	}
	return 0;
}

/* --- links and peaks --- */

static int add_link(struct gpmu_flow *flow, const void *rule, size_t source, size_t home)
{
	const int numbers[] = { flow->sockets[source], flow->sockets[home] };
	struct flow_link *links = more(flow->links, flow->n_links, sizeof(*links)), *link;

	if (!links)
		return -ENOMEM;
	flow->links = links;
	link = &links[flow->n_links++];
	*link = (struct flow_link){ .rule = rule, .source = source, .home = home };
	link->link.size = sizeof(link->link);
	link->link.note = link->rule->note;
	link->link.name = print_numbers(link->rule->name, numbers);
	return link->link.name ? 0 : -ENOMEM;
}

static int add_peak(struct gpmu_flow *flow, const void *rule, size_t source, size_t home)
{
	const int numbers[] = { flow->sockets[source], flow->sockets[home] };
	struct flow_peak *peaks = more(flow->peaks, flow->n_peaks, sizeof(*peaks)), *peak;

	if (!peaks)
		return -ENOMEM;
	flow->peaks = peaks;
	peak = &peaks[flow->n_peaks++];
	*peak = (struct flow_peak){ .rule = rule, .source = source, .home = home };
	peak->peak.size = sizeof(peak->peak);
	peak->peak.origin = peak->rule->origin;
	peak->peak.name = print_numbers(peak->rule->name, numbers);
	return peak->peak.name ? 0 : -ENOMEM;
}

static int make_links(struct gpmu_flow *flow)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < flow_n_link_rules && !ret; i++)
		if ((flow_link_rules[i].chips & flow->chip) &&
		    flow->n_sockets >= flow_link_rules[i].least_sockets)
			ret = for_each(flow, flow_link_rules[i].each, add_link,
				       &flow_link_rules[i]);
	for (i = 0; i < flow_n_peak_rules && !ret; i++)
		if ((flow_peak_rules[i].chips & flow->chip) &&
		    flow->n_sockets >= flow_peak_rules[i].least_sockets)
			ret = for_each(flow, flow_peak_rules[i].each, add_peak,
				       &flow_peak_rules[i]);
	return ret;
}

int flow_make_lines(struct gpmu_flow *flow)
{
	size_t sources = flow_n_sources(flow), memories = flow_n_memories(flow);
	int ret;

	flow->title =
		text_print("%s, %zu socket%s",
			   flow->chip == FLOW_SUPERCHIP ?
				   flow->n_sockets == 1 ? "Grace CPU" : "Grace CPU Superchip" :
				   "Grace Hopper",
			   flow->n_sockets, flow->n_sockets == 1 ? "" : "s");
	flow->sources = calloc(sources, sizeof(*flow->sources));
	flow->memories = calloc(memories, sizeof(*flow->memories));
	flow->source_totals = calloc(sources, sizeof(*flow->source_totals));
	flow->memory_totals = calloc(memories, sizeof(*flow->memory_totals));
	flow->cells = calloc(sources * memories, sizeof(*flow->cells));
	if (!flow->title || !flow->sources || !flow->memories || !flow->source_totals ||
	    !flow->memory_totals || !flow->cells)
		return -ENOMEM;
	ret = make_names(flow);
	if (!ret)
		ret = make_cells(flow);
	if (!ret)
		ret = make_rules(flow);
	if (!ret)
		ret = make_links(flow);
	return ret;
}
