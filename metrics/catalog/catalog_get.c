// SPDX-License-Identifier: LGPL-2.1-or-later
/* The members of a metric and of an event */
#include <string.h>

#include "catalog/catalog.h"

static const char *description(const struct catalog_entry *entry)
{
	return entry->description ? entry->description : entry->details;
}

static const char *details(const struct catalog_entry *entry)
{
	if (!entry->description || !entry->details ||
	    !strcmp(entry->description, entry->details))
		return NULL;
	return entry->details;
}

static double scale(const struct catalog_entry *entry)
{
	return entry->scale ? entry->scale : 1;
}

const char *gpmu_metric_name(const struct gpmu_metric *metric)
{
	return metric->entry.name;
}

const char *gpmu_metric_expr(const struct gpmu_metric *metric)
{
	return metric->expr;
}

const char *gpmu_metric_threshold(const struct gpmu_metric *metric)
{
	return metric->threshold;
}

const char *gpmu_metric_group(const struct gpmu_metric *metric, size_t index)
{
	size_t i;

	if (!metric->groups)
		return NULL;
	for (i = 0; i < index && metric->groups[i]; i++)
		;
	return metric->groups[i];
}

const char *gpmu_metric_description(const struct gpmu_metric *metric)
{
	return description(&metric->entry);
}

const char *gpmu_metric_details(const struct gpmu_metric *metric)
{
	return details(&metric->entry);
}

const char *gpmu_metric_unit(const struct gpmu_metric *metric)
{
	return metric->entry.unit;
}

double metric_scale(const struct gpmu_metric *metric)
{
	return scale(&metric->entry);
}

const char *gpmu_metric_pmu(const struct gpmu_metric *metric)
{
	return metric->entry.pmu;
}

const char *gpmu_metric_compat(const struct gpmu_metric *metric)
{
	return metric->entry.compat;
}

const char *gpmu_metric_cpu(const struct gpmu_metric *metric)
{
	return metric->entry.file->cpu;
}

const char *gpmu_metric_file(const struct gpmu_metric *metric)
{
	return metric->entry.file->name;
}

unsigned int gpmu_metric_line(const struct gpmu_metric *metric)
{
	return metric->entry.line;
}

const char *gpmu_event_def_name(const struct gpmu_event_def *event)
{
	return event->entry.name;
}

const char *gpmu_event_def_terms(const struct gpmu_event_def *event)
{
	return event->terms;
}

const char *gpmu_event_def_topic(const struct gpmu_event_def *event)
{
	return event->entry.file->topic;
}

const char *gpmu_event_def_description(const struct gpmu_event_def *event)
{
	return description(&event->entry);
}

const char *gpmu_event_def_details(const struct gpmu_event_def *event)
{
	return details(&event->entry);
}

const char *gpmu_event_def_unit(const struct gpmu_event_def *event)
{
	return event->entry.unit;
}

bool catalog_has_added(const struct gpmu_catalog *catalog)
{
	return catalog->order > catalog_builtin.order;
}

bool event_def_is_added(const struct gpmu_event_def *event)
{
	return event->entry.order >= catalog_builtin.order;
}

double event_def_scale(const struct gpmu_event_def *event)
{
	return scale(&event->entry);
}

const char *gpmu_event_def_pmu(const struct gpmu_event_def *event)
{
	return event->entry.pmu;
}

const char *gpmu_event_def_compat(const struct gpmu_event_def *event)
{
	return event->entry.compat;
}

const char *gpmu_event_def_cpu(const struct gpmu_event_def *event)
{
	return event->entry.file->cpu;
}

const char *gpmu_event_def_file(const struct gpmu_event_def *event)
{
	return event->entry.file->name;
}

unsigned int gpmu_event_def_line(const struct gpmu_event_def *event)
{
	return event->entry.line;
}
