// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "base/text/text.h"
#include "catalog/catalog.h"
#include "event/event_build.h"
#include "machine/pmu.h"
#include "plugin/source_object.h"

#define MAX_PMU	128

/* Finds the name as given, else in upper or lower case. */
static const char *sysfs_name(const struct gpmu_pmu *pmu, const char *name)
{
	const char *other;

	if (gpmu_pmu_event(pmu, name))
		return name;
	for (size_t i = 0; (other = gpmu_pmu_event_name(pmu, i)); i++)
		if (!text_compare(other, name))
			return other;
	return NULL;
}

static int find_def(const struct event_builder *builder, const char *pmu, const char *name,
		    const struct gpmu_event_def **event)
{
	int ret;

	errno = 0;
	*event = catalog_find_event(builder->catalog, pmu, name, builder->machine);
	if (!*event)
		return errno == ENOMEM ? -ENOMEM : 0;
	ret = gpmu_event_def_supported(*event, builder->machine);
	if (ret <= 0)
		*event = NULL;
	return ret;
}

/*
 * Shortens NAME_0_inst_1 to NAME_0, and NAME_0 or NAME12 to NAME; false if it does not end
 * with a number.
 */
static bool shorten(char *name)
{
	static const char instance[] = "_inst";
	size_t length = strlen(name), end = length, word = sizeof(instance) - 1;

	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	if (end == length)
		return false;
	end -= end && name[end - 1] == '_';
	if (end > word && !strncmp(name + end - word, instance, word))
		end -= word;
	name[end] = '\0';
	return end;
}

/* Finds the event in the catalog, where PMUs have no numbers and core PMUs no name. */
static int find_in_catalog(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			   const char *name, const struct gpmu_event_def **event)
{
	char base[MAX_PMU];
	int ret = 0;

	*event = NULL;
	if (!builder->catalog || strlen(gpmu_pmu_name(pmu)) >= sizeof(base))
		return 0;
	stpcpy(base, gpmu_pmu_name(pmu));
	if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
		ret = find_def(builder, NULL, name, event);
	if (!ret)
		ret = find_def(builder, base, name, event);
	while (!ret && shorten(base))
		ret = find_def(builder, base, name, event);
	return ret;
}

/* perf's generic names are also terms of a PMU: armv8_pmuv3_0/cycles/, software/cs/. */
static bool find_generic(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			const char *name, struct event_alias *alias)
{
	bool is_core = gpmu_pmu_kind(pmu) == GPMU_PMU_CORE, is_software;

	is_software = gpmu_pmu_type(pmu) == PERF_TYPE_SOFTWARE;
	if (!is_core && !is_software)
		return false;
	if (!event_find_generic(name, &alias->type, &alias->config) ||
	    is_software != (alias->type == PERF_TYPE_SOFTWARE))
		return false;
	if (is_core)
		alias->config = event_generic_config(builder, pmu, alias->config);
	return true;
}

static bool find_in_source(const struct gpmu_pmu *pmu, const char *name, struct event_alias *alias)
{
	struct gpmu_source_event_info event;

	if (!source_find_event(pmu, name, &event))
		return false;
	*alias = (struct event_alias){
		.terms = event.terms, .scale = event.scale, .unit = event.unit, .is_mean = event.mean,
		.is_absent = event.absent,
	};
	return true;
}

int event_find_alias(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name,
		     struct event_alias *alias)
{
	const struct gpmu_event_def *event;
	const char *sysfs;
	int ret;

	*alias = (struct event_alias){ .scale = 1 };
	ret = find_in_catalog(builder, pmu, name, &event);
	if (ret < 0)
		return error_no_memory(&builder->why);
	if (event) {
		alias->terms = gpmu_event_def_terms(event);
		alias->scale = event_def_scale(event);
		alias->unit = gpmu_event_def_unit(event);
	}
	/* sysfs overrides built-in definitions, and an added definition overrides both. */
	sysfs = event && event_def_is_added(event) ? NULL : sysfs_name(pmu, name);
	if (sysfs) {
		double scale = pmu_event_scale(pmu, sysfs);
		const char *unit = gpmu_pmu_event_unit(pmu, sysfs);

		alias->terms = gpmu_pmu_event(pmu, sysfs);
		if (unit || scale != 1) {
			alias->scale = scale;
			alias->unit = unit;
		}
	}
	if (sysfs || event)
		return 1;
	if (find_in_source(pmu, name, alias))
		return 1;
	return find_generic(builder, pmu, name, alias);
}

void event_near_aliases(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			struct nearest *nearest)
{
	bool is_core = gpmu_pmu_kind(pmu) == GPMU_PMU_CORE;
	struct gpmu_source_event_info shown;
	const struct gpmu_event_def *event;
	const char *target;

	for (size_t i = 0; gpmu_pmu_event_name(pmu, i); i++)
		gpmu_nearest_try(nearest, gpmu_pmu_event_name(pmu, i));
	for (size_t i = 0; source_event(pmu, i, &shown); i++)
		gpmu_nearest_try(nearest, shown.name);
	for (size_t i = 0; (event = event_def(builder, i)); i++) {
		target = gpmu_event_def_pmu(event);
		if ((target ? event_pmu_is(pmu, target) : is_core) &&
		    gpmu_event_def_supported(event, builder->machine) > 0)
			gpmu_nearest_try(nearest, gpmu_event_def_name(event));
	}
}
