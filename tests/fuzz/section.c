// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any text is accepted as a section file whose metrics can be selected, or refused with its name, line and a reason.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "section/gpmu_derived.h"
#include "section/gpmu_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static char *event(const char *name, void *user)
{
	(void)user;
	return strdup(name);
}

static int is_integer(const char *name, void *user)
{
	(void)user;
	return strlen(name) % 2;
}

/* A formula is computed, and written as a MetricExpr unless that would be too long. */
static void use_formula(const char *formula)
{
	struct gpmu_derived_instance instances[] = { { 3, { 0 } }, { 1, { 7 } } };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_derived *derived = gpmu_derived_new(formula, &error);
	struct gpmu_derived_value *values, result;
	size_t n = 0;

	if (!derived) {
		must((errno == EINVAL || errno == E2BIG) && error.text[0]);
		return;
	}
	while (gpmu_derived_name(derived, n))
		n++;
	values = calloc(n + 1, sizeof(*values));
	for (size_t i = 0; i < n; i++)
		values[i] = (struct gpmu_derived_value){ .type = (enum gpmu_derived_type)(i % 3), .text = "", .instances = instances,
							 .count = i % 2 * 2, .has_ids = i % 4 > 1 };
	must(!gpmu_derived_eval(derived, values, &result));
	gpmu_derived_release(&result);
	free(gpmu_derived_formula(derived, event, is_integer, NULL));
	free(values);
	gpmu_derived_free(derived);
}

static void use_metric(const struct gpmu_section_metric *metric)
{
	must(metric->name && metric->place && metric->line);
	if (metric->expr)
		use_formula(metric->expr);
	must(!metric->is_pattern || gpmu_section_matches(metric, "sm__cycles_active.avg") != -ENOMEM);
}

static void select_metrics(const struct gpmu_section *section, int arch)
{
	const struct gpmu_section_target target = {
		.size = sizeof(target), .arch = arch, .driver = arch == 90 ? "580.159.04" : NULL, .vgpu = arch == 70,
		.scope = (enum gpmu_section_scope)(arch % 4),
	};
	struct gpmu_section_metrics *metrics = gpmu_section_select(section, &target);

	must(metrics != NULL);
	for (size_t i = 0; gpmu_section_metrics_at(metrics, i); i++)
		use_metric(gpmu_section_metrics_at(metrics, i));
	gpmu_section_metrics_free(metrics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int archs[] = { 0, 70, 90, 121 };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_section *section = gpmu_section_new("a.section", (const char *)data, size, &error);

	if (!section) {
		must(errno == EINVAL && !strncmp(error.text, "a.section:", 10) && !strchr(error.text, '\n'));
		return 0;
	}
	must(*gpmu_section_identifier(section) && *gpmu_section_name(section));
	for (size_t i = 0; gpmu_section_warning(section, i); i++)
		must(!strncmp(gpmu_section_warning(section, i), "a.section:", 10));
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		select_metrics(section, archs[i]);
	gpmu_section_free(section);
	return 0;
}
