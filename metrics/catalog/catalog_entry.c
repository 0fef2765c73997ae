// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "catalog/catalog.h"

static int copy_value(const struct catalog_source *source, const struct catalog_object *object,
		      enum catalog_key key, const char **copy)
{
	const char *value = object->values[key];

	*copy = NULL;
	if (!value)
		return 0;
	*copy = catalog_pool_copy(&source->load->pool, value, strlen(value));
	return *copy ? 0 : -ENOMEM;
}

/* The scale of "100%" is 100 and its unit "%". */
static int set_scale(const struct catalog_source *source, const struct catalog_object *object,
		     struct catalog_entry *entry)
{
	const char *text;
	char *end;
	int ret;

	ret = copy_value(source, object, KEY_SCALE_UNIT, &text);
	if (ret || !text)
		return ret;
	entry->scale = strtod_l(text, &end, source->load->locale);
	if (!strchr("0123456789.", *text) || end == text || !isfinite(entry->scale) ||
	    entry->scale <= 0)
		return catalog_fail_key(source, KEY_SCALE_UNIT,
					"expected a number above 0 and a unit such as 1GB/s, found %s",
					text);
	end += strspn(end, " ");
	entry->unit = *end ? end : NULL;
	return 0;
}

static int init_entry(const struct catalog_source *source, const struct catalog_object *object,
		      enum catalog_key name, struct catalog_entry *entry)
{
	struct catalog_pool *pool = &source->load->pool;
	const char *text = object->values[name], *unit = object->values[KEY_UNIT];
	int ret;

	entry->file = source->file;
	entry->line = source->line;
	entry->order = source->load->order++;
	entry->key = catalog_key_of(pool, text);
	entry->name = catalog_pool_copy(pool, text, strlen(text));
	entry->pmu = unit ? catalog_pmu_of_unit(pool, unit) : NULL;
	if (!entry->key || !entry->name || (unit && !entry->pmu))
		return -ENOMEM;
	ret = copy_value(source, object, KEY_COMPAT, &entry->compat);
	if (!ret)
		ret = copy_value(source, object, KEY_BRIEF_DESCRIPTION, &entry->description);
	if (!ret)
		ret = copy_value(source, object, KEY_PUBLIC_DESCRIPTION, &entry->details);
	return ret ? ret : set_scale(source, object, entry);
}

/* "a;b" becomes { "a", "b", NULL }. */
static int set_groups(const struct catalog_source *source, const struct catalog_object *object,
		      struct gpmu_metric *metric)
{
	const char *value = object->values[KEY_METRIC_GROUP], *c;
	const char *groups[CATALOG_MAX_GROUPS], **copy;
	char *text, *group, *rest;
	size_t n = 0;

	if (!value)
		return 0;
	for (c = value; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return catalog_fail_key(source, KEY_METRIC_GROUP, "expected one line");
	text = catalog_pool_copy(&source->load->pool, value, strlen(value));
	if (!text)
		return -ENOMEM;
	for (group = strtok_r(text, ";", &rest); group; group = strtok_r(NULL, ";", &rest)) {
		if (n == CATALOG_MAX_GROUPS)
			return catalog_fail_key(source, KEY_METRIC_GROUP,
						"expected at most %d groups", CATALOG_MAX_GROUPS);
		groups[n++] = group;
	}
	if (!n)
		return 0;
	copy = catalog_pool_alloc(&source->load->pool, (n + 1) * sizeof(groups[0]));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, groups, n * sizeof(groups[0]));
	metric->groups = copy;
	return 0;
}

static int check_constraint(const struct catalog_source *source, const char *constraint)
{
	static const char *const known[] = {
		"NO_GROUP_EVENTS", "NO_GROUP_EVENTS_NMI", "NO_NMI_WATCHDOG", "NO_GROUP_EVENTS_SMT",
		"NO_THRESHOLD_AND_NMI",
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(constraint, known[i]))
			return 0;
	return catalog_fail_key(source, KEY_METRIC_CONSTRAINT,
				"expected a constraint of perf's such as NO_GROUP_EVENTS, found %s",
				constraint);
}

static int init_metric(const struct catalog_source *source, const struct catalog_object *object,
		       enum catalog_key name, struct gpmu_metric *metric)
{
	int ret = init_entry(source, object, name, &metric->entry);

	if (!ret)
		ret = copy_value(source, object, KEY_METRIC_EXPR, &metric->expr);
	if (!ret)
		ret = copy_value(source, object, KEY_METRIC_THRESHOLD, &metric->threshold);
	if (!ret)
		ret = copy_value(source, object, KEY_METRIC_CONSTRAINT, &metric->constraint);
	if (!ret && metric->constraint)
		ret = check_constraint(source, metric->constraint);
	return ret ? ret : set_groups(source, object, metric);
}

static int add_metric(const struct catalog_source *source, const struct catalog_object *object)
{
	struct gpmu_metric *metric = catalog_pool_alloc(&source->load->pool, sizeof(*metric));
	int ret;

	if (!metric)
		return -ENOMEM;
	if (!object->values[KEY_METRIC_EXPR])
		return catalog_fail_key(source, KEY_METRIC_NAME,
					"expected a MetricExpr beside it");
	ret = init_metric(source, object, KEY_METRIC_NAME, metric);
	return ret ? ret : catalog_list_add(&source->load->metrics, &metric->entry);
}

static int add_event(const struct catalog_source *source, const struct catalog_object *object)
{
	struct gpmu_event_def *event = catalog_pool_alloc(&source->load->pool, sizeof(*event));
	int ret;

	if (!event)
		return -ENOMEM;
	ret = init_entry(source, object, KEY_EVENT_NAME, &event->entry);
	if (ret)
		return ret;
	/* perf prints events in lower case. */
	event->entry.name = event->entry.key;
	ret = catalog_terms(source, object, event->entry.key, &event->terms);
	return ret ? ret : catalog_list_add(&source->load->events, &event->entry);
}

static int add_reference(const struct catalog_source *source,
			 const struct catalog_object *object)
{
	struct catalog_load *load = source->load;
	struct catalog_reference *reference;
	enum catalog_key name = KEY_ARCH_STD_EVENT;
	int ret;

	if (object->values[KEY_EVENT_NAME])
		name = KEY_EVENT_NAME;
	else if (object->values[KEY_METRIC_NAME])
		name = KEY_METRIC_NAME;
	reference = catalog_pool_alloc(&load->pool, sizeof(*reference));
	if (!reference)
		return -ENOMEM;
	reference->standard = catalog_key_of(&load->pool, object->values[KEY_ARCH_STD_EVENT]);
	if (!reference->standard)
		return -ENOMEM;
	ret = init_metric(source, object, name, &reference->metric);
	if (ret)
		return ret;
	reference->next = load->references;
	load->references = reference;
	return 0;
}

int catalog_add_object(const struct catalog_source *source, const struct catalog_object *object)
{
	const char *const *values = object->values;
	int ret = 0;

	if (object->unknown)
		ret = catalog_warn(source->load, source->file->name, source->line,
				   "%.63s is not a key of perf's: ignored", object->unknown);
	if (ret)
		return ret;
	if (values[KEY_ARCH_STD_EVENT])
		return add_reference(source, object);
	if (!values[KEY_EVENT_NAME] && !values[KEY_METRIC_NAME]) {
		if (values[KEY_METRIC_EXPR])
			return catalog_fail_key(source, KEY_METRIC_EXPR,
						"expected a MetricName beside it");
		if (values[KEY_EVENT_CODE])
			return catalog_fail_key(source, KEY_EVENT_CODE,
						"expected an EventName beside it");
		return 0;	/* such as an object that has the number of counters */
	}
	if (values[KEY_EVENT_NAME])
		ret = add_event(source, object);
	if (!ret && values[KEY_METRIC_NAME])
		ret = add_metric(source, object);
	return ret;
}
