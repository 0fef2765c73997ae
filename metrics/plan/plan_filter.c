// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A metric's filter: "root_port=0x3" in GracePcieReadBW/root_port=0x3/. A term is applied
 * to an event if all PMUs of the event have a format of that name. A term that no event
 * applies is an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "plan/plan_build.h"

/* Terms that select the event, so they cannot filter it */
static const char *const not_filters[] = { "event", "config", "config1", "config2", "config3",
					   "config4", "name" };

static int add_term(struct plan_filter *filter, const char *term, size_t length)
{
	struct plan_term *added = vector_append(filter->terms, filter->length);

	if (!added)
		return -ENOMEM;
	added->text = strndup(term, length);
	added->name = strndup(term, strcspn(term, "=,"));
	return added->text && added->name ? 0 : -ENOMEM;
}

static int check_term(const char *term, size_t offset, struct gpmu_error *error)
{
	size_t name = strcspn(term, "=,");

	if (!name) {
		error_set(error, offset, "a filter is NAME=VALUE, such as root_port=0x3");
		return -EINVAL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(not_filters); i++) {
		if (strlen(not_filters[i]) == name && !memcmp(not_filters[i], term, name)) {
			error_set(error, offset, "%s is not a filter: it selects the event",
				  not_filters[i]);
			return -EINVAL;
		}
	}
	return 0;
}

int plan_filter_init(struct plan_filter *filter, const char *text, size_t offset,
		     struct gpmu_error *error)
{
	const char *term = text;
	size_t length;
	int ret = 0;

	*filter = (struct plan_filter){ .length = 0 };
	while (term && !ret) {
		length = strcspn(term, ",");
		ret = check_term(term, offset + (size_t)(term - text), error);
		if (!ret)
			ret = add_term(filter, term, length);
		term = term[length] ? term + length + 1 : NULL;
	}
	if (ret)
		plan_filter_release(filter);
	return ret;
}

void plan_filter_release(struct plan_filter *filter)
{
	for (size_t i = 0; i < filter->length; i++) {
		free(filter->terms[i].text);
		free(filter->terms[i].name);
	}
	free(filter->terms);
	*filter = (struct plan_filter){ .length = 0 };
}

/*
 * Returns whether the event's PMUs have the format: 1, 0 or -ENOMEM; 0 for an event that the
 * machine does not have.
 */
static int takes(const struct gpmu_machine *machine, const char *event, const char *name)
{
	int ret = strchr(event, '/') ? event_has_format(machine, event, name) : 0;

	return ret < 0 && ret != -ENOMEM ? 0 : ret;
}

int plan_filter_apply(struct plan_filter *filter, const struct gpmu_machine *machine, char **event,
		      bool *is_taken)
{
	char *changed;
	int ret;

	*is_taken = false;
	for (size_t i = 0; i < filter->length; i++) {
		ret = takes(machine, *event, filter->terms[i].name);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		changed = event_with_terms(*event, filter->terms[i].text);
		if (!changed)
			return -errno;
		free(*event);
		*event = changed;
		filter->terms[i].is_used = true;
		*is_taken = true;
	}
	return 0;
}

static bool is_filter(const char *format)
{
	for (size_t i = 0; i < ARRAY_SIZE(not_filters); i++)
		if (!strcmp(not_filters[i], format))
			return false;
	return true;
}

/* Returns whether @word is one of "WORD, WORD". */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (list && *list) {
		if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
			return true;
		list += strcspn(list, ",");
		list += strspn(list, ", ");
	}
	return false;
}

/* Appends ", NAME" for each filter of a PMU that @list lacks. */
static int add_formats(char **list, const struct gpmu_pmu *pmu)
{
	const char *format;
	char *longer;

	for (size_t i = 0; (format = gpmu_pmu_format_name(pmu, i)); i++) {
		if (!is_filter(format) || has_word(*list, format))
			continue;
		longer = *list ? text_print("%s, %s", *list, format) : text_print("%s", format);
		if (!longer)
			return -ENOMEM;
		free(*list);
		*list = longer;
	}
	return 0;
}

/* Returns whether a metric from @first on has an event; lists the filters that their PMUs accept. */
static int known_formats(const struct gpmu_plan *plan, size_t first, bool *has_any, char **list)
{
	const struct plan_metric *metric;
	const struct gpmu_event *event;
	int ret = 0;

	for (size_t i = first; i < plan->metric_count; i++) {
		metric = &plan->metrics[i];
		for (size_t j = 0; j < plan_ids(metric->expr) && metric->inputs; j++) {
			if (metric->inputs[j].kind != PLAN_SLOTS)
				continue;
			event = plan->events[metric->inputs[j].event].event;
			*has_any |= event != NULL;
			for (size_t k = 0; event && k < event->length && !ret; k++)
				if (event->instances[k].pmu)
					ret = add_formats(list, event->instances[k].pmu);
		}
	}
	return ret;
}

int plan_filter_check(const struct plan_filter *filter, const struct gpmu_plan *plan, size_t first,
		      size_t offset, struct gpmu_error *error)
{
	char *formats = NULL;
	bool has_any = false;
	size_t i;
	int ret;

	for (i = 0; i < filter->length && filter->terms[i].is_used; i++)
		offset += strlen(filter->terms[i].text) + 1;
	if (i == filter->length)
		return 0;
	ret = known_formats(plan, first, &has_any, &formats);
	if (!ret && has_any) {
		ret = -EINVAL;
		if (formats)
			error_set(error, offset, "there is no filter \"%s\" here; there are: %s",
				  filter->terms[i].name, formats);
		else
			error_set(error, offset, "there is no filter \"%s\" here: the PMU has none",
				  filter->terms[i].name);
	}
	free(formats);
	return ret;
}
