// SPDX-License-Identifier: LGPL-2.1-or-later
/* Requested metrics: CUPTI's, and formulas of the catalog over these, also of names of CUPTI's former APIs. */
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text/gpmu_nearest.h"
#include "base/text/text.h"
#include "ranges/ranges.h"

#define PMU		"nvidia_gpu"
#define DURATION	"duration_time"
#define SASS		"__sass_"	/* in the names of SASS metrics, which have no rollup */

/* Adds a metric of CUPTI unless the table has it. Sets its index. Returns 0 or -ENOMEM. */
static int add_metric(struct gpmu_ranges *ranges, const char *name, size_t length, size_t *index)
{
	char *copy;

	for (*index = 0; *index < ranges->metrics.n; ++*index)
		if (strlen(ranges->metrics.list[*index]) == length && !strncmp(ranges->metrics.list[*index], name, length))
			return 0;
	copy = strndup(name, length);
	if (!copy || vector_push(&ranges->metrics, &copy)) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

/* The id is "nvidia_gpu@NAME@", "NAME" in a formula of a former name, or duration_time. */
static int add_id(struct gpmu_ranges *ranges, const char *metric, const char *id, size_t *index, struct gpmu_error *error)
{
	const char *first = strchr(id, '@'), *last = strrchr(id, '@');
	int ret;

	if (!strcmp(id, DURATION)) {
		ret = add_metric(ranges, RANGES_TIME, strlen(RANGES_TIME), index);
	} else if (first && last > first && !strncmp(id, PMU, strlen(PMU))) {
		ret = add_metric(ranges, first + 1, (size_t)(last - first - 1), index);
	} else if (!first && strstr(id, "__")) {
		ret = add_metric(ranges, id, strlen(id), index);
	} else {
		error_set(error, 0, "%.100s cannot be counted in ranges: it needs %.100s, which the GPU does not count", metric, id);
		return -EINVAL;
	}
	return ret ? error_no_memory(error) : 0;
}

static int compile(struct gpmu_ranges *ranges, struct ranges_request *request, const char *formula, const char *unit,
		   struct gpmu_error *error)
{
	size_t count;
	int ret = 0;

	request->expr = gpmu_expr_new(formula, NULL, error);
	request->unit = strdup(unit ? unit : "");
	if (!request->expr || !request->unit)
		return request->expr ? error_no_memory(error) : -EINVAL;
	count = gpmu_expr_id_count(request->expr);
	request->metrics = calloc(count ? count : 1, sizeof(*request->metrics));
	if (!request->metrics)
		return error_no_memory(error);
	for (size_t i = 0; i < count && !ret; i++)
		ret = add_id(ranges, request->name, gpmu_expr_id(request->expr, i), &request->metrics[i], error);
	return ret;
}

static bool fits_chip(const struct gpmu_metric *metric, const char *chip)
{
	const char *compat = gpmu_metric_compat(metric);
	regex_t regex;
	regmatch_t match;
	bool is_compatible;

	if (!compat)
		return true;
	if (regcomp(&regex, compat, REG_EXTENDED))
		return false;
	is_compatible = !regexec(&regex, chip, 1, &match, 0) && !match.rm_so && match.rm_eo == (regoff_t)strlen(chip);
	regfree(&regex);
	return is_compatible;
}

static bool is_for_chip(const struct gpmu_metric *metric, const char *chip)
{
	return gpmu_metric_pmu(metric) && !strcmp(gpmu_metric_pmu(metric), PMU) && fits_chip(metric, chip);
}

/* The metric of this name, of the GPU and of its chip. The last one takes precedence. */
static const struct gpmu_metric *find(const struct gpmu_catalog *catalog, const char *chip, const char *name)
{
	const struct gpmu_metric *metric, *found = NULL;

	for (size_t i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++)
		if (!strcasecmp(gpmu_metric_name(metric), name) && is_for_chip(metric, chip))
			found = metric;
	return found;
}

/* A name of CUPTI's former APIs: its formula may be the name of a metric. */
static int add_legacy(struct gpmu_ranges *ranges, const struct gpmu_catalog *catalog, const char *chip,
		      struct ranges_request *request, const struct gpmu_legacy *legacy, struct gpmu_error *error)
{
	const struct gpmu_metric *metric;

	if (!legacy->formula)
		return gpmu_legacy_refuse(legacy->name, 0, error);
	metric = find(catalog, chip, legacy->formula);
	return compile(ranges, request, metric ? gpmu_metric_expr(metric) : legacy->formula, legacy->unit, error);
}

/* The most similar name of those that the chip counts in ranges; NULL if none is near */
static const char *find_nearest(const struct gpmu_catalog *catalog, const char *chip, const char *name)
{
	const struct gpmu_metric *metric;
	const struct gpmu_legacy *legacy;
	struct nearest nearest;

	gpmu_nearest_init(&nearest, name);
	for (size_t i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++)
		if (is_for_chip(metric, chip))
			gpmu_nearest_try(&nearest, gpmu_metric_name(metric));
	for (size_t i = 0; (legacy = gpmu_legacy(i)); i++)
		if (legacy->formula)
			gpmu_nearest_try(&nearest, legacy->name);
	return nearest.name;
}

/* Sets the error for a name that is neither a metric of the GPU nor one of CUPTI. A name with "__" lacks a rollup. */
static int refuse(const struct gpmu_catalog *catalog, const char *chip, const char *name, struct gpmu_error *error)
{
	const char *nearest = strstr(name, "__") ? NULL : find_nearest(catalog, chip, name);

	if (!strncmp(name, PMU "/", strlen(PMU "/")))
		error_set(error, 0, "%.80s: ranges have CUPTI's metrics by their names alone, without " PMU "/.../", name);
	else if (nearest)
		error_set(error, 0, "%.60s: no metric of this GPU, did you mean %.60s?", name, nearest);
	else
		error_set(error, 0, "%.60s: no metric of this GPU; expected one of gpmu list --gpu or --legacy, or CUPTI's with a "
			  "rollup, such as sm__inst_executed.sum", name);
	return -EINVAL;
}

static int add_cupti(struct gpmu_ranges *ranges, const struct gpmu_catalog *catalog, const char *chip,
		     struct ranges_request *request, struct gpmu_error *error)
{
	if (!strstr(request->name, "__") || !strchr(request->name, '.') || strchr(request->name, '/'))
		return refuse(catalog, chip, request->name, error);
	request->metrics = calloc(1, sizeof(*request->metrics));
	if (!request->metrics || add_metric(ranges, request->name, strlen(request->name), &request->metrics[0]))
		return error_no_memory(error);
	return 0;
}

static int add_sass(struct gpmu_ranges *ranges, struct ranges_request *request, struct gpmu_error *error)
{
	if (!strstr(request->name, SASS) || strchr(request->name, '.')) {
		error_set(error, 0, "%.100s is not a SASS metric such as smsp__sass_inst_executed; count others by --ranges", request->name);
		return -EINVAL;
	}
	request->metrics = calloc(1, sizeof(*request->metrics));
	if (!request->metrics || add_metric(ranges, request->name, strlen(request->name), &request->metrics[0]))
		return error_no_memory(error);
	return 0;
}

static int add_request(struct gpmu_ranges *ranges, const struct gpmu_catalog *catalog, const char *chip, const char *name,
		       size_t length, struct gpmu_error *error)
{
	struct ranges_request *request = vector_append(ranges->requests.list, ranges->requests.n);
	const struct gpmu_legacy *legacy;
	const struct gpmu_metric *metric;

	if (!request)
		return error_no_memory(error);
	request->name = strndup(name, length);
	request->scale = 1;
	if (!request->name)
		return error_no_memory(error);
	if (!catalog)
		return add_sass(ranges, request, error);
	metric = find(catalog, chip, request->name);
	if (metric) {
		request->scale = metric_scale(metric);
		return compile(ranges, request, gpmu_metric_expr(metric), gpmu_metric_unit(metric), error);
	}
	legacy = gpmu_legacy_find(request->name);
	if (legacy)
		return add_legacy(ranges, catalog, chip, request, legacy, error);
	return add_cupti(ranges, catalog, chip, request, error);
}

int ranges_add_requests(struct gpmu_ranges *ranges, const struct gpmu_catalog *catalog, const char *chip, const char *list,
			struct gpmu_error *error)
{
	int ret = 0;

	while (*list && !ret) {
		const size_t length = strcspn(list, ",");

		if (length)
			ret = add_request(ranges, catalog, chip, list, length, error);
		list += length + (list[length] == ',');
	}
	return ret;
}

double ranges_evaluate(const struct gpmu_ranges *ranges, const struct ranges_request *request, const double *values)
{
	const size_t count = request->expr ? gpmu_expr_id_count(request->expr) : 0;
	struct gpmu_expr_value operands[count ? count : 1];

	if (!request->expr)
		return values[request->metrics[0]];
	for (size_t i = 0; i < count; i++) {
		double value = values[request->metrics[i]];

		if (!strcmp(gpmu_expr_id(request->expr, i), DURATION))
			value /= 1e9;
		operands[i] = (struct gpmu_expr_value){ value, 1, 1 };
	}
	(void)ranges;
	return gpmu_expr_eval(request->expr, operands) * request->scale;
}
