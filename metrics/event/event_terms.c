// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Applies terms to perf_event_attr: those in PMU/TERMS/, and those that define an event in
 * sysfs or the catalog.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/event_build.h"

enum known {
	KNOWN_CONFIG,	/* config=, ...: sets the whole field */
	KNOWN_NAME,
	KNOWN_NOTHING,	/* ignored */
	KNOWN_LEGACY,	/* from the catalog: number of a generic event */
	KNOWN_OTHER,	/* not about counting: refused */
};

#define RECORD_ONLY	"supported by perf record only"

/* Terms that mean the same on every PMU */
static const struct known_term {
	const char *name;
	enum known known;
	uint32_t type;		/* for KNOWN_LEGACY */
	const char *why;
} known_terms[] = {
	{ .name = "config", .known = KNOWN_CONFIG },
	{ .name = "config1", .known = KNOWN_CONFIG },
	{ .name = "config2", .known = KNOWN_CONFIG },
	{ .name = "config3", .known = KNOWN_CONFIG },
	{ .name = "config4", .known = KNOWN_CONFIG },
	{ .name = "name", .known = KNOWN_NAME },
	{ .name = "metric-id", .known = KNOWN_NOTHING },
	{ .name = "legacy-hardware-config", .known = KNOWN_LEGACY, .type = PERF_TYPE_HARDWARE },
	{ .name = "legacy-cache-config", .known = KNOWN_LEGACY, .type = PERF_TYPE_HW_CACHE },
	{ .name = "period", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "freq", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "branch_type", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "time", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "call-graph", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "stack-size", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "max-stack", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "nr", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "overwrite", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "no-overwrite", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "aux-output", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "aux-action", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "aux-sample-size", .known = KNOWN_OTHER, .why = RECORD_ONLY },
	{ .name = "inherit", .known = KNOWN_OTHER, .why = "it applies to all events of a run" },
	{ .name = "no-inherit", .known = KNOWN_OTHER, .why = "it applies to all events of a run" },
	{ .name = "cpu", .known = KNOWN_OTHER, .why = "CPUs apply to all events of a run" },
	{ .name = "percore", .known = KNOWN_OTHER, .why = "supported by perf stat only" },
	{ .name = "ratio-to-prev", .known = KNOWN_OTHER, .why = "supported by perf only" },
};

/* State while terms are applied for a PMU */
struct applied {
	struct event_builder *builder;
	const struct gpmu_pmu *pmu;	/* NULL: only terms that need no PMU */
	struct perf_event_attr *attr;
	const char *event;		/* name of the event; NULL: none */
	struct event_alias alias;	/* definition of the event */
	const char *pos;		/* position for errors */
};

static const struct known_term *find_known(const struct applied *applied, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_terms); i++) {
		if (strcmp(known_terms[i].name, name))
			continue;
		/* A PMU's format of the same name takes precedence. */
		if (known_terms[i].known >= KNOWN_LEGACY && applied->pmu &&
		    gpmu_pmu_format(applied->pmu, name))
			return NULL;
		return &known_terms[i];
	}
	return NULL;
}

/* Lists the PMU's formats: "event, root_port". */
static const char *list_formats(const struct gpmu_pmu *pmu, char *list, size_t size)
{
	const char *name;
	size_t length = 0, n;

	list[0] = '\0';
	for (size_t i = 0; (name = gpmu_pmu_format_name(pmu, i)); i++) {
		n = strlen(name);
		if (length + n + 6 > size) {
			stpcpy(list + length, ", ...");
			break;
		}
		if (length)
			length = (size_t)(stpcpy(list + length, ", ") - list);
		length = (size_t)(stpcpy(list + length, name) - list);
	}
	return length ? list : "config, config1";
}

static int fail_unknown_term(struct applied *applied, const char *name)
{
	char list[80];

	return event_fail(applied->builder, applied->pos, ENOENT,
			  "%.40s: %.40s has no such format; its formats are %s", name,
			  gpmu_pmu_name(applied->pmu),
			  list_formats(applied->pmu, list, sizeof(list)));
}

static int fail_unknown_event(struct applied *applied, const char *name)
{
	const char *pmu = gpmu_pmu_name(applied->pmu);
	struct nearest nearest;

	gpmu_nearest_init(&nearest, name);
	event_near_aliases(applied->builder, applied->pmu, &nearest);
	for (size_t i = 0; gpmu_pmu_format_name(applied->pmu, i); i++)
		gpmu_nearest_try(&nearest, gpmu_pmu_format_name(applied->pmu, i));
	if (nearest.name)
		return event_fail(applied->builder, applied->pos, ENOENT,
				  "%.100s: %.50s has no such event, did you mean %.50s?", name, pmu,
				  nearest.name);
	return event_fail(applied->builder, applied->pos, ENOENT, "%.100s: %.50s has no such event",
			  name, pmu);
}

static int parse_format(struct applied *applied, const char *name, struct event_format *format)
{
	const char *text = gpmu_pmu_format(applied->pmu, name);
	int ret;

	if (!text)
		return fail_unknown_term(applied, name);
	ret = event_format_parse(text, format);
	if (ret == -ENOTSUP)
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%.40s is in %.20s, which libgpmu was built without", name, text);
	if (ret)
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%.40s: format of %.40s is \"%.40s\", expected such as "
				  "config:0-7", name, gpmu_pmu_name(applied->pmu), text);
	return 0;
}

static int apply_number(struct applied *applied, const char *name, uint64_t value)
{
	struct event_format format;
	unsigned long long max;
	int ret = parse_format(applied, name, &format);

	if (ret)
		return ret;
	max = event_format_max(&format);
	if (value > max)
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%.50s=%#llx: %.50s takes 0 to %#llx", name,
				  (unsigned long long)value, gpmu_pmu_name(applied->pmu), max);
	event_format_set(&format, applied->attr, value);
	return 0;
}

static int apply_value(struct applied *applied, const struct event_term *term)
{
	uint64_t number;

	if (!event_parse_number(term->value, &number))
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%.50s=%.50s: expected a number such as 17 or 0x11", term->name,
				  term->value);
	return apply_number(applied, term->name, number);
}

/* Sets all of config, config1, ... */
static int apply_config(struct applied *applied, const struct event_term *term)
{
	struct event_format format;
	uint64_t number;
	char text[24];

	snprintf(text, sizeof(text), "%s:0-63", term->name);
	if (event_format_parse(text, &format))
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%s=: this libgpmu was built without it", term->name);
	if (!term->value || !event_parse_number(term->value, &number))
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%s=: expected a number such as 17 or 0x11", term->name);
	event_format_set(&format, applied->attr, number);
	return 0;
}

/* Sets a core PMU's generic event by its number, as in the catalog. */
static int apply_legacy(struct applied *applied, const struct event_term *term, uint32_t type)
{
	uint64_t number;

	if (!term->value || !event_parse_number(term->value, &number) || number > 0xffffff)
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%s=: expected a number from 0 to 0xffffff", term->name);
	applied->attr->type = type;
	applied->attr->config = event_generic_config(applied->builder, applied->pmu, number);
	return 0;
}

/* An event's term "core=?" requires a value from the user. */
static int apply_parameter(struct applied *applied, const struct event_term *term)
{
	const struct event_text *text = &applied->builder->text;

	for (size_t i = 0; i < text->length; i++)
		if (!strcmp(text->terms[i].name, term->name) && text->terms[i].value)
			return 0;
	return event_fail(applied->builder, applied->pos, EINVAL,
			  "%.60s needs \"%.60s=\" and a value", applied->event, term->name);
}

static int apply_event_term(struct applied *applied, const struct event_term *term)
{
	const struct known_term *known = find_known(applied, term->name);

	if (known && known->known == KNOWN_CONFIG)
		return apply_config(applied, term);
	if (known && known->known == KNOWN_LEGACY)
		return apply_legacy(applied, term, known->type);
	if (known)
		return 0;
	if (!term->value)
		return apply_number(applied, term->name, 1);
	if (!strcmp(term->value, "?"))
		return apply_parameter(applied, term);
	return apply_value(applied, term);
}

/* Applies the terms of the PMU's event: 1, or 0 if the PMU has no such event. */
static int apply_event(struct applied *applied, const char *name)
{
	struct event_alias alias;
	struct event_term *terms;
	const char *error_pos;
	size_t length;
	char *body;
	int ret = event_find_alias(applied->builder, applied->pmu, name, &alias);

	if (ret <= 0)
		return ret;
	if (applied->event)
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%.60s and %.60s are two events", applied->event, name);
	applied->event = name;
	applied->alias = alias;
	if (!alias.terms) {
		applied->attr->type = alias.type;
		applied->attr->config = alias.config;
		return 1;
	}
	body = strdup(alias.terms);
	if (!body)
		return error_no_memory(&applied->builder->why);
	ret = event_terms_split(body, &terms, &length, &error_pos);
	if (ret) {
		free(body);
		return ret == -ENOMEM ? error_no_memory(&applied->builder->why) :
		       event_fail(applied->builder, applied->pos, EINVAL,
				  "%.60s is \"%.60s\", which is not a list of terms", name, alias.terms);
	}
	for (size_t i = 0; i < length && !ret; i++)
		ret = apply_event_term(applied, &terms[i]);
	free(terms);
	free(body);
	return ret ? ret : 1;
}

static int apply_flag(struct applied *applied, const struct event_term *term)
{
	const char *text = gpmu_pmu_format(applied->pmu, term->name);
	struct event_format format;
	int ret = apply_event(applied, term->name);

	if (ret)
		return ret < 0 ? ret : 0;
	if (!text)
		return fail_unknown_event(applied, term->name);
	ret = parse_format(applied, term->name, &format);
	if (ret)
		return ret;
	if (event_format_max(&format) > 1)
		return event_fail(applied->builder, applied->pos, EINVAL,
				  "%.60s needs a value from 0 to %#llx", term->name,
				  (unsigned long long)event_format_max(&format));
	event_format_set(&format, applied->attr, 1);
	return 0;
}

static int apply_term(struct applied *applied, const struct event_term *term)
{
	uint64_t number;
	int ret;

	applied->pos = term->name;
	if (find_known(applied, term->name))
		return 0;	/* handled by event_apply_common() */
	if (!term->value)
		return apply_flag(applied, term);
	/* "event=cycles" */
	if (!strcmp(term->name, "event") && !event_parse_number(term->value, &number)) {
		applied->pos = term->value;
		ret = apply_event(applied, term->value);
		if (ret)
			return ret < 0 ? ret : 0;
		if (*term->value && (*term->value < '0' || *term->value > '9'))
			return fail_unknown_event(applied, term->value);
	}
	return apply_value(applied, term);
}

/* The unit of an event must be the same on all its PMUs. */
static int set_unit(struct applied *applied)
{
	struct gpmu_event *event = applied->builder->event;
	const struct event_alias *alias = &applied->alias;

	/* The error of a PMU that cannot count the event, kept until another PMU has the event */
	if (alias->is_absent && (event->has_unit || !alias->unit))
		return 0;
	if (!event->has_unit) {
		event->has_unit = !alias->is_absent;
		free(event->unit);
		event->unit = alias->unit ? strdup(alias->unit) : NULL;
		event->scale = alias->scale;
		event->is_mean = alias->is_mean;
		return alias->unit && !event->unit ? error_no_memory(&applied->builder->why) : 0;
	}
	if (text_is_same(alias->unit, event->unit) && alias->is_mean == event->is_mean &&
	    alias->scale <= event->scale && alias->scale >= event->scale)
		return 0;
	return event_fail(applied->builder, applied->builder->text.head, EINVAL,
			  "its PMUs count in different units: name one PMU, such as %.60s",
			  gpmu_pmu_name(applied->pmu));
}

static int apply_known(struct applied *applied, const struct event_term *term,
		       const struct known_term *known)
{
	struct gpmu_event *event = applied->builder->event;

	applied->pos = term->name;
	switch (known->known) {
	case KNOWN_CONFIG:
		return apply_config(applied, term);
	case KNOWN_NAME:
		if (!term->value || !*term->value)
			return event_fail(applied->builder, term->name, EINVAL,
					  "name= needs a name");
		free(event->label);
		event->label = strdup(term->value);
		return event->label ? 0 : error_no_memory(&applied->builder->why);
	case KNOWN_NOTHING:
		return 0;
	default:
		return event_fail(applied->builder, term->name, EINVAL, "%s=: %s", term->name,
				  known->why ? known->why : "supported in perf's own event lists only");
	}
}

static int apply_all_known(struct applied *applied, bool is_only)
{
	const struct event_text *text = &applied->builder->text;
	const struct known_term *known;
	int ret = 0;

	for (size_t i = 0; i < text->length && !ret; i++) {
		known = find_known(applied, text->terms[i].name);
		if (known)
			ret = apply_known(applied, &text->terms[i], known);
		else if (is_only)
			ret = event_fail(applied->builder, text->terms[i].name, ENOENT,
					 "%.60s: %.60s has no such format", text->terms[i].name,
					 text->head);
	}
	return ret;
}

int event_apply_common(struct event_builder *builder, struct perf_event_attr *attr)
{
	struct applied applied = { .builder = builder, .attr = attr };

	return apply_all_known(&applied, true);
}

int event_apply(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name,
		struct perf_event_attr *attr)
{
	struct applied applied = {
		.builder = builder, .pmu = pmu, .attr = attr, .alias = { .scale = 1 },
		.pos = builder->text.head,
	};
	const struct event_text *text = &builder->text;
	int ret;

	attr->type = gpmu_pmu_type(pmu);
	/* As in perf, terms that set a whole field come first, regardless of their order. */
	ret = apply_all_known(&applied, false);
	if (!ret && name) {
		ret = apply_event(&applied, name);
		if (!ret)
			return fail_unknown_event(&applied, name);
		ret = ret < 0 ? ret : 0;
	}
	for (size_t i = 0; i < text->length && !ret; i++)
		ret = apply_term(&applied, &text->terms[i]);
	return ret ? ret : set_unit(&applied);
}
