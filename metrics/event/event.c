// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event_build.h"
#include "machine/machine.h"

static int add_on_pmu(struct event_builder *builder, const struct gpmu_pmu *pmu)
{
	struct perf_event_attr attr = builder->form.attr;
	int ret = event_apply(builder, pmu, NULL, &attr);

	return ret ? ret : event_add(builder, pmu, &attr, event_instance_name(builder, pmu, NULL));
}

/* Adds the event on those PMUs of the name that have it. Returns an error if none has it. */
static int add_on_pmus(struct event_builder *builder, size_t *pmu_count)
{
	const struct event_text *text = &builder->text;
	struct gpmu_error first = { .size = sizeof(first) };
	const struct gpmu_pmu *pmu;
	int ret = 0;

	for (size_t i = 0; (pmu = event_next_pmu(builder->machine, text->head, &i)); ++*pmu_count) {
		ret = add_on_pmu(builder, pmu);
		if (ret && ret != -ENOENT)
			return ret;
		if (ret && !*first.text)
			first = builder->why;
	}
	if (builder->event->length)
		return 0;
	builder->why = first;
	return ret;
}

/* Handles perf's own PMUs: "tool", and "default_core", which stands for all core PMUs. */
static int add_perf_pmu(struct event_builder *builder)
{
	struct event_text *text = &builder->text;
	bool is_core = !strcmp(text->head, "default_core"), is_tool = !strcmp(text->head, "tool");
	const char *name;

	if ((!is_core && !is_tool) || text->length != 1 || text->terms[0].value)
		return 0;
	name = text->terms[0].name;
	if (is_tool && !strstr(name, "_time"))
		return 0;
	text->length = 0;
	text->body = NULL;
	return event_add_bare(builder, name);
}

static int add_with_terms(struct event_builder *builder)
{
	const struct event_text *text = &builder->text;
	size_t pmu_count = 0;
	int ret = event_set_modifiers(builder, text->modifiers);

	if (!ret)
		ret = machine_need_counters(builder->machine, &builder->why);
	if (!ret)
		ret = add_on_pmus(builder, &pmu_count);
	if (ret || pmu_count)
		return ret;
	ret = add_perf_pmu(builder);
	if (!ret)
		ret = event_add_bare(builder, text->head);
	if (!ret)
		ret = event_fail_pmu(builder, text->head);
	return ret < 0 ? ret : 0;
}

/* Parses NAME:X where X is no modifier, NAME:u:k, or SYSTEM:NAME. */
static int add_colon(struct event_builder *builder, char *colon)
{
	const char *name = builder->text.head, *last = builder->modifiers;
	int ret;

	if (!colon[1])
		return event_fail(builder, colon, EINVAL, "expected modifiers after \":\"");
	*colon = '\0';
	ret = event_add_bare(builder, name);
	if (ret > 0)
		ret = event_set_modifiers(builder, colon + 1) ?:
		      event_fail(builder, last, EINVAL,
				 "expected one \":\" with all modifiers after it");
	if (ret)
		return ret;
	if (!*name || strchr(colon + 1, ':'))
		return event_fail(builder, name, EINVAL,
				  "expected EVENT:MODIFIERS, or SYSTEM:TRACEPOINT");
	return event_add_tracepoints(builder, name, colon + 1);
}

static int add_without_terms(struct event_builder *builder)
{
	char *text = builder->text.head, *colon = strrchr(text, ':');
	const char *list = strpbrk(text, ",{}");
	int ret;

	if (strstr(text, "::"))
		return event_add_native(builder);
	if (list)
		return event_fail(builder, list, EINVAL, "expected one event, not a list");
	if (colon && event_are_modifiers(colon + 1)) {
		*colon = '\0';
		ret = event_set_modifiers(builder, colon + 1);
		if (ret)
			return ret;
		colon = strchr(text, ':');
	} else if (colon) {
		colon = strchr(text, ':');
	}
	if (colon)
		return add_colon(builder, colon);
	ret = event_add_bare(builder, text);
	if (!ret)
		ret = event_fail_bare(builder, text);
	return ret < 0 ? ret : 0;
}

/*
 * Sets perf's units for times, which are counted in ns. A PMU's event has the unit from
 * sysfs or the catalog.
 */
static int set_time_unit(struct event_builder *builder)
{
	struct gpmu_event *event = builder->event;
	const struct event_instance *first = event->instances;
	bool is_clock = first->attr.type == PERF_TYPE_SOFTWARE &&
			(first->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
			 first->attr.config == PERF_COUNT_SW_TASK_CLOCK);

	if (event->unit || (!first->tool && !is_clock))
		return 0;
	event->unit = strdup(first->tool ? "ns" : "msec");
	if (!event->unit)
		return error_no_memory(&builder->why);
	event->scale = first->tool ? 1 : 1e-6;
	return 0;
}

static int build(struct event_builder *builder, const char *text)
{
	struct gpmu_event *event = builder->event;
	int ret;

	event->scale = 1;
	event->text = strdup(text);
	if (!event->text)
		return error_no_memory(&builder->why);
	if (!strncmp(text, "mem:", 4)) {
		error_set(&builder->why, 0,
			  "mem: is a breakpoint, which only perf counts: perf stat -e mem:...");
		return -EINVAL;
	}
	ret = event_text_init(&builder->text, event->text, &builder->why);
	if (ret)
		return ret == -ENOMEM ? error_no_memory(&builder->why) : ret;
	builder->modifiers = "";
	builder->form.attr.size = sizeof(builder->form.attr);
	ret = builder->text.body ? add_with_terms(builder) : add_without_terms(builder);
	event_text_release(&builder->text);
	return ret ? ret : set_time_unit(builder);
}

struct gpmu_event *gpmu_event_new(const struct gpmu_machine *machine,
				  const struct gpmu_catalog *catalog, const char *text,
				  struct gpmu_error *error)
{
	struct event_builder builder = {
		.machine = machine, .catalog = catalog, .why = { .size = sizeof(builder.why) },
	};
	int ret;

	builder.event = calloc(1, sizeof(*builder.event));
	ret = builder.event ? build(&builder, text) : error_no_memory(&builder.why);
	if (!ret)
		return builder.event;
	gpmu_event_free(builder.event);
	error_set(error, builder.why.offset, "%s", builder.why.text);
	errno = -ret;
	return NULL;
}

void gpmu_event_free(struct gpmu_event *event)
{
	if (!event)
		return;
	for (size_t i = 0; i < event->length; i++)
		free(event->instances[i].name);
	free(event->instances);
	free(event->unit);
	free(event->label);
	free(event->text);
	free(event);
}

const char *gpmu_event_unit(const struct gpmu_event *event)
{
	return event->unit;
}

double gpmu_event_scale(const struct gpmu_event *event)
{
	return event->scale;
}

const char *gpmu_event_instance_name(const struct gpmu_event *event, size_t index)
{
	return index < event->length ? event->instances[index].name : NULL;
}

const struct gpmu_pmu *gpmu_event_instance_pmu(const struct gpmu_event *event, size_t index)
{
	return index < event->length ? event->instances[index].pmu : NULL;
}

const struct perf_event_attr *gpmu_event_instance_attr(const struct gpmu_event *event,
						       size_t index)
{
	if (index >= event->length || event->instances[index].tool)
		return NULL;
	return &event->instances[index].attr;
}
