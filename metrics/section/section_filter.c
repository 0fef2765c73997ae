// SPDX-License-Identifier: LGPL-2.1-or-later
/* Filters by architecture, driver, vGPU and scope */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "section/section.h"

/* The answer of a filter for a criterion */
enum answer {
	NOT_ASKED,
	ACCEPTED,
	REFUSED,
};

static enum answer answer_if(bool is_accepted)
{
	return is_accepted ? ACCEPTED : REFUSED;
}

static enum answer ask_arch(const struct section_field *filter, const struct gpmu_section_target *target)
{
	double min = section_field_number(filter, "MinArch", NAN), max = section_field_number(filter, "MaxArch", NAN);

	if (isnan(min) && isnan(max))
		return NOT_ASKED;
	return answer_if(!target->arch || (!(target->arch < min) && !(target->arch > max)));
}

/* Compares versions such as "580.159.04", part by part. */
static int compare_versions(const char *a, const char *b)
{
	while (*a || *b) {
		char *end_a, *end_b;
		unsigned long left = strtoul(a, &end_a, 10), right = strtoul(b, &end_b, 10);

		if (left != right)
			return left < right ? -1 : 1;
		a = *end_a ? end_a + 1 : end_a;
		b = *end_b ? end_b + 1 : end_b;
	}
	return 0;
}

static enum answer ask_driver(const struct section_field *filter, const struct gpmu_section_target *target)
{
	const char *min = section_field_text(filter, "MinKmd"), *max = section_field_text(filter, "MaxKmd");

	if (!min && !max)
		return NOT_ASKED;
	return answer_if(!target->driver || ((!min || compare_versions(target->driver, min) >= 0) &&
					     (!max || compare_versions(target->driver, max) <= 0)));
}

/* A value that is no bool has a meaning that is not documented, and accepts everything. */
static enum answer ask_vgpu(const struct section_field *filter, const struct gpmu_section_target *target)
{
	const char *value = section_field_text(filter, "VGpu");

	if (!value)
		return NOT_ASKED;
	if (!strcmp(value, "true") || !strcmp(value, "1"))
		return answer_if(target->vgpu);
	if (!strcmp(value, "false") || !strcmp(value, "0"))
		return answer_if(!target->vgpu);
	return ACCEPTED;
}

/* A scope that is not known has no number and matches no target. */
static enum answer ask_scope(const struct section_field *filter, const struct gpmu_section_target *target)
{
	const struct section_field *collection = section_field_find(filter, "CollectionFilter"), *scope = NULL;
	enum answer answer = NOT_ASKED;

	while ((scope = section_field_next(collection, "CollectionScopes", scope))) {
		if (scope->number == target->scope)
			return ACCEPTED;
		answer = REFUSED;
	}
	return answer;
}

static enum answer (*const criteria[])(const struct section_field *filter, const struct gpmu_section_target *target) = {
	ask_arch, ask_driver, ask_vgpu, ask_scope,
};

#define CRITERIA	(sizeof(criteria) / sizeof(criteria[0]))

/* One of the items must accept the target by all its criteria. */
static bool items_accept(const struct section_field *filter, const struct gpmu_section_target *target)
{
	const struct section_field *item = NULL;
	bool has_items = false;

	while ((item = section_field_next(filter, "Items", item))) {
		bool is_accepted = items_accept(item, target);

		for (size_t k = 0; k < CRITERIA; k++)
			is_accepted &= criteria[k](item, target) != REFUSED;
		if (is_accepted)
			return true;
		has_items = true;
	}
	return !has_items;
}

/* Returns whether an item, at any depth, has a criterion. */
static bool items_ask(const struct section_field *filter, size_t criterion, const struct gpmu_section_target *target)
{
	const struct section_field *item = NULL;

	while ((item = section_field_next(filter, "Items", item)))
		if (criteria[criterion](item, target) != NOT_ASKED || items_ask(item, criterion, target))
			return true;
	return false;
}

static enum answer ask(const struct section_field *filter, size_t criterion, const struct gpmu_section_target *target)
{
	enum answer answer = criteria[criterion](filter, target);

	if (answer == REFUSED || !items_ask(filter, criterion, target))
		return answer;
	return answer_if(items_accept(filter, target));
}

bool section_filters_accept(const struct section_filters *filters, const struct gpmu_section_target *target)
{
	for (size_t k = 0; k < CRITERIA; k++) {
		enum answer answer = NOT_ASKED;

		for (size_t i = 0; i < filters->n && answer == NOT_ASKED; i++)
			answer = ask(filters->list[i], k, target);
		if (answer == REFUSED)
			return false;
	}
	return true;
}

struct section_filters section_filters_inside(const struct section_filters *outer, const struct section_field *message)
{
	const struct section_field *filter = section_field_find(message, "Filter");
	struct section_filters inside = { .n = 0 };

	if (filter)
		inside.list[inside.n++] = filter;
	for (size_t i = 0; i < outer->n && inside.n < SECTION_MAX_FILTERS; i++)
		inside.list[inside.n++] = outer->list[i];
	return inside;
}

enum gpmu_section_importance section_filters_importance(const struct section_filters *filters)
{
	for (size_t i = 0; i < filters->n; i++) {
		double importance = section_field_number(section_field_find(filters->list[i], "CollectionFilter"), "Importance", NAN);

		if (!isnan(importance))
			return (enum gpmu_section_importance)importance;
	}
	return GPMU_SECTION_OPTIONAL;
}
