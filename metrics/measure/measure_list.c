// SPDX-License-Identifier: LGPL-2.1-or-later
/* Resolves the names of a list: metrics, events and metric groups. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/gpmu_nearest.h"
#include "catalog/gpmu_legacy.h"
#include "measure/measure.h"

struct element {
	const char *begin;
	size_t length, offset;
};

/*
 * Finds the next element of @list at *@pos, up to a comma outside of braces and slashes. False at
 * the end of the list
 */
static bool next_element(const char *list, size_t *pos, struct element *element)
{
	bool has_slashes = false;
	int braces = 0;
	size_t end;

	while (isspace((unsigned char)list[*pos]) || list[*pos] == ',')
		++*pos;
	element->begin = list + *pos;
	element->offset = end = *pos;
	for (; list[end]; end++) {
		if (list[end] == '/')
			has_slashes = !has_slashes;
		else if (list[end] == '{')
			braces++;
		else if (list[end] == '}')
			braces--;
		else if (list[end] == ',' && !has_slashes && braces <= 0)
			break;
	}
	*pos = end;
	while (end > element->offset && isspace((unsigned char)list[end - 1]))
		end--;
	element->length = end - element->offset;
	return element->length > 0;
}

/* The name without a filter or modifiers; the caller frees it. */
static char *name_of(const struct element *element)
{
	size_t length = strcspn(element->begin, "/:");

	return strndup(element->begin, length < element->length ? length : element->length);
}

/* The metric of that name, preferably one for this machine. NULL with errno 0 or ENOMEM */
static const struct gpmu_metric *find_metric(const struct gpmu *gpmu, const char *name)
{
	errno = 0;
	return gpmu_catalog_find_metric(gpmu->catalog, name, gpmu->machine);
}

static bool is_event(const struct gpmu *gpmu, const char *text)
{
	struct gpmu_event *event = gpmu_event_new(gpmu->machine, gpmu->catalog, text, NULL);

	gpmu_event_free(event);
	return event;
}

/* 1: a metric or a metric group, 0: an event, or a name that is unknown; -ENOMEM */
static int is_metric(const struct gpmu *gpmu, const struct element *element, const char *text)
{
	char *name = name_of(element);
	int ret;

	if (!name)
		return -ENOMEM;
	if (find_metric(gpmu, name))
		ret = 1;
	else if (errno == ENOMEM)
		ret = -ENOMEM;
	else
		ret = gpmu_catalog_group_metric(gpmu->catalog, name, 0) && !is_event(gpmu, text);
	free(name);
	return ret;
}

/*
 * Sets the error of a name that is neither a metric nor an event; @why is that of the event. Returns
 * -ENOENT, or -ENOTSUP or -ENOMEM for a name of CUPTI's former APIs
 */
static int unknown(const struct gpmu *gpmu, const char *name, size_t offset,
		   const struct gpmu_error *why, struct gpmu_error *error)
{
	const struct gpmu_metric *metric;
	struct nearest nearest;
	const char *group;
	int ret = gpmu_legacy_refuse(name, offset, error);

	if (ret)
		return ret;
	gpmu_nearest_init(&nearest, name);
	for (size_t i = 0; (metric = gpmu_catalog_metric(gpmu->catalog, i)); i++)
		gpmu_nearest_try(&nearest, gpmu_metric_name(metric));
	for (size_t i = 0; (group = gpmu_catalog_group(gpmu->catalog, i)); i++)
		gpmu_nearest_try(&nearest, group);
	if (nearest.name)
		error_set(error, offset, "there is no metric or event %.60s, did you mean %.60s?",
			  name, nearest.name);
	else if (strstr(why->text, "did you mean"))
		error_set(error, offset + why->offset, "%s", why->text);
	else
		error_set(error, offset, "there is no metric or event %.60s", name);
	return -ENOENT;
}

static int add(const struct gpmu *gpmu, struct gpmu_plan *plan, const char *text, int metric,
	       size_t offset, struct gpmu_error *error)
{
	struct gpmu_error why = { .size = sizeof(why) };
	int ret = metric ? gpmu_plan_add_metrics(plan, text, &why) :
			   gpmu_plan_add_events(plan, text, &why);

	if (ret == -ENOENT && !metric && !strpbrk(text, "/{"))
		ret = unknown(gpmu, text, offset, &why, error);
	else if (ret)
		error_set(error, offset + why.offset, "%s", why.text);
	return ret;
}

/* Returns whether each group of a plan counts tasks; false also for a plan without groups. */
static bool counts_tasks(const struct gpmu_plan *plan)
{
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++) {
		const struct gpmu_pmu *pmu = gpmu_plan_group_pmu(plan, i);

		if (pmu && (gpmu_pmu_source(pmu) || (gpmu_pmu_kind(pmu) != GPMU_PMU_CORE &&
						     gpmu_pmu_has_cpumask(pmu))))
			return false;
	}
	return gpmu_plan_group_count(plan) > 0;
}

/* Makes a plan of this element alone. 1: each thread can count it, 0: not, or -errno */
static int is_own(const struct gpmu *gpmu, const char *text, int metric, size_t offset,
		  struct gpmu_error *error)
{
	struct gpmu_plan *plan = gpmu_plan_new(gpmu->machine, gpmu->catalog, NULL, error);
	int ret = plan ? add(gpmu, plan, text, metric, offset, error) : -errno;

	ret = ret ?: gpmu_plan_make(plan, error) ?: counts_tasks(plan);
	gpmu_plan_free(plan);
	return ret;
}

static int add_element(struct gpmu *gpmu, const struct element *element, bool is_apart,
		       struct gpmu_error *error)
{
	char *text = strndup(element->begin, element->length);
	int metric = text ? is_metric(gpmu, element, text) : -ENOMEM, own = 0, ret = metric;

	if (metric >= 0 && is_apart)
		ret = own = is_own(gpmu, text, metric, element->offset, error);
	if (ret >= 0)
		ret = add(gpmu, own ? gpmu->own : gpmu->common, text, metric, element->offset,
			  error);
	if (ret == -ENOMEM)
		error_no_memory(error);
	free(text);
	return ret;
}

int measure_list(struct gpmu *gpmu, const char *list, bool is_apart, struct gpmu_error *error)
{
	struct element element;
	size_t pos = 0;
	int ret = 0;

	if (!next_element(list, &pos, &element)) {
		error_set(error, 0, "expected names of metrics or events");
		return -EINVAL;
	}
	do
		ret = add_element(gpmu, &element, is_apart, error);
	while (!ret && next_element(list, &pos, &element));
	return ret;
}

static bool is_of_gpu(const char *pmu)
{
	return pmu && (!strncmp(pmu, "nvidia_gpu", strlen("nvidia_gpu")) ||
		       !strncmp(pmu, "nvidia_nvml", strlen("nvidia_nvml")));
}

int measure_needs_gpu(const struct gpmu *gpmu, const char *list)
{
	struct element element;
	int needs = 0;
	size_t pos = 0;

	while (!needs && next_element(list, &pos, &element)) {
		char *name = name_of(&element);
		const struct gpmu_metric *metric = name ? find_metric(gpmu, name) : NULL;

		needs = !name || (!metric && errno == ENOMEM) ? -ENOMEM : is_of_gpu(name) ||
			(metric && is_of_gpu(gpmu_metric_pmu(metric)));
		free(name);
	}
	return needs;
}
