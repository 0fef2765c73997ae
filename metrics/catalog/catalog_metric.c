// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checks whether a machine can count a metric, and explains why not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "catalog/catalog.h"
#include "expr/gpmu_expr.h"
#include "plugin/source_object.h"

/*
 * Returns whether a source has the event of "nvidia_gpu@dram__bytes_read.sum@" and none of its PMUs can
 * count it; then sets *@event. Events that are given by terms are not checked.
 */
static int is_absent(const struct gpmu_machine *machine, const char *id,
		     struct gpmu_source_event_info *event)
{
	struct gpmu_source_event_info info;
	const struct gpmu_pmu *pmu;
	char *name = strdup(id), *at_sign, *end;
	int absent = 0;

	if (!name)
		return -ENOMEM;
	at_sign = strchr(name, '@');
	end = at_sign ? strchr(at_sign + 1, '@') : NULL;
	if (end)
		*at_sign = *end = '\0';
	for (size_t i = 0; end && (pmu = gpmu_machine_pmu(machine, i)); i++) {
		if (!catalog_is_pmu(gpmu_pmu_name(pmu), name) || !source_find_event(pmu, at_sign + 1, &info))
			continue;
		absent = info.absent != 0;
		if (!absent)
			break;
		*event = info;
	}
	free(name);
	return absent;
}

/* Finds an event of the formula that the machine's source cannot count: 1, 0 or -ENOMEM */
static int find_absent(const struct gpmu_metric *metric, const struct gpmu_machine *machine,
		       struct gpmu_source_event_info *event)
{
	struct gpmu_expr *expr;
	const char *id;
	int ret = 0;

	errno = 0;
	expr = gpmu_expr_new(metric->expr, NULL, NULL);
	/* A plan reports the faults of formulas. */
	if (!expr)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; !ret && (id = gpmu_expr_id(expr, i)); i++)
		ret = is_absent(machine, id, event);
	gpmu_expr_free(expr);
	return ret;
}

/* Returns whether the machine has the metric's PMU from a source. */
static bool has_source(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; metric->entry.pmu && (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_source(pmu) && catalog_is_pmu(gpmu_pmu_name(pmu), metric->entry.pmu))
			return true;
	return false;
}

int catalog_metric_fits(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	/* Its events decide where it can be counted. */
	if (!metric->entry.pmu && !metric->entry.file->cpu)
		return 1;
	return catalog_supported(&metric->entry, machine);
}

int gpmu_metric_supported(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	struct gpmu_source_event_info absent;
	int ret = catalog_metric_fits(metric, machine);

	if (ret <= 0 || !has_source(metric, machine))
		return ret;
	ret = find_absent(metric, machine, &absent);
	return ret < 0 ? ret : !ret;
}

/* First PMU of that name; first core PMU if @name is NULL */
static const struct gpmu_pmu *first_pmu(const struct gpmu_machine *machine, const char *name)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (name ? catalog_is_pmu(gpmu_pmu_name(pmu), name) :
		    gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
			return pmu;
	return NULL;
}

char *gpmu_metric_why_not(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	const char *pmu = metric->entry.pmu, *compat = metric->entry.compat;
	const struct gpmu_pmu *first = first_pmu(machine, pmu);
	struct gpmu_source_event_info absent;
	int ret;

	if (!first)
		return pmu ? text_print("this machine has no PMU %s", pmu) :
			     text_print("this machine has no PMU of its CPUs");
	ret = pmu ? catalog_supported(&metric->entry, machine) : 0;
	if (ret > 0)
		ret = find_absent(metric, machine, &absent);
	if (ret < 0) {
		errno = -ret;
		return NULL;
	}
	if (ret)
		return absent.why ? text_print("%s", absent.why) :
			text_print("%s cannot count %s", gpmu_pmu_name(first), absent.name);
	/* Metrics of the same name can be for other identifiers. */
	if (pmu && compat && gpmu_pmu_identifier(first))
		return text_print("it is not for %s, whose identifier is %s", gpmu_pmu_name(first),
				  gpmu_pmu_identifier(first));
	if (pmu && compat)
		return text_print("it is for %s with the identifier %s", pmu, compat);
	return text_print("it is for other CPUs, those of %s", metric->entry.file->cpu);
}
