// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the PMU of an event name that has none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "catalog/catalog.h"
#include "event/event_build.h"
#include "machine/machine.h"

static const struct {
	const char *name;
	enum event_tool tool;
} tools[] = {
	{ "duration_time", EVENT_TOOL_DURATION_TIME },
	{ "user_time", EVENT_TOOL_USER_TIME },
	{ "system_time", EVENT_TOOL_SYSTEM_TIME },
};

static enum event_tool find_tool(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		if (!strcmp(tools[i].name, name))
			return tools[i].tool;
	return EVENT_TOOL_NONE;
}

static int add_tool(struct event_builder *builder, const char *name, enum event_tool tool)
{
	if (builder->text.length || *builder->modifiers)
		return event_fail(builder, name, EINVAL, "%s takes no terms and no modifiers",
				  name);
	builder->form.tool = tool;
	return event_add(builder, NULL, &builder->form.attr, strdup(name));
}

/*
 * Returns whether sysfs or the catalog has the event for this PMU, other than by perf's generic
 * names
 */
static int has_event(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name)
{
	struct event_alias alias;
	int ret = event_find_alias(builder, pmu, name, &alias);

	return ret > 0 ? alias.terms != NULL : ret;
}

static int add_event(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name,
		     bool is_qualified)
{
	struct perf_event_attr attr = builder->form.attr;
	int ret = event_apply(builder, pmu, name, &attr);

	if (ret)
		return ret;
	return event_add(builder, pmu, &attr,
			 event_instance_name(builder, is_qualified ? pmu : NULL, name));
}

/* Adds the event on the core PMUs; 1 if they have it. */
static int add_on_cores(struct event_builder *builder, const char *name)
{
	bool has_several = event_count_cores(builder->machine) > 1;
	const struct gpmu_pmu *pmu;
	int found = 0, ret = 0;

	for (size_t i = 0; ret >= 0 && (pmu = event_next_core(builder->machine, &i)); ) {
		ret = has_event(builder, pmu, name);
		if (ret <= 0)
			continue;
		found = 1;
		ret = add_event(builder, pmu, name, has_several);
	}
	return ret < 0 ? ret : found;
}

/* Adds the event on the other PMUs that have it and all formats of its terms. */
static int add_on_others(struct event_builder *builder, const char *name)
{
	struct gpmu_error first = { .size = sizeof(first) };
	const struct gpmu_pmu *pmu;
	int ret = 0;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(builder->machine, i)); i++) {
		if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
			continue;
		ret = has_event(builder, pmu, name);
		if (ret > 0)
			ret = add_event(builder, pmu, name, true);
		if (ret < 0 && ret != -ENOENT)
			return ret;
		if (ret && !*first.text)
			first = builder->why;
	}
	if (builder->event->length)
		return 1;
	builder->why = first;
	return *first.text ? -ENOENT : 0;
}

/*
 * Returns whether the name is only the kernel's: of a software event, and of no event that was added to the catalog.
 * Neither a built-in event of the cores nor one in sysfs has such a name.
 */
static bool is_software(const struct event_builder *builder, const char *name, uint32_t type)
{
	const struct gpmu_catalog *catalog = builder->catalog;

	return type == PERF_TYPE_SOFTWARE &&
	       !(catalog && catalog_has_added(catalog) && catalog_find_event(catalog, NULL, name, NULL));
}

int event_add_bare(struct event_builder *builder, const char *name)
{
	enum event_tool tool = find_tool(name);
	uint64_t config = 0;
	uint32_t type = 0;
	bool is_generic = event_find_generic(name, &type, &config);
	int ret;

	if (tool) {
		ret = add_tool(builder, name, tool);
		return ret ? ret : 1;
	}
	if (!is_generic || !is_software(builder, name, type)) {
		ret = machine_need_counters(builder->machine, &builder->why);
		if (!ret)
			ret = event_add_raw(builder, name);
		if (!ret)
			ret = add_on_cores(builder, name);
		if (ret)
			return ret;
	}
	if (!is_generic)
		return add_on_others(builder, name);
	ret = event_add_generic(builder, name, type, config);
	return ret ? ret : 1;
}

/* Fails if the catalog has the event for another machine. */
static int fail_other_machine(struct event_builder *builder, const char *name)
{
	const struct gpmu_event_def *event;
	const char *pmu, *cpu;

	for (size_t i = 0; (event = event_def(builder, i)); i++) {
		if (strcasecmp(gpmu_event_def_name(event), name))
			continue;
		pmu = gpmu_event_def_pmu(event);
		cpu = gpmu_event_def_cpu(event);
		if (pmu)
			return event_fail(builder, name, ENODEV, "this machine has no PMU %.60s",
					  pmu);
		return event_fail(builder, name, ENODEV,
				  "this machine does not have the CPUs of this event%s%.60s",
				  cpu ? ": " : "", cpu ? cpu : "");
	}
	return 0;
}

int event_fail_bare(struct event_builder *builder, const char *name)
{
	const struct gpmu_pmu *pmu;
	struct nearest nearest;
	const char *generic;
	int ret;

	ret = fail_other_machine(builder, name);
	if (ret)
		return ret;
	if (event_next_pmu(builder->machine, name, &(size_t){ 0 }))
		return event_fail(builder, name, EINVAL,
				  "%.60s is a PMU: expected %.60s/event/", name, name);
	gpmu_nearest_init(&nearest, name);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		gpmu_nearest_try(&nearest, tools[i].name);
	for (size_t i = 0; (pmu = gpmu_machine_pmu(builder->machine, i)); i++)
		event_near_aliases(builder, pmu, &nearest);
	for (size_t i = 0; (generic = event_generic_name(i)); i++)
		gpmu_nearest_try(&nearest, generic);
	if (!nearest.name)
		return event_fail(builder, name, ENOENT, "there is no event %.60s", name);
	return event_fail(builder, name, ENOENT, "there is no event %.60s, did you mean %.60s?",
			  name, nearest.name);
}
