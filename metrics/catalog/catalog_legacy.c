// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "base/error.h"
#include "base/text/text.h"
#include "catalog/catalog.h"

#define REMEDY	"use gpmu stat --ranges=kernel"

static const struct {
	const char *name;
	const char *why_not;	/* NULL: PM sampling can */
} modes[LEGACY_MODES] = {
	[LEGACY_NONE] = { "none", "no mode of CUPTI collects it" },
	[LEGACY_SAMPLING] = { "sampling", NULL },
	[LEGACY_RANGE] = { "range", "PM sampling cannot collect it; " REMEDY },
	[LEGACY_PASSES] = { "range", "PM sampling has one pass and this needs more; " REMEDY },
	[LEGACY_SASS] = { "sass", "PM sampling cannot collect it; " REMEDY },
};

const struct gpmu_legacy *gpmu_legacy(size_t index)
{
	return index < catalog_builtin.legacy.length ? &catalog_builtin.legacy.names[index] : NULL;
}

const struct gpmu_legacy *gpmu_legacy_find(const char *name)
{
	for (size_t i = 0; i < catalog_builtin.legacy.length; i++)
		if (!strcasecmp(catalog_builtin.legacy.names[i].name, name))
			return &catalog_builtin.legacy.names[i];
	return NULL;
}

const char *gpmu_legacy_mode(const struct gpmu_legacy *legacy)
{
	return modes[legacy->mode].name;
}

char *gpmu_legacy_why_not(const struct gpmu_legacy *legacy)
{
	const char *why_not = modes[legacy->mode].why_not;

	if (!why_not)
		return NULL;
	return legacy->formula ? text_print("%s: %s", legacy->name, why_not) :
				 text_print("%s: %s. %s", legacy->name, why_not, legacy->note);
}

int gpmu_legacy_refuse(const char *name, size_t offset, struct gpmu_error *error)
{
	const struct gpmu_legacy *legacy = gpmu_legacy_find(name);
	char *why_not;

	if (!legacy || legacy->metric)
		return 0;
	why_not = gpmu_legacy_why_not(legacy);
	if (!why_not)
		return -ENOMEM;
	error_set(error, offset, "%s", why_not);
	free(why_not);
	return -ENOTSUP;
}
