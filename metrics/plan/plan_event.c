// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of a plan: those requested, and those of metrics. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event/event_list.h"
#include "plan/plan_build.h"

/* Appends an entry that has only its text; NULL if out of memory. */
static struct plan_event *append(struct gpmu_plan *plan, const char *text)
{
	struct plan_event event = { .braces = PLAN_NONE, .label = strdup(text), .cgroup = plan->cgroup };

	if (event.label && !vector_append_value(plan->events, plan->event_count, event))
		return &plan->events[plan->event_count - 1];
	free(event.label);
	return NULL;
}

/* Returns whether an -errno of gpmu_event_new() means that the process has run out of a resource. */
static bool is_fatal(int ret)
{
	return ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE;
}

static int new_event(const struct gpmu_plan *plan, const char *text, struct gpmu_event **event,
		     struct gpmu_error *why)
{
	errno = 0;
	*event = gpmu_event_new(plan->machine, plan->catalog, text, why);
	if (*event)
		return 0;
	return errno ? -errno : -EINVAL;
}

/* Returns whether the event can count the kernel and has no modifier that selects levels. */
static bool counts_kernel(const struct event_instance *instance)
{
	const struct perf_event_attr *attr = &instance->attr;

	if (instance->tool || attr->exclude_user || attr->exclude_kernel || attr->exclude_hv)
		return false;
	return !instance->pmu || gpmu_pmu_kind(instance->pmu) == GPMU_PMU_CORE ||
	       !gpmu_pmu_has_cpumask(instance->pmu);
}

/* Restricts an event to user space if its PMU can do so. */
static int leave_kernel_out(const struct gpmu_plan *plan, struct plan_event *event)
{
	struct gpmu_error why = { .size = sizeof(why) };
	struct gpmu_event *only_user;
	char *text;
	int ret;

	if (!plan->options.user_only)
		return 0;
	for (size_t i = 0; i < event->event->length; i++)
		if (!counts_kernel(&event->event->instances[i]))
			return 0;
	text = event_list_modified(event->label, "u");
	if (!text)
		return -ENOMEM;
	ret = new_event(plan, text, &only_user, &why);
	if (ret) {
		free(text);
		return is_fatal(ret) ? ret : 0;
	}
	gpmu_event_free(event->event);
	event->event = only_user;
	event->is_user_only = true;
	if (event->is_of_metrics) {
		free(text);
		return 0;
	}
	free(event->label);
	event->label = text;
	return 0;
}

/*
 * Looks the event up. An event that the machine does not have is no error; @why has the
 * reason.
 */
static int resolve(struct gpmu_plan *plan, struct plan_event *event, struct gpmu_error *why)
{
	int ret;

	*why = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	ret = new_event(plan, event->label, &event->event, why);
	if (!ret)
		ret = leave_kernel_out(plan, event);
	return ret ? ret : plan_bind_cgroup(plan, event, why);
}

static int set_why(struct plan_event *event, const char *text)
{
	event->why = strdup(text);
	return event->why ? 0 : -ENOMEM;
}

static int find_metric_event(const struct gpmu_plan *plan, const char *text, size_t *index)
{
	for (size_t i = 0; i < plan->event_count; i++) {
		if (plan->events[i].is_of_metrics && plan->events[i].cgroup == plan->cgroup &&
		    !strcmp(plan->events[i].label, text)) {
			*index = i;
			return 0;
		}
	}
	return -ENOENT;
}

int plan_metric_event(struct gpmu_plan *plan, const char *text, bool is_strict, size_t *index,
		      struct gpmu_error *error)
{
	struct plan_event *event;
	struct gpmu_error why = { .size = sizeof(why) };
	int ret;

	if (!find_metric_event(plan, text, index))
		return 0;
	event = append(plan, text);
	if (!event)
		return -ENOMEM;
	event->is_of_metrics = true;
	*index = plan->event_count - 1;
	ret = resolve(plan, event, &why);
	if (!ret)
		return 0;
	if (is_fatal(ret) || (is_strict && ret == -EINVAL)) {
		error_set(error, 0, "%s", why.text);
		return ret;
	}
	event->is_unknown = ret == -ENOENT;
	return set_why(event, why.text);
}

/*
 * Different tracepoints are counted separately. Their sum has no meaning, unlike the sum of an
 * event over several PMUs.
 */
static bool are_tracepoints(const struct gpmu_event *event)
{
	return event->instances[0].attr.type == PERF_TYPE_TRACEPOINT &&
	       strpbrk(event->text, "*?[");
}

static int add_event(struct gpmu_plan *plan, const struct event_list_item *item,
		     struct gpmu_error *error);

/*
 * Replaces the last event, "sched:*", by one entry for each tracepoint, under the
 * tracepoint's own name.
 */
static int add_each(struct gpmu_plan *plan, const struct event_list_item *item,
		    struct gpmu_error *error)
{
	struct plan_mark before = plan_mark(plan);
	struct gpmu_event *all = plan->events[plan->event_count - 1].event;
	int ret = 0;

	plan->events[plan->event_count - 1].event = NULL;
	before.event_count--;
	plan_rewind(plan, before);
	for (size_t i = 0; i < all->length && !ret; i++) {
		struct event_list_item copy = *item;

		copy.text = all->instances[i].name;
		ret = add_event(plan, &copy, error);
	}
	gpmu_event_free(all);
	return ret;
}

static int add_event(struct gpmu_plan *plan, const struct event_list_item *item,
		     struct gpmu_error *error)
{
	struct plan_event *event = append(plan, item->text);
	struct gpmu_error why = { .size = sizeof(why) };
	int ret;

	if (!event)
		return -ENOMEM;
	if (item->group >= 0)
		event->braces = plan->brace_count + (size_t)item->group;
	ret = resolve(plan, event, &why);
	if (!ret && are_tracepoints(event->event))
		return add_each(plan, item, error);
	if (ret == -ENODEV)
		ret = set_why(event, why.text);
	else if (ret)
		error_set(error, item->offset + why.offset, "%s", why.text);
	if (ret)
		return ret;
	return vector_append_value(plan->items, plan->item_count,
				   (struct plan_item){ .kind = PLAN_ITEM_EVENT, .index = plan->event_count - 1 });
}

int gpmu_plan_add_events(struct gpmu_plan *plan, const char *list, struct gpmu_error *error)
{
	struct plan_mark mark = plan_mark(plan);
	struct event_list events;
	int ret;

	if (plan_is_made(plan, error))
		return -EBUSY;
	ret = event_list_init(&events, list, error);
	if (ret)
		return ret;
	for (size_t i = 0; i < events.length && !ret; i++)
		ret = add_event(plan, &events.items[i], error);
	plan->brace_count += (size_t)events.groups;
	event_list_release(&events);
	if (ret)
		plan_rewind(plan, mark);
	if (ret == -ENOMEM)
		error_no_memory(error);
	return ret;
}

static bool is_offline(const struct event_instance *instance)
{
	const int *cpus;

	return instance->pmu && gpmu_pmu_has_cpumask(instance->pmu) &&
	       !gpmu_pmu_source(instance->pmu) && !gpmu_pmu_cpus(instance->pmu, &cpus);
}

/* Removes offline instances; the others keep their order. */
static int leave_out(struct gpmu_plan *plan, struct plan_event *event)
{
	struct event_instance *list = event->event->instances;
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < event->event->length; i++) {
		if (!is_offline(&list[i])) {
			list[kept++] = list[i];
			continue;
		}
		if (!ret)
			ret = plan_warn(plan, "%s: no CPU of its socket is online, so it is not "
					"counted", gpmu_pmu_name(list[i].pmu));
		free(list[i].name);
	}
	event->event->length = kept;
	return ret;
}

int plan_leave_out(struct gpmu_plan *plan)
{
	struct plan_event *event;
	int ret;

	for (size_t i = 0; i < plan->event_count; i++) {
		event = &plan->events[i];
		if (!event->event)
			continue;
		ret = leave_out(plan, event);
		if (!ret && !event->event->length) {
			gpmu_event_free(event->event);
			event->event = NULL;
			ret = set_why(event, "no CPU of its PMU's socket is online");
		}
		if (ret)
			return ret;
	}
	return 0;
}
