// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/vector.h"
#include "cupti_events.h"

#define PER_SECOND	".per_second"
#define PER_CYCLE	".per_cycle_"
#define PERCENT		".pct"

/* The suffix of a listed metric */
static const char *natural_suffix(const struct host_metric *metric)
{
	switch (metric->type) {
	case CUPTI_METRIC_TYPE_COUNTER:
		return ".sum";
	case CUPTI_METRIC_TYPE_RATIO:
		/* A hit rate is a percentage, "thread_inst_executed_per_inst_executed" is not. */
		return strstr(metric->name, "_per_") ? ".ratio" : ".pct";
	default:
		return ".avg.pct_of_peak_sustained_elapsed";
	}
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && !strcmp(text + length - strlen(end), end);
}

static const char *short_unit(const char *unit)
{
	if (!strcmp(unit, "byte"))
		return "B";
	if (!strcmp(unit, "nanosecond"))
		return "ns";
	return strcmp(unit, "percent") ? unit : "%";
}

/* Metrics of links that not all GPUs of a chip have */
static enum nv_need need_of(const struct host_metric *metric)
{
	static const struct {
		const char *unit;
		enum nv_need need;
	} links[] = {
		{ "ctc__", NEED_C2C }, { "nvlrx__", NEED_NVLINK }, { "nvltx__", NEED_NVLINK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (strstr(metric->name, links[i].unit))
			return links[i].need;
	return NEED_NOTHING;
}

char *events_unit(const struct host_metric *metric, const char *suffix)
{
	const char *unit = short_unit(metric->unit);
	char *text = NULL;

	if (strstr(suffix, PERCENT))
		return strdup("%");
	if (metric->type == CUPTI_METRIC_TYPE_RATIO || !*unit)
		return NULL;
	if (asprintf(&text, "%s%s", unit, ends_with(suffix, PER_SECOND) ? "/s" :
		     strstr(suffix, PER_CYCLE) ? "/cycle" : "") < 0)
		return NULL;
	return text;
}

static void free_event(struct event *event)
{
	if (!event)
		return;
	free(event->name);
	free(event->unit);
	free(event);
}

/* The scale lets integrals over ns fit into 64 bits for hours, and keeps digits of small values. */
static double scale_of(const struct host_metric *metric, const char *suffix)
{
	if (ends_with(suffix, PER_SECOND))
		return 1e9;
	if (metric->type != CUPTI_METRIC_TYPE_COUNTER || strstr(suffix, PERCENT) ||
	    strstr(suffix, PER_CYCLE))
		return 1;
	return 1e3;
}

static void describe(struct event *event, size_t number, const char *suffix)
{
	const char *description = event->metric->description;
	bool is_count = event->metric->type == CUPTI_METRIC_TYPE_COUNTER && !strcmp(suffix, ".sum");

	snprintf(event->terms, sizeof(event->terms), "event=0x%zx", number);
	event->unit = events_unit(event->metric, suffix);
	event->info = (struct gpmu_source_event_info){
		.size = sizeof(event->info),
		.name = event->name,
		.terms = event->terms,
		.unit = event->unit,
		.scale = is_count ? 1 : scale_of(event->metric, suffix),
		.mean = !is_count,
		.description = *description ? description : NULL,
	};
	event->need = need_of(event->metric);
	event->lacking = event->info;
	event->lacking.absent = 1;
	event->lacking.why = nv_need_why(event->need);
}

static struct event *add_event(struct events *events, const struct host_metric *metric,
			       const char *suffix)
{
	struct event *event = calloc(1, sizeof(*event)), **added = NULL;

	if (!event || asprintf(&event->name, "%s%s", metric->name, suffix) < 0) {
		free(event);
		return NULL;
	}
	event->metric = metric;
	describe(event, events->length, suffix);
	added = vector_append(events->events, events->length);
	if (added) {
		*added = event;
		return event;
	}
	free_event(event);
	return NULL;
}

int events_init(struct events *events, const struct host *host)
{
	*events = (struct events){ .host = host };
	for (size_t i = 0; i < host->length; i++)
		if (!add_event(events, &host->metrics[i], natural_suffix(&host->metrics[i])))
			return -ENOMEM;
	events->listed = events->length;
	return 0;
}

void events_release(struct events *events)
{
	for (size_t i = 0; i < events->length; i++)
		free_event(events->events[i]);
	free(events->events);
	*events = (struct events){ 0 };
}

static int passes_of(const struct events *events, const struct event *event)
{
	const char *const names[] = { event->name };
	struct gpmu_error error = { .size = sizeof(error) };
	struct host_config config;
	int passes = 0;

	if (!host_configure(events->host, names, 1, &config, &error))
		passes = (int)config.passes;
	host_config_release(&config);
	return passes;
}

struct event *events_find(struct events *events, const char *name)
{
	const struct host_metric *metric;
	struct event *event = NULL;
	const char *suffix;

	for (size_t i = 0; i < events->length && !event; i++)
		if (!strcmp(events->events[i]->name, name))
			event = events->events[i];
	if (!event) {
		metric = host_find(events->host, name, &suffix);
		event = metric ? add_event(events, metric, suffix) : NULL;
	}
	/* Looked up at the first use, because the passes of all events of a chip take seconds. */
	if (event && !event->info.passes)
		event->info.passes = event->lacking.passes = passes_of(events, event);
	return event;
}

struct event *events_get(const struct events *events, uint64_t number)
{
	return number < events->length ? events->events[number] : NULL;
}
