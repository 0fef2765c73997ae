// SPDX-License-Identifier: LGPL-2.1-or-later
/* Collects the events that the rules need, each once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "traffic/traffic.h"
#include "values/rows.h"

static const char *const kind_names[] = {
	[GPMU_PMU_SCF] = "nvidia_scf_pmu",	    [GPMU_PMU_PCIE] = "nvidia_pcie_pmu",
	[GPMU_PMU_C2C0] = "nvidia_nvlink_c2c0_pmu", [GPMU_PMU_C2C1] = "nvidia_nvlink_c2c1_pmu",
	[GPMU_PMU_CNVLINK] = "nvidia_cnvlink_pmu",
};

/* --- texts of events --- */

static const struct gpmu_pmu *find_pmu(const struct gpmu_traffic *traffic, enum gpmu_pmu_kind kind,
				       size_t socket, char *name, size_t size)
{
	snprintf(name, size, "%s_%d", kind_names[kind], traffic->sockets[socket]);
	return gpmu_machine_find_pmu(traffic->machine, name);
}

/* Number of bits in a format: 10 for "config1:0-9"; 1 for any other form */
static unsigned long width_of(const char *format)
{
	const char *colon = strchr(format, ':');
	unsigned long low, high;
	char *end;

	if (!colon)
		return 1;
	low = strtoul(colon + 1, &end, 10);
	high = *end == '-' ? strtoul(end + 1, NULL, 10) : low;
	return high >= low && high - low < 63 ? high - low + 1 : 1;
}

/*
 * Writes a filter with all bits set, ",root_port=0x3ff", because a driver may count
 * nothing without it; or "".
 */
static void write_filter(const struct gpmu_pmu *pmu, const char *filter, size_t number, char *text,
			 size_t size)
{
	const char *format = filter ? gpmu_pmu_format(pmu, filter) : NULL;
	unsigned long long bits;

	*text = '\0';
	if (!format)
		return;
	bits = number == SIZE_MAX ? (1ull << width_of(format)) - 1 : 1ull << number;
	snprintf(text, size, ",%s=0x%llx", filter, bits);
}

/* Returns 0 or -ENOMEM. An event that cannot be counted gets the reason. */
static int make_event(const struct gpmu_traffic *traffic, struct traffic_event *event,
		      enum gpmu_pmu_kind kind, size_t socket, const char *name, const char *filter,
		      size_t number)
{
	char pmu_name[64], bits[64];
	const struct gpmu_pmu *pmu = find_pmu(traffic, kind, socket, pmu_name, sizeof(pmu_name));

	if (!pmu) {
		event->why = text_print("there is no %s", pmu_name);
	} else if (!gpmu_pmu_event(pmu, name)) {
		event->why = text_print("%s has no event %s", pmu_name, name);
	} else if (number != SIZE_MAX && filter && !gpmu_pmu_format(pmu, filter)) {
		event->why = text_print("%s has no filter %s", pmu_name, filter);
	} else {
		write_filter(pmu, filter, number, bits, sizeof(bits));
		event->text = text_print("%s/%s%s/", pmu_name, name, bits);
	}
	event->count = (struct traffic_count){
		.state = event->text ? GPMU_TRAFFIC_NOT_COUNTED : GPMU_TRAFFIC_NOT_SUPPORTED,
		.why = event->text ? "not counted yet" : event->why,
	};
	return event->text || event->why ? 0 : -ENOMEM;
}

/* Drivers apply the filter to the PMU's cycles, too. */
static const char *filter_of(enum gpmu_pmu_kind kind)
{
	for (size_t i = 0; i < TRAFFIC_PAIRS; i++)
		if (traffic_pairs[i].kind == kind)
			return traffic_pairs[i].filter;
	return NULL;
}

/* Finds or adds the PMU's clock and sets its index. Returns 0 or -ENOMEM. */
static int need_clock(struct gpmu_traffic *traffic, enum gpmu_pmu_kind kind, size_t socket,
		      size_t *index)
{
	struct traffic_clock *added;

	for (size_t i = 0; i < traffic->clock_count; i++)
		if (traffic->clocks[i].kind == kind && traffic->clocks[i].socket == socket) {
			*index = i;
			return 0;
		}
	added = vector_append(traffic->clocks, traffic->clock_count);
	if (!added)
		return -ENOMEM;
	*index = traffic->clock_count - 1;
	*added = (struct traffic_clock){ .kind = kind, .socket = socket };
	return make_event(traffic, &added->event, kind, socket, "cycles", filter_of(kind),
			  SIZE_MAX);
}

/* Writes the name; returns whether the pattern has a number. */
static bool write_name(const char *pattern, size_t number, char *name, size_t size)
{
	const char *percent = strstr(pattern, "%d");

	if (percent)
		snprintf(name, size, "%.*s%zu%s", (int)(percent - pattern), pattern, number,
			 percent + 2);
	else
		snprintf(name, size, "%s", pattern);
	return percent != NULL;
}

static int need_bundle(struct gpmu_traffic *traffic, const struct traffic_part *part, size_t socket,
		       size_t number, void *user)
{
	const struct traffic_pair *pair = &traffic_pairs[part->pair];
	struct traffic_bundle *bundle;
	char name[64];
	int ret;

	(void)user;
	if (traffic_find_bundle(traffic, part->pair, socket, number))
		return 0;
	bundle = vector_append(traffic->bundles, traffic->bundle_count);
	if (!bundle)
		return -ENOMEM;
	*bundle = (struct traffic_bundle){ .pair = part->pair, .socket = socket, .number = number };
	ret = need_clock(traffic, pair->kind, socket, &bundle->clock);
	for (size_t i = 0; i < TRAFFIC_PAIR_EVENTS && pair->events[i].name && !ret; i++) {
		bool is_in_name = write_name(pair->events[i].name, number, name, sizeof(name));

		ret = make_event(traffic, &bundle->events[i], pair->kind, socket, name,
				 pair->filter, is_in_name ? SIZE_MAX : number);
	}
	return ret;
}

static int need_parts(struct gpmu_traffic *traffic, const struct traffic_parts *parts,
		      size_t source, size_t home)
{
	return traffic_walk(traffic, parts, source, home, need_bundle, NULL);
}

int traffic_make_events(struct gpmu_traffic *traffic)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < traffic->rule_count && !ret; i++) {
		const struct traffic_sum *sum = &traffic->rules[i];

		ret = need_parts(traffic, &sum->rule->parts, sum->source, sum->home);
	}
	for (i = 0; i < traffic_n_total_rules && !ret; i++) {
		const struct traffic_total_rule *rule = &traffic_total_rules[i];

		if (!(rule->chips & traffic->chip))
			continue;
		for (size_t home = 0; home < traffic->socket_count && !ret; home++)
			ret = need_parts(traffic, &rule->parts, home, home);
	}
	for (i = 0; i < traffic->link_count && !ret; i++) {
		const struct traffic_link *link = &traffic->links[i];

		ret = need_parts(traffic, &link->rule->source, link->source, link->home);
		if (!ret)
			ret = need_parts(traffic, &link->rule->home, link->source, link->home);
	}
	for (i = 0; i < traffic->peak_count && !ret; i++) {
		struct traffic_peak *peak = &traffic->peaks[i];

		ret = need_parts(traffic, &peak->rule->parts, peak->source, peak->home);
		if (!ret && peak->rule->is_cycles)
			ret = need_clock(traffic, peak->rule->clock, peak->source, &peak->clock);
	}
	return ret;
}

struct traffic_event *traffic_event(const struct gpmu_traffic *traffic, size_t index)
{
	if (index < traffic->clock_count)
		return &traffic->clocks[index].event;
	index -= traffic->clock_count;
	if (index < traffic->bundle_count * TRAFFIC_PAIR_EVENTS)
		return &traffic->bundles[index / TRAFFIC_PAIR_EVENTS].events[index % TRAFFIC_PAIR_EVENTS];
	return NULL;
}

/* --- list for a plan, and counts from its rows --- */

/* A text that grows; if @text is NULL, only its length is computed. */
struct list {
	char *text;
	size_t length;
};

static void put(struct list *list, const char *between, const char *text)
{
	size_t first = strlen(between), second = strlen(text);

	if (list->text) {
		memcpy(list->text + list->length, between, first);
		memcpy(list->text + list->length + first, text, second + 1);
	}
	list->length += first + second;
}

static void put_bundle(const struct traffic_bundle *bundle, struct list *list)
{
	const char *between = list->length ? ",{" : "{";
	size_t before = list->length;

	for (size_t i = 0; i < TRAFFIC_PAIR_EVENTS; i++)
		if (bundle->events[i].text) {
			put(list, between, bundle->events[i].text);
			between = ",";
		}
	if (list->length > before)
		put(list, "}", "");
}

static void put_all(const struct gpmu_traffic *traffic, struct list *list)
{
	size_t i;

	list->length = 0;
	for (i = 0; i < traffic->clock_count; i++)
		if (traffic->clocks[i].event.text)
			put(list, list->length ? "," : "", traffic->clocks[i].event.text);
	for (i = 0; i < traffic->bundle_count; i++)
		put_bundle(&traffic->bundles[i], list);
}

int gpmu_traffic_plan(const struct gpmu_traffic *traffic, struct gpmu_plan *plan,
		      struct gpmu_error *error)
{
	struct list list = { .text = NULL };
	int ret;

	put_all(traffic, &list);
	if (!list.length)
		return 0;
	list.text = malloc(list.length + 1);
	if (!list.text)
		return error_no_memory(error);
	put_all(traffic, &list);
	ret = gpmu_plan_add_events(plan, list.text, error);
	free(list.text);
	return ret;
}

static struct traffic_count count_of(const struct gpmu_row *row)
{
	struct traffic_count count = {
		.state = GPMU_TRAFFIC_OK, .share = row->share, .why = row->why,
	};
	double seconds = (double)row->enabled / 1e9;

	if (row->state == GPMU_STATE_NOT_SUPPORTED)
		count.state = GPMU_TRAFFIC_NOT_SUPPORTED;
	else if (row->state != GPMU_STATE_OK || !row->running || !row->enabled)
		count.state = GPMU_TRAFFIC_NOT_COUNTED;
	if (count.state != GPMU_TRAFFIC_OK) {
		count.why = row->why ? row->why : "its counter did not run";
		return count;
	}
	count.count = (double)row->raw;
	if (row->running < row->enabled)
		count.count *= (double)row->enabled / (double)row->running;
	count.rate = count.count / seconds;
	return count;
}

static struct traffic_event *find_event(struct gpmu_traffic *traffic, const char *name)
{
	struct traffic_event *event;

	for (size_t i = 0; (event = traffic_event(traffic, i)); i++)
		if (event->text && !strcmp(event->text, name))
			break;
	return event;
}

void gpmu_traffic_update(struct gpmu_traffic *traffic, const struct gpmu_rows *rows)
{
	struct traffic_event *event;
	size_t i;

	for (i = 0; (event = traffic_event(traffic, i)); i++)
		if (event->text)
			event->count = (struct traffic_count){ .state = GPMU_TRAFFIC_NOT_COUNTED,
							       .why = "it has no count" };
	for (i = 0; i < rows->length; i++) {
		const struct gpmu_row *row = &rows->list[i];

		event = row->metric || !row->name ? NULL : find_event(traffic, row->name);
		if (event)
			event->count = count_of(row);
	}
	traffic_compute(traffic);
}
