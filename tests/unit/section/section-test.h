/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the tests of section files */
#ifndef GPMU_SECTION_TEST_H
#define GPMU_SECTION_TEST_H

#include <stdlib.h>

#include "section/gpmu_section.h"
#include "tap.h"

/* Parses a text as the file "a.section" and diagnoses a failure. */
__attribute__((unused))
static struct gpmu_section *parse(const char *text)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_section *section = gpmu_section_new("a.section", text, strlen(text), &error);

	if (!section)
		diag("%s", error.text);
	return section;
}

#define TARGET(...)	(&(struct gpmu_section_target){ .size = sizeof(struct gpmu_section_target), __VA_ARGS__ })

/* Checks the names that a text's metrics have for a target, separated by blanks. */
__attribute__((unused))
static void selects(const char *text, const struct gpmu_section_target *target, const char *names, const char *what)
{
	struct gpmu_section *section = parse(text);
	struct gpmu_section_metrics *metrics = section ? gpmu_section_select(section, target) : NULL;
	const struct gpmu_section_metric *metric;
	char got[1024] = "";

	for (size_t i = 0; metrics && (metric = gpmu_section_metrics_at(metrics, i)); i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "", metric->name);
	is_str(metrics ? got : "no section", names, what);
	gpmu_section_metrics_free(metrics);
	gpmu_section_free(section);
}

#endif /* GPMU_SECTION_TEST_H */
