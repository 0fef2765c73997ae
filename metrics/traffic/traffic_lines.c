// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes the lines of a matrix: rules, cells, links and peaks, with their names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_plural.h"
#include "traffic/traffic.h"

static const char *const initiators[TRAFFIC_INITIATORS] = {
	[TRAFFIC_CPU] = "CPU %d",
	[TRAFFIC_PCIE] = "PCIe %d",
	[TRAFFIC_ATS] = "GPU %d ATS",
	[TRAFFIC_NATS] = "GPU %d non-ATS",
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

static bool is_pair(const struct gpmu_traffic *traffic, enum traffic_each each, size_t source,
		    size_t home)
{
	switch (each) {
	case EACH_LOCAL:
		return source == home;
	case EACH_REMOTE:
		return source != home;
	case EACH_OTHERS:
		/* Any one of the other sockets represents them all as home. */
		return traffic->socket_count > 1 && home == (source == 0);
	default:
		return !source && !home;
	}
}

/* Calls @add for each pair of source and home to which the rule applies. */
static int for_each(struct gpmu_traffic *traffic, enum traffic_each each,
		    int (*add)(struct gpmu_traffic *traffic, const void *rule, size_t source,
			       size_t home),
		    const void *rule)
{
	int ret = 0;

	for (size_t source = 0; source < traffic->socket_count; source++)
		for (size_t home = 0; home < traffic->socket_count && !ret; home++)
			if (is_pair(traffic, each, source, home))
				ret = add(traffic, rule, source, home);
	return ret;
}

/* --- flows --- */

/* Formats "PCIe 0 -> CMEM, GMEM 1, 2, 3". */
static char *name_sum(const struct gpmu_traffic *traffic, const struct traffic_sum *sum)
{
	const struct traffic_rule *rule = sum->rule;
	const char *between = " ";
	char text[256];
	size_t length;

	length = (size_t)snprintf(
		text, sizeof(text), "%s -> %s%s%s",
		traffic->sources[traffic_source_index(traffic, rule->initiator, sum->source)],
		rule->memories & TRAFFIC_CMEM ? "CMEM" : "",
		rule->memories == (TRAFFIC_CMEM | TRAFFIC_GMEM) ? ", " : "",
		rule->memories & TRAFFIC_GMEM ? "GMEM" : "");
	for (size_t home = 0; home < traffic->socket_count; home++) {
		if (rule->each == EACH_OTHERS ? home == sum->source : home != sum->home)
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%d", between,
					   traffic->sockets[home]);
		between = ", ";
	}
	return strdup(text);
}

static int add_rule(struct gpmu_traffic *traffic, const void *rule, size_t source, size_t home)
{
	struct traffic_sum *sum = vector_append(traffic->rules, traffic->rule_count);
	size_t *added;

	if (!sum)
		return -ENOMEM;
	*sum = (struct traffic_sum){
		.rule = rule, .source = source, .home = home, .line = { .size = sizeof(sum->line) }
	};
	sum->line.name = name_sum(traffic, sum);
	if (!sum->line.name)
		return -ENOMEM;
	/* With a single Grace, nothing is subtracted for other sockets. */
	sum->line.note = traffic->socket_count > 1 || !sum->rule->parts.count ? sum->rule->note : NULL;
	if (sum->rule->each != EACH_OTHERS && sum->rule->memories != (TRAFFIC_CMEM | TRAFFIC_GMEM))
		return 0;
	added = vector_append(traffic->sums, traffic->sum_count);
	if (!added)
		return -ENOMEM;
	*added = traffic->rule_count - 1;
	return 0;
}

static int make_rules(struct gpmu_traffic *traffic)
{
	int ret = 0;

	for (size_t i = 0; i < traffic_n_rules && !ret; i++)
		if (traffic_rules[i].chips & traffic->chip)
			ret = for_each(traffic, traffic_rules[i].each, add_rule, &traffic_rules[i]);
	return ret;
}

/* --- sources, memories, cells --- */

static struct gpmu_traffic_line new_line(const char *name)
{
	return (struct gpmu_traffic_line){ .size = sizeof(struct gpmu_traffic_line), .name = name };
}

static int make_names(struct gpmu_traffic *traffic)
{
	size_t i;

	for (i = 0; i < traffic_n_sources(traffic); i++) {
		traffic->sources[i] = print_numbers(initiators[i % traffic->initiator_count],
						    &traffic->sockets[i / traffic->initiator_count]);
		if (!traffic->sources[i])
			return -ENOMEM;
		traffic->source_totals[i] = new_line(traffic->sources[i]);
	}
	for (i = 0; i < traffic_n_memories(traffic); i++) {
		traffic->memories[i] = print_numbers(i % traffic->kind_count ? "GMEM %d" : "CMEM %d",
						     &traffic->sockets[i / traffic->kind_count]);
		if (!traffic->memories[i])
			return -ENOMEM;
		traffic->memory_totals[i] = new_line(traffic->memories[i]);
	}
	traffic->total = new_line("all");
	return 0;
}

static int make_cells(struct gpmu_traffic *traffic)
{
	size_t n = traffic_n_memories(traffic);

	for (size_t i = 0; i < traffic_n_sources(traffic) * n; i++) {
		struct gpmu_traffic_line *cell = &traffic->cells[i];

		*cell = new_line(text_print("%s -> %s", traffic->sources[i / n],
					    traffic->memories[i % n]));
		cell->read = cell->write = traffic_nothing();
		if (!cell->name)
			return -ENOMEM;
	}
	return 0;
}

/* --- links and peaks --- */

static int add_link(struct gpmu_traffic *traffic, const void *rule, size_t source, size_t home)
{
	const int numbers[] = { traffic->sockets[source], traffic->sockets[home] };
	struct traffic_link *link = vector_append(traffic->links, traffic->link_count);

	if (!link)
		return -ENOMEM;
	*link = (struct traffic_link){ .rule = rule, .source = source, .home = home };
	link->link.size = sizeof(link->link);
	link->link.note = link->rule->note;
	link->link.alike = link->rule->is_alike;
	link->link.name = print_numbers(link->rule->name, numbers);
	return link->link.name ? 0 : -ENOMEM;
}

static int add_peak(struct gpmu_traffic *traffic, const void *rule, size_t source, size_t home)
{
	const int numbers[] = { traffic->sockets[source], traffic->sockets[home] };
	struct traffic_peak *peak = vector_append(traffic->peaks, traffic->peak_count);

	if (!peak)
		return -ENOMEM;
	*peak = (struct traffic_peak){ .rule = rule, .source = source, .home = home };
	peak->peak.size = sizeof(peak->peak);
	peak->peak.origin = peak->rule->origin;
	peak->peak.name = print_numbers(peak->rule->name, numbers);
	return peak->peak.name ? 0 : -ENOMEM;
}

static int make_links(struct gpmu_traffic *traffic)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < traffic_n_link_rules && !ret; i++)
		if ((traffic_link_rules[i].chips & traffic->chip) &&
		    traffic->socket_count >= traffic_link_rules[i].sockets_min)
			ret = for_each(traffic, traffic_link_rules[i].each, add_link,
				       &traffic_link_rules[i]);
	for (i = 0; i < traffic_n_peak_rules && !ret; i++)
		if ((traffic_peak_rules[i].chips & traffic->chip) &&
		    traffic->socket_count >= traffic_peak_rules[i].sockets_min)
			ret = for_each(traffic, traffic_peak_rules[i].each, add_peak,
				       &traffic_peak_rules[i]);
	return ret;
}

int traffic_make_lines(struct gpmu_traffic *traffic)
{
	size_t sources = traffic_n_sources(traffic), memories = traffic_n_memories(traffic);
	int ret;

	traffic->title =
		text_print("%s, %zu %s",
			   traffic->chip == TRAFFIC_SUPERCHIP ?
				   traffic->socket_count == 1 ? "Grace CPU" : "Grace CPU Superchip" :
				   "Grace Hopper",
			   traffic->socket_count, gpmu_plural(traffic->socket_count, "socket", "sockets"));
	traffic->sources = calloc(sources, sizeof(*traffic->sources));
	traffic->memories = calloc(memories, sizeof(*traffic->memories));
	traffic->source_totals = calloc(sources, sizeof(*traffic->source_totals));
	traffic->memory_totals = calloc(memories, sizeof(*traffic->memory_totals));
	traffic->cells = calloc(sources * memories, sizeof(*traffic->cells));
	if (!traffic->title || !traffic->sources || !traffic->memories || !traffic->source_totals ||
	    !traffic->memory_totals || !traffic->cells)
		return -ENOMEM;
	ret = make_names(traffic);
	if (!ret)
		ret = make_cells(traffic);
	if (!ret)
		ret = make_rules(traffic);
	if (!ret)
		ret = make_links(traffic);
	return ret;
}
