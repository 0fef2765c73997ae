// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "catalog/catalog.h"
#include "gpmu.h"
#include "section/section_set.h"

struct gpmu_section_set *gpmu_section_set_new(const struct gpmu_machine *machine)
{
	struct gpmu_section_set *set = calloc(1, sizeof(*set));

	if (set)
		set->machine = machine;
	return set;
}

void gpmu_section_set_free(struct gpmu_section_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->counted.n; i++) {
		free(set->counted.list[i].name);
		free(set->counted.list[i].formula);
		free(set->counted.list[i].unit);
	}
	for (size_t i = 0; i < set->reasons.n; i++) {
		free(set->reasons.list[i].names);
		free(set->reasons.list[i].text);
	}
	vector_free(&set->counted);
	vector_free(&set->reasons);
	free(set);
}

static bool has_metric(const struct gpmu_section_set *set, const char *name)
{
	for (size_t i = 0; i < set->counted.n; i++)
		if (!strcmp(set->counted.list[i].name, name))
			return true;
	return false;
}

/* Returns whether the text @names, separated by ", ", has the name. */
static bool has_name(const char *names, const char *name)
{
	const size_t length = strlen(name);

	for (const char *found = names; (found = strstr(found, name)); found += length)
		if ((found == names || found[-1] == ' ') && (!found[length] || found[length] == ','))
			return true;
	return false;
}

/* Adds a name to those of the reason. Returns 0 or -ENOMEM. */
static int add_reason(struct gpmu_section_set *set, const struct gpmu_section *section, const char *name,
		      const char *why)
{
	struct section_reason *reason = NULL;
	char *names;

	for (size_t i = 0; i < set->reasons.n; i++)
		if (set->reasons.list[i].section == section && !strcmp(set->reasons.list[i].text, why))
			reason = &set->reasons.list[i];
	if (reason && has_name(reason->names, name))
		return 0;
	if (!reason) {
		struct section_reason added = { section, strdup(name), strdup(why) };

		if (added.names && added.text && !vector_push(&set->reasons, &added))
			return 0;
		free(added.names);
		free(added.text);
		return -ENOMEM;
	}
	names = text_print("%s, %s", reason->names, name);
	if (!names)
		return -ENOMEM;
	free(reason->names);
	reason->names = names;
	return 0;
}

/* Takes the formula's texts. Returns 0 or -ENOMEM. */
static int add_counted(struct gpmu_section_set *set, const struct gpmu_section *section,
		       const struct gpmu_section_metric *metric, struct section_formula *formula)
{
	struct section_counted counted = {
		.section = section,
		.name = strdup(section_bare_name(metric->name)),
		.formula = formula->text,
		.unit = formula->unit,
	};

	if (counted.name && !vector_push(&set->counted, &counted)) {
		*formula = (struct section_formula){ .text = NULL };
		return 0;
	}
	free(counted.name);
	return -ENOMEM;
}

/* Common to all metrics of a section */
struct addition {
	struct gpmu_section_set *set;
	const struct gpmu_section *section;
	const struct gpmu_section_metrics *metrics;
	struct gpmu_error *error;
};

static int refuse(const struct addition *addition, const struct gpmu_section_metric *metric, const char *why)
{
	if (metric->importance != GPMU_SECTION_REQUIRED)
		return add_reason(addition->set, addition->section, metric->name, why);
	error_set_path(addition->error, 0, gpmu_section_file(addition->section), ":%u: metric %s is required: %s",
		       metric->line, metric->name, why);
	return -EOPNOTSUPP;
}

static int add_metric(const struct addition *addition, const struct gpmu_section_metric *metric)
{
	struct section_formula formula;
	int ret;

	if (has_metric(addition->set, section_bare_name(metric->name)))
		return 0;
	ret = section_formula(addition->set->machine, addition->metrics, metric, &formula);
	if (ret)
		return ret;
	ret = formula.text ? add_counted(addition->set, addition->section, metric, &formula) :
			     refuse(addition, metric, formula.why);
	section_formula_release(&formula);
	return ret;
}

/* Returns the first PMU of a GPU that CUPTI counts; or NULL */
static const struct gpmu_pmu *find_pmu(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (!strncmp(gpmu_pmu_name(pmu), SECTION_PMU "_", strlen(SECTION_PMU "_")))
			return pmu;
	return NULL;
}

/* Adds the events that a regular expression matches. */
static int add_pattern(const struct addition *addition, const struct gpmu_section_metric *pattern)
{
	const struct gpmu_pmu *pmu = find_pmu(addition->set->machine);
	const char *event, *unit, *description;
	bool has_match = false;
	int ret = 0;

	for (size_t i = 0; !ret && pmu && (event = gpmu_pmu_source_event(pmu, i, &unit, &description)); i++) {
		struct gpmu_section_metric metric = *pattern;
		int matches = gpmu_section_matches(pattern, event);

		if (matches < 0)
			return matches == -ENOMEM ? matches : refuse(addition, pattern, "malformed regular expression");
		metric.name = event;
		ret = matches ? add_metric(addition, &metric) : 0;
		has_match |= matches;
	}
	return ret || has_match ? ret :
				  refuse(addition, pattern, "the regular expression matches no event of this GPU");
}

int gpmu_section_set_add(struct gpmu_section_set *set, const struct gpmu_section *section,
			 const struct gpmu_section_target *target, struct gpmu_error *error)
{
	struct gpmu_section_metrics *metrics = gpmu_section_select(section, target);
	const struct addition addition = { set, section, metrics, error };
	const struct gpmu_section_metric *metric;
	int ret = metrics ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && (metric = gpmu_section_metrics_at(metrics, i)); i++)
		ret = metric->is_pattern ? add_pattern(&addition, metric) : add_metric(&addition, metric);
	gpmu_section_metrics_free(metrics);
	if (ret == -ENOMEM)
		error_no_memory(error);
	return ret;
}

/* --- the catalog */

/* Returns an object of perf's schema; NULL without memory */
static json_t *make_object(const struct section_counted *counted)
{
	char *scale = counted->unit ? text_print("1%s", counted->unit) : NULL;
	json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "MetricName", counted->name, "MetricExpr", counted->formula,
				   "Unit", SECTION_PMU, "MetricGroup", gpmu_section_identifier(counted->section));

	if (object && scale && json_object_set_new(object, "ScaleUnit", json_string(scale))) {
		json_decref(object);
		object = NULL;
	}
	free(scale);
	return object;
}

/* Returns the text of a file of pmu-events and its length; NULL without memory */
static char *make_json(const struct gpmu_section_set *set, size_t *length)
{
	json_t *array = json_array();
	char *text = NULL;

	for (size_t i = 0; array && i < set->counted.n; i++)
		if (json_array_append_new(array, make_object(&set->counted.list[i]))) {
			json_decref(array);
			array = NULL;
		}
	*length = array ? json_dumpb(array, NULL, 0, 0) : 0;
	if (*length)
		text = malloc(*length);
	if (text && json_dumpb(array, text, *length, 0) != *length) {
		free(text);
		text = NULL;
	}
	json_decref(array);
	return text;
}

int gpmu_section_set_load(const struct gpmu_section_set *set, struct gpmu_catalog *catalog, struct gpmu_error *error)
{
	size_t length;
	char *text = make_json(set, &length);
	struct catalog_load load;
	int ret;

	if (!text)
		return error_no_memory(error);
	ret = catalog_load_init(&load, catalog, error);
	if (!ret)
		ret = catalog_load_end(&load, catalog, catalog_add_text(&load, "sections", "sections", text, length));
	free(text);
	return ret;
}

const char *gpmu_section_set_metric(const struct gpmu_section_set *set, size_t index,
				    const struct gpmu_section **section)
{
	if (index >= set->counted.n)
		return NULL;
	*section = set->counted.list[index].section;
	return set->counted.list[index].name;
}

const char *gpmu_section_set_reason(const struct gpmu_section_set *set, size_t index,
				    const struct gpmu_section **section, const char **names)
{
	if (index >= set->reasons.n)
		return NULL;
	*section = set->reasons.list[index].section;
	*names = set->reasons.list[index].names;
	return set->reasons.list[index].text;
}
