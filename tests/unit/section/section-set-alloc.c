// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn while sections become metrics of a catalog, on a machine without a GPU. Nothing leaks.
 */
#include "alloc.h"
#include "gpmu.h"
#include "section/gpmu_section_set.h"

static const char text[] =
	"Identifier: \"A\" Header { Metrics { Name: \"sm__x.avg\" } Metrics { Name: \"launch__a\" } Metrics { Name: \"launch__b\" } "
	"Metrics { Name: \"derived__one\" Multiplier: 2 } } MetricDefinitions { "
	"MetricDefinitions { Name: \"derived__one\" Expression: \"1 / 2.5\" } MetricDefinitions { Name: \"derived__two\" "
	"Expression: \"derived__one * 2\" } }";

static const struct gpmu_machine *machine;
static const struct gpmu_section *section;

static int fill(struct gpmu_section_set *set, struct gpmu_catalog *catalog)
{
	const struct gpmu_section_target target = { .size = sizeof(target) };
	const struct gpmu_section *owner;
	int ret = gpmu_section_set_add(set, section, &target, NULL);

	if (!ret)
		ret = gpmu_section_set_load(set, catalog, NULL);
	if (!ret && (!gpmu_section_set_metric(set, 1, &owner) || gpmu_section_set_metric(set, 2, &owner)))
		return 1;
	return ret;
}

static int make(void)
{
	struct gpmu_section_set *set = gpmu_section_set_new(machine);
	struct gpmu_catalog *catalog = set ? gpmu_catalog_new(NULL, NULL) : NULL;
	int ret = catalog ? fill(set, catalog) : -ENOMEM;

	gpmu_catalog_free(catalog);
	gpmu_section_set_free(set);
	return ret;
}

int main(void)
{
	struct gpmu_machine *empty = gpmu_machine_new("tests/data/section", NULL);
	struct gpmu_section *parsed = gpmu_section_new("a.section", text, sizeof(text) - 1, NULL);

	machine = empty;
	section = parsed;
	if (ok(machine && section, "section: a machine without a GPU and a section are made"))
		alloc_fail_each(make, 30, "section: metrics of sections in a catalog");
	gpmu_section_free(parsed);
	gpmu_machine_free(empty);
	return done_testing();
}
