// SPDX-License-Identifier: LGPL-2.1-or-later
/* Walks the messages of a section and selects the metrics that its filters accept. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/sized.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "section/section.h"

#define MAX_PLACE	256

struct gpmu_section_metrics {
	VECTOR(struct gpmu_section_metric) metrics;
	VECTOR(char *) texts;	/* owned by the metrics */
};

struct walk {
	struct gpmu_section_metrics *selected;
	struct gpmu_section_target target;
	struct map definitions;		/* struct section_field by the hash of its name */
	char place[MAX_PLACE];
	bool can_have_patterns;	/* of the message */
};

/* Takes an allocated text. Returns it, or NULL without memory. */
static const char *keep(struct walk *walk, char *text)
{
	if (text && !vector_push(&walk->selected->texts, &text))
		return text;
	free(text);
	return NULL;
}

/* Sets @joined to the texts of a repeated field, separated by ","; NULL: it has none. Returns 0 or -ENOMEM. */
static int join(struct walk *walk, const struct section_field *message, const char *name, const char **joined)
{
	const struct section_field *field = NULL;
	size_t size = 0;
	char *text, *end;

	while ((field = section_field_next(message, name, field)))
		size += strlen(field->text) + 1;
	if (!size)
		return 0;
	text = end = malloc(size);
	while (text && (field = section_field_next(message, name, field))) {
		end = stpcpy(end, field->text);
		*end++ = ',';
	}
	if (text)
		end[-1] = '\0';
	*joined = keep(walk, text);
	return *joined ? 0 : -ENOMEM;
}

/*
 * Returns the option that replaces a metric: the first whose filter accepts the target; NULL: none, also if the
 * architecture is not known
 */
static const struct section_field *find_option(const struct walk *walk, const struct section_field *metric,
					       const struct section_filters *filters)
{
	const struct section_field *option = NULL;

	while (walk->target.arch && (option = section_field_next(metric, "Options", option))) {
		struct section_filters inside = section_filters_inside(filters, option);

		if (section_filters_accept(&inside, &walk->target))
			return option;
	}
	return NULL;
}

/* Returns the formula of a name that the section itself defines for the target; or NULL */
static const char *find_definition(const struct walk *walk, const char *name)
{
	const struct section_field *definition = map_object(&walk->definitions, text_hash(name, strlen(name)));

	return definition && !strcmp(section_field_text(definition, "Name"), name) ?
	       section_field_text(definition, "Expression") : NULL;
}

/* Notes the definitions of a list that the target has; the first of several with a name stays. Returns 0 or -ENOMEM. */
static int note_definitions(struct walk *walk, const struct section_field *list, const struct section_filters *outside)
{
	for (size_t i = 0; i < list->n; i++) {
		struct section_field *definition = &list->list[i];
		struct section_filters filters = section_filters_inside(outside, definition);
		const char *name = section_field_text(definition, "Name");
		union map_cell *cell;
		bool is_added;

		if (!name || !section_filters_accept(&filters, &walk->target))
			continue;
		cell = map_add(&walk->definitions, text_hash(name, strlen(name)), &is_added);
		if (!cell)
			return -ENOMEM;
		if (is_added)
			cell->pointer = definition;
	}
	return 0;
}

static int note_all_definitions(struct walk *walk, const struct section_field *root)
{
	const struct section_filters outside = section_filters_inside(&(struct section_filters){ .n = 0 }, root);
	const struct section_field *list = NULL;
	int ret = 0;

	while (!ret && (list = section_field_next(root, "MetricDefinitions", list)))
		ret = note_definitions(walk, list, &outside);
	return ret;
}

static int push(struct walk *walk, const struct gpmu_section_metric *metric)
{
	struct gpmu_section_metric selected = *metric;
	const bool is_pattern = metric->name && section_is_pattern(metric->name);

	if (!metric->name || !*metric->name || (is_pattern && !walk->can_have_patterns))
		return 0;
	selected.is_pattern = is_pattern;
	selected.name += is_pattern ? strlen(SECTION_PATTERN) : 0;
	selected.place = keep(walk, strdup(walk->place));
	if (!selected.expr)
		selected.expr = find_definition(walk, selected.name);
	return selected.place ? vector_push(&walk->selected->metrics, &selected) : -ENOMEM;
}

static int add_metric(struct walk *walk, const struct section_field *message, const struct section_filters *outer)
{
	struct section_filters filters = section_filters_inside(outer, message);
	const struct section_field *option = find_option(walk, message, &filters);
	const char *label = option ? section_field_text(option, "Label") : NULL;
	struct gpmu_section_metric metric = {
		.name = section_field_text(option ? option : message, "Name"),
		.label = label ? label : section_field_text(message, "Label"),
		.description = section_field_text(message, "Description"),
		.expr = section_field_text(message, "UserMetricExpr"),
		.multiplier = section_field_number(message, "Multiplier", 1),
		.importance = section_filters_importance(&filters),
		.has_instances = section_field_number(message, "ShowInstances", 0) != 0,
		.line = message->line,
	};
	int ret;

	if (!option && !section_filters_accept(&filters, &walk->target))
		return 0;
	ret = join(walk, message, "Groups", &metric.groups);
	if (!ret)
		ret = join(walk, message, "CtrDomains", &metric.domains);
	return ret ? ret : push(walk, &metric);
}

/* Returns the base name and the suffix with one "." between them; NULL without memory */
static const char *join_suffix(struct walk *walk, const char *base, const char *suffix)
{
	bool has_joint = *suffix == '.' || *suffix == '_' || !*suffix || (*base && base[strlen(base) - 1] == '.');

	return keep(walk, text_print("%s%s%s", base, has_joint ? "" : ".", suffix));
}

/* Adds a base name with each of the suffixes. */
static int add_suffixes(struct walk *walk, const struct section_field *base, const struct section_field *suffixes,
			const struct section_filters *filters)
{
	const char *base_name = section_field_text(base, "Name");
	const struct section_field *suffix = NULL;
	int ret = 0;

	while (!ret && base_name && (suffix = section_field_next(suffixes, "Suffix", suffix))) {
		const char *name = section_field_text(suffix, "Name");
		struct gpmu_section_metric metric = {
			.name = name ? join_suffix(walk, base_name, name) : NULL,
			.label = section_field_text(base, "Label"),
			.multiplier = 1,
			.importance = section_filters_importance(filters),
			.line = base->line,
		};

		ret = name && !metric.name ? -ENOMEM : push(walk, &metric);
	}
	return ret;
}

static int add_suffix_table(struct walk *walk, const struct section_field *table, const struct section_filters *outer)
{
	const struct section_field *names = section_field_find(table, "BaseNames"), *base = NULL;
	int ret = 0;

	while (!ret && (base = section_field_next(names, "BaseName", base))) {
		struct section_filters filters = section_filters_inside(outer, base);

		if (section_filters_accept(&filters, &walk->target))
			ret = add_suffixes(walk, base, section_field_find(table, "Suffixes"), &filters);
	}
	return ret;
}

/* A defined metric is computed whether or not a table shows it. */
static int add_definition(struct walk *walk, const struct section_field *definition,
			  const struct section_filters *outer)
{
	struct section_filters filters = section_filters_inside(outer, definition);
	const struct gpmu_section_metric metric = {
		.name = section_field_text(definition, "Name"),
		.expr = section_field_text(definition, "Expression"),
		.multiplier = 1,
		.importance = section_filters_importance(&filters),
		.line = definition->line,
	};

	return metric.expr && section_filters_accept(&filters, &walk->target) ? push(walk, &metric) : 0;
}

static int walk_message(struct walk *walk, const struct section_field *message, const struct section_filters *outer);

/* Descends into a field that is a message. */
static int walk_field(struct walk *walk, const struct section_field *field, const struct section_filters *outer)
{
	const size_t length = strlen(walk->place);
	int ret;

	if (!field->kind->message)
		return 0;
	snprintf(walk->place + length, sizeof(walk->place) - length, "%s%s", length ? "/" : "", field->kind->name);
	if (field->kind->message == &section_metric)
		ret = add_metric(walk, field, outer);
	else if (field->kind->message == &section_suffix_table)
		ret = add_suffix_table(walk, field, outer);
	else if (field->kind->message == &section_definition)
		ret = add_definition(walk, field, outer);
	else
		ret = walk_message(walk, field, outer);
	walk->place[length] = '\0';
	return ret;
}

/* A message whose own filter refuses the target is not shown, so a filter inside cannot accept it again. */
static int walk_message(struct walk *walk, const struct section_field *message, const struct section_filters *outer)
{
	struct section_filters filters = section_filters_inside(outer, message);
	const bool is_item = message->kind && message->kind->message == &section_item;
	int ret = 0;

	if (is_item && !section_filters_accept(&filters, &walk->target))
		return 0;
	for (size_t i = 0; !ret && i < message->n; i++) {
		walk->can_have_patterns = message->kind && message->kind->message->has_patterns;
		ret = walk_field(walk, &message->list[i], &filters);
	}
	return ret;
}

struct gpmu_section_metrics *gpmu_section_select(const struct gpmu_section *section,
						 const struct gpmu_section_target *target)
{
	struct walk walk = { .selected = calloc(1, sizeof(*walk.selected)) };
	int ret = walk.selected ? 0 : -ENOMEM;

	sized_copy(&walk.target, sizeof(walk.target), target);
	if (!ret)
		ret = note_all_definitions(&walk, &section->root);
	if (!ret)
		ret = walk_message(&walk, &section->root, &(struct section_filters){ .n = 0 });
	map_release(&walk.definitions);
	if (!ret)
		return walk.selected;
	gpmu_section_metrics_free(walk.selected);
	errno = ENOMEM;
	return NULL;
}

void gpmu_section_metrics_free(struct gpmu_section_metrics *metrics)
{
	if (!metrics)
		return;
	for (size_t i = 0; i < metrics->texts.n; i++)
		free(metrics->texts.list[i]);
	vector_free(&metrics->texts);
	vector_free(&metrics->metrics);
	free(metrics);
}

const struct gpmu_section_metric *gpmu_section_metrics_at(const struct gpmu_section_metrics *metrics, size_t index)
{
	return index < metrics->metrics.n ? &metrics->metrics.list[index] : NULL;
}
