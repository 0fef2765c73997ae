// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parses a list of metrics and metric groups, the argument of -M. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "machine/machine.h"
#include "plan/plan_build.h"

/* NAME/FILTER/:MODIFIERS */
struct element {
	char *name, *filter, *modifiers;	/* NULL: none */
	size_t offset, filter_offset;
};

static int fail(struct gpmu_error *error, size_t offset, const char *text)
{
	error_set(error, offset, "%s", text);
	return -EINVAL;
}

static size_t skip_blanks(const char *list, size_t pos)
{
	while (isspace((unsigned char)list[pos]))
		pos++;
	return pos;
}

static void release_element(struct element *element)
{
	free(element->name);
	free(element->filter);
	free(element->modifiers);
}

/* Copies the text up to one of @ends, without trailing blanks. */
static char *part(const char *list, size_t *pos, const char *ends)
{
	size_t first = *pos, length;

	*pos += strcspn(list + *pos, ends);
	length = *pos - first;
	while (length && isspace((unsigned char)list[first + length - 1]))
		length--;
	return strndup(list + first, length);
}

/* Parses the filter between slashes, then the modifiers after ":" as "perf stat -M" does. */
static int parse_rest(struct element *element, const char *list, size_t *pos,
		      struct gpmu_error *error)
{
	size_t slash = *pos;

	if (list[*pos] == '/') {
		element->filter_offset = ++*pos;
		element->filter = part(list, pos, "/");
		if (!element->filter)
			return -ENOMEM;
		if (!list[*pos])
			return fail(error, slash, "the \"/\" that ends the filter is missing");
		if (!*element->filter)
			return fail(error, slash, "there is no filter between the slashes");
		*pos = skip_blanks(list, *pos + 1);
	}
	if (list[*pos] == ':') {
		++*pos;
		element->modifiers = part(list, pos, ",");
		if (!element->modifiers)
			return -ENOMEM;
		if (!*element->modifiers)
			return fail(error, *pos, "a modifier is missing after \":\"");
	}
	return list[*pos] && list[*pos] != ',' ? fail(error, *pos, "expected \",\" or \":\"") : 0;
}

/* Parses the next element; @pos is left at the "," or at the end. */
static int parse(struct element *element, const char *list, size_t *pos, struct gpmu_error *error)
{
	int ret;

	*pos = skip_blanks(list, *pos);
	*element = (struct element){ .offset = *pos };
	element->name = part(list, pos, ",/:");
	if (!element->name)
		return -ENOMEM;
	if (*element->name)
		ret = parse_rest(element, list, pos, error);
	else
		ret = fail(error, element->offset, "expected the name of a metric");
	if (ret)
		release_element(element);
	return ret;
}

/* --- resolving a name to metrics --- */

static int add_metric(struct gpmu_plan *plan, const struct gpmu_metric *metric,
		      const struct plan_request *request, struct gpmu_error *error)
{
	size_t index;
	int ret;

	ret = plan_add_metric(plan, metric, request, &index, error);
	if (ret || plan_has_metric(plan, index))
		return ret;
	return vector_append_value(plan->items, plan->item_count,
				   (struct plan_item){ .kind = PLAN_ITEM_METRIC, .index = index });
}

/*
 * Finds the metric of that name for this machine: 1 if the machine supports it, 0, or
 * -ENOMEM
 */
static int find_for_machine(const struct gpmu_plan *plan, const char *name,
		      const struct gpmu_metric **metric)
{
	*metric = gpmu_catalog_find_metric(plan->catalog, name, plan->machine);
	if (!*metric)
		return -ENOMEM;
	return gpmu_metric_supported(*metric, plan->machine);
}

/* Adds the metrics of a group that the machine supports, or all of them if it supports none. */
static int add_group(struct gpmu_plan *plan, const struct element *element,
		     const struct plan_request *request, bool *is_found, struct gpmu_error *error)
{
	const struct gpmu_metric *metric;
	int have = 0, all, ret;

	for (all = 0; all < 2 && !have; all++) {
		for (size_t i = 0; (metric = gpmu_catalog_group_metric(plan->catalog, element->name, i));
		     i++) {
			*is_found = true;
			ret = find_for_machine(plan, gpmu_metric_name(metric), &metric);
			if (ret < 0)
				return ret;
			have |= ret;
			if (!ret && !all)
				continue;
			ret = add_metric(plan, metric, request, error);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int add_named(struct gpmu_plan *plan, const struct element *element,
		     const struct plan_request *request, struct gpmu_error *error)
{
	const struct gpmu_metric *metric;
	bool is_found = false;
	int ret = 0;

	errno = 0;
	metric = gpmu_catalog_find_metric(plan->catalog, element->name, plan->machine);
	if (metric)
		ret = add_metric(plan, metric, request, error);
	else if (errno == ENOMEM)
		ret = -ENOMEM;
	if (!ret)
		ret = add_group(plan, element, request, &is_found, error);
	if (!ret && !metric && !is_found)
		ret = plan_unknown(plan, element->name, element->offset, error);
	return ret;
}

static int add_element(struct gpmu_plan *plan, const struct element *element,
		       struct gpmu_error *error)
{
	struct plan_filter filter;
	struct plan_request request = {
		.filter = &filter, .filter_text = element->filter,
		.modifiers = element->modifiers, .offset = element->offset,
	};
	size_t first = plan->metric_count;
	int ret;

	ret = plan_filter_init(&filter, element->filter, element->filter_offset, error);
	if (ret)
		return ret;
	if (element->filter)
		request.offset = element->filter_offset;
	ret = add_named(plan, element, &request, error);
	if (!ret)
		ret = plan_filter_check(&filter, plan, first, element->filter_offset, error);
	plan_filter_release(&filter);
	return ret;
}

int gpmu_plan_add_metrics(struct gpmu_plan *plan, const char *list, struct gpmu_error *error)
{
	struct plan_mark mark = plan_mark(plan);
	struct element element;
	size_t pos = 0;
	int ret;

	if (plan_is_made(plan, error))
		return -EBUSY;
	ret = machine_need_counters(plan->machine, error);
	if (ret)
		return ret;
	do {
		ret = parse(&element, list, &pos, error);
		if (ret)
			break;
		ret = add_element(plan, &element, error);
		release_element(&element);
	} while (!ret && list[pos++] == ',');
	if (ret)
		plan_rewind(plan, mark);
	if (ret == -ENOMEM)
		error_no_memory(error);
	return ret;
}
