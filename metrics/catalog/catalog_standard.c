// SPDX-License-Identifier: LGPL-2.1-or-later
/* ArchStdEvent: an entry takes missing members from an entry of a file arch/ARCH/NAME.json. */
#include <errno.h>
#include <string.h>

#include "catalog/catalog.h"

/* Architecture of files that are not in a tree like perf's */
#define DEFAULT_ARCH	"arm64"

static void complete(struct catalog_entry *entry, const struct catalog_entry *standard)
{
	if (!entry->description)
		entry->description = standard->description;
	if (!entry->details)
		entry->details = standard->details;
	if (!entry->scale) {
		entry->scale = standard->scale;
		entry->unit = standard->unit;
	}
}

static const struct catalog_entry *find(const struct catalog_list *list,
					const struct catalog_reference *reference)
{
	const char *arch = reference->metric.entry.file->arch;
	const struct catalog_file file = { .cpu = arch ? arch : DEFAULT_ARCH };
	const struct catalog_entry wanted = { .key = reference->standard, .file = &file };
	size_t i = catalog_list_find(list, &wanted);

	if (i == list->length || catalog_compare(list->entries[i], &wanted))
		return NULL;
	return list->entries[i];
}

static int add_event(struct catalog_load *load, const struct catalog_reference *reference,
		     const struct catalog_entry *standard)
{
	struct gpmu_event_def *event = catalog_pool_alloc(&load->pool, sizeof(*event));

	if (!event)
		return -ENOMEM;
	event->entry = reference->metric.entry;
	event->entry.name = event->entry.key;
	event->terms = ((const struct gpmu_event_def *)standard)->terms;
	complete(&event->entry, standard);
	return catalog_list_add(&load->events, &event->entry);
}

static int add_metric(struct catalog_load *load, struct catalog_reference *reference,
		      const struct catalog_entry *standard)
{
	const struct gpmu_metric *from = (const struct gpmu_metric *)standard;
	struct gpmu_metric *metric = &reference->metric;

	if (!metric->expr)
		metric->expr = from->expr;
	if (!metric->threshold)
		metric->threshold = from->threshold;
	if (!metric->constraint)
		metric->constraint = from->constraint;
	if (!metric->groups)
		metric->groups = from->groups;
	complete(&metric->entry, standard);
	return catalog_list_add(&load->metrics, &metric->entry);
}

static int resolve(struct catalog_load *load, struct catalog_reference *reference,
		   const struct catalog_list *metrics, const struct catalog_list *events)
{
	const struct catalog_entry *entry = &reference->metric.entry;
	const struct catalog_entry *metric = find(metrics, reference);
	const struct catalog_entry *event = find(events, reference);

	if (metric && (reference->metric.expr || !event))
		return add_metric(load, reference, metric);
	if (event)
		return add_event(load, reference, event);
	return catalog_warn(load, entry->file->name, entry->line,
			    "no file of arch/%s has the ArchStdEvent %s: left out",
			    entry->file->arch ? entry->file->arch : DEFAULT_ARCH,
			    reference->standard);
}

int catalog_resolve(struct catalog_load *load, const struct catalog_list *metrics,
		    const struct catalog_list *events)
{
	struct catalog_reference *reference;
	int ret;

	for (reference = load->references; reference; reference = reference->next) {
		ret = resolve(load, reference, metrics, events);
		if (ret)
			return ret;
	}
	return 0;
}
