// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes a PMU from the description of a source plugin. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "gpmu-source.h"
#include "machine/pmu.h"
#include "plugin/source_object.h"

/* Returns whether sysfs_string() would accept the text. */
static bool is_text(const char *text)
{
	if (!text || !*text)
		return false;
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* Counts pairs of a name and a text; -1 if one is invalid. */
static int count_pairs(const char *const *texts)
{
	int n = 0;

	if (!texts)
		return 0;
	for (; texts[0]; texts += 2, n++)
		if (!*texts[0] || !pmu_is_name(texts[0]) || !is_text(texts[1]) ||
		    n == SYSFS_MAX_ENTRIES)
			return -1;
	return n;
}

static int compare(const void *a, const void *b)
{
	return strverscmp(((const struct pmu_attr *)a)->name, ((const struct pmu_attr *)b)->name);
}

/* @invalid, @twice: reasons of a refusal, for @why */
static int set_attrs(struct pmu_attrs *attrs, const char *const *texts, const char *invalid, const char *twice,
		     const char **why)
{
	int n = count_pairs(texts);

	*why = invalid;
	if (n < 0)
		return -EINVAL;
	for (; n; n--, texts += 2) {
		struct pmu_attr *attr = pmu_attrs_add(attrs, texts[0]);

		if (attr)
			attr->text = strdup(texts[1]);
		if (!attr || !attr->text)
			return -ENOMEM;
	}
	if (attrs->len)
		qsort(attrs->list, attrs->len, sizeof(*attrs->list), compare);
	*why = twice;
	for (size_t i = 1; i < attrs->len; i++)
		if (!strcmp(attrs->list[i].name, attrs->list[i - 1].name))
			return -EINVAL;
	return 0;
}

static int set_counters(struct gpmu_pmu *pmu, const struct gpmu_source_pmu *shown, const char **why)
{
	*why = "numbers of counters that no PMU has";
	if (shown->counters < -1 || shown->counters > 256 || shown->counter_width < -1 ||
	    !shown->counter_width || shown->counter_width > 64 || shown->cycle_counter < -1 ||
	    shown->cycle_counter > 1)
		return -EINVAL;
	pmu->counters = shown->counters;
	pmu->counter_width = shown->counter_width;
	pmu->cycle_counter = shown->cycle_counter;
	return 0;
}

static int fill(struct gpmu_pmu *pmu, const struct gpmu_source_pmu *shown, const char **why)
{
	int ret;

	pmu->type = UINT32_MAX;
	pmu->has_cpumask = true;
	pmu->name = strdup(shown->name);
	if (!pmu->name)
		return -ENOMEM;
	pmu->kind = pmu_name_parse(pmu->name, &pmu->number);
	if (shown->identifier) {
		*why = "an identifier that is no line of text";
		if (!is_text(shown->identifier))
			return -EINVAL;
		pmu->identifier = strdup(shown->identifier);
		if (!pmu->identifier)
			return -ENOMEM;
	}
	ret = set_counters(pmu, shown, why);
	if (!ret)
		ret = set_attrs(&pmu->formats, shown->formats, "a format without a name or a text",
				"two formats of one name", why);
	if (!ret)
		ret = set_attrs(&pmu->events, shown->events, "an event without a name or a text",
				"two events of one name", why);
	return ret;
}

int pmu_new_shown(struct gpmu_pmu **result, const struct gpmu_source_pmu *table, int *node,
		  const struct gpmu_source_gpu **gpu, const char **why)
{
	struct gpmu_source_pmu shown = {
		.node = -1, .counters = -1, .counter_width = -1, .cycle_counter = -1,
	};
	struct gpmu_pmu *pmu;
	int ret;

	sized_copy(&shown, sizeof(shown), table);
	*why = "no name of printable characters";
	if (!shown.name || !*shown.name || !pmu_is_name(shown.name))
		return -EINVAL;
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return -ENOMEM;
	ret = fill(pmu, &shown, why);
	if (ret) {
		pmu_free(pmu);
		return ret;
	}
	*node = shown.node;
	*gpu = shown.gpu;
	*result = pmu;
	return 0;
}

struct gpmu_source *gpmu_pmu_source(const struct gpmu_pmu *pmu)
{
	return pmu->source;
}
