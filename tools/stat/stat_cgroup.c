// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cgroups as in perf stat: --for-each-cgroup counts all events in each of its cgroups; -G counts the
 * n-th event in the n-th cgroup, or all events in its only cgroup.
 */
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "stat/stat_cgroup.h"

void stat_cgroups_parse(struct stat_cgroups *cgroups, const char *list, bool wants_each)
{
	if (cgroups->list)
		die("-G and --for-each-cgroup: choose one, once");
	if (!*list)
		die("%s: expected the name of a cgroup", wants_each ? "--for-each-cgroup" : "-G");
	*cgroups = (struct stat_cgroups){ .list = list, .wants_each = wants_each };
}

/* An empty name selects all tasks. */
static void set_cgroup(struct gpmu_plan *plan, const char *name)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (gpmu_plan_set_cgroup(plan, *name ? name : NULL, &error))
		die("%s", error.text);
}

static void add_requests(struct gpmu_plan *plan, const struct common *common)
{
	for (size_t i = 0; i < common->request_count; i++)
		common_plan_add(common, plan, &common->requests[i]);
}

static void add_each(struct gpmu_plan *plan, const struct common *common, char *names)
{
	char *name;

	while ((name = strsep(&names, ","))) {
		if (!*name)
			die("--for-each-cgroup: expected the name of a cgroup between two commas");
		set_cgroup(plan, name);
		add_requests(plan, common);
	}
}

/*
 * The length of the first element of a list of events: an event, or a group in braces. Commas
 * between slashes belong to an event. @events: number of events in the element
 */
static size_t element_length(const char *list, size_t *events)
{
	bool has_slashes = false, has_braces = false;
	const char *cursor = list;

	*events = 1;
	for (; *cursor; cursor++) {
		if (*cursor == '/')
			has_slashes = !has_slashes;
		else if (*cursor == '{' || *cursor == '}')
			has_braces = *cursor == '{';
		else if (*cursor == ',' && !has_slashes && !has_braces)
			break;
		else if (*cursor == ',' && !has_slashes)
			++*events;
	}
	return (size_t)(cursor - list);
}

/* Takes a name for each of the events of an element. The events of a group have one cgroup. */
static const char *take_names(char **names, size_t events)
{
	const char *first = *names ? strsep(names, ",") : "", *next;

	while (--events) {
		next = *names ? strsep(names, ",") : "";
		if (strcmp(next, first) != 0)
			die("-G: the events of a group cannot be in the cgroups \"%s\" and \"%s\"",
			    first, next);
	}
	return first;
}

static void add_pairs(struct gpmu_plan *plan, const struct common *common, char *names)
{
	for (size_t i = 0; i < common->request_count; i++) {
		const char *list = common->requests[i].list;
		size_t length, events;

		if (common->requests[i].is_metric)
			die("-G with several cgroups counts events only; use --for-each-cgroup for metrics");
		for (; *list; list += length + (list[length] == ',')) {
			char *element;

			length = element_length(list, &events);
			element = need_memory(strndup(list, length));
			set_cgroup(plan, take_names(&names, events));
			common_plan_add(common, plan, &(struct request){ .list = element });
			free(element);
		}
	}
	if (names)
		die("-G: more cgroups than events: no event for \"%s\"", names);
}

struct gpmu_plan *stat_cgroups_plan(const struct stat_cgroups *cgroups, const struct common *common,
				    bool is_system_wide)
{
	struct gpmu_plan *plan = common_plan_begin(common, is_system_wide);
	char *names = need_memory(strdup(cgroups->list ? cgroups->list : ""));

	if (!cgroups->list) {
		add_requests(plan, common);
	} else if (cgroups->wants_each) {
		add_each(plan, common, names);
	} else if (!strchr(names, ',')) {
		set_cgroup(plan, names);
		add_requests(plan, common);
	} else {
		add_pairs(plan, common, names);
	}
	common_plan_make(plan);
	free(names);
	return plan;
}
