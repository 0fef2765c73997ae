// SPDX-License-Identifier: LGPL-2.1-or-later
/* Suggests names for one that is neither a metric nor a metric group. */
#include <errno.h>
#include <strings.h>

#include "base/error.h"
#include "base/text/gpmu_nearest.h"
#include "catalog/gpmu_legacy.h"
#include "plan/plan_build.h"

#define MAX_NEAR	3

struct near {
	const char *names[MAX_NEAR];	/* nearest first */
	size_t length;
};

static bool is_near(const struct near *near, const char *name)
{
	for (size_t i = 0; i < near->length; i++)
		if (!strcasecmp(near->names[i], name))
			return true;
	return false;
}

static void try_metrics(const struct gpmu_plan *plan, const struct near *near,
			struct nearest *nearest)
{
	const struct gpmu_metric *metric;

	for (size_t i = 0; (metric = gpmu_catalog_metric(plan->catalog, i)); i++)
		if (!is_near(near, gpmu_metric_name(metric)))
			gpmu_nearest_try(nearest, gpmu_metric_name(metric));
}

const char *plan_nearest_metric(const struct gpmu_plan *plan, const char *wanted)
{
	const struct near none = { .length = 0 };
	struct nearest nearest;

	gpmu_nearest_init(&nearest, wanted);
	try_metrics(plan, &none, &nearest);
	return nearest.name;
}

/* Next nearest name; NULL if there is none */
static const char *find(const struct gpmu_plan *plan, const char *wanted, const struct near *near)
{
	const struct gpmu_legacy *legacy;
	struct nearest nearest;
	const char *name;

	gpmu_nearest_init(&nearest, wanted);
	try_metrics(plan, near, &nearest);
	for (size_t i = 0; (name = gpmu_catalog_group(plan->catalog, i)); i++)
		if (!is_near(near, name))
			gpmu_nearest_try(&nearest, name);
	for (size_t i = 0; (legacy = gpmu_legacy(i)); i++)
		if (!is_near(near, legacy->name))
			gpmu_nearest_try(&nearest, legacy->name);
	return nearest.name;
}

static bool is_event(const struct gpmu_plan *plan, const char *name, bool *is_out_of_memory)
{
	struct gpmu_event *event;

	errno = 0;
	event = gpmu_event_new(plan->machine, plan->catalog, name, NULL);
	*is_out_of_memory = !event && errno == ENOMEM;
	gpmu_event_free(event);
	return event != NULL;
}

int plan_unknown(const struct gpmu_plan *plan, const char *name, size_t offset,
		 struct gpmu_error *error)
{
	static const char *const between[] = { "", ": did you mean ", " or ", ", " };
	struct near near = { .length = 0 };
	const char *found;
	bool is_out_of_memory;
	int ret = gpmu_legacy_refuse(name, offset, error);

	if (ret)
		return ret;
	if (is_event(plan, name, &is_out_of_memory)) {
		error_set(error, offset, "\"%.60s\" is an event, not a metric: use -e", name);
		return -ENOENT;
	}
	if (is_out_of_memory)
		return -ENOMEM;
	while (near.length < MAX_NEAR && (found = find(plan, name, &near)))
		near.names[near.length++] = found;
	error_set(error, offset,
		  "there is no metric or metric group \"%.50s\"%s%.30s%s%.30s%s%.30s%s", name,
		  between[near.length > 0], near.length ? near.names[0] : "",
		  near.length > 1 ? between[near.length] : "", near.length > 1 ? near.names[1] : "",
		  near.length > 2 ? between[2] : "", near.length > 2 ? near.names[2] : "",
		  near.length ? "?" : "");
	return -ENOENT;
}
