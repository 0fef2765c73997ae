// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps the events of the track audit, and sets the file's own members from them. */
#include <errno.h>
#include <string.h>

#include "report/timeline/timeline.h"

static const struct timeline_arg *arg_of(const struct timeline *timeline,
					 const struct timeline_fact *fact, const char *name)
{
	for (size_t i = 0; i < fact->args.n; i++) {
		const struct timeline_arg *arg = &fact->args.list[i];

		if (!strcmp(strings_text(&timeline->strings, arg->name), name))
			return arg;
	}
	return NULL;
}

bool timeline_number(const struct timeline *timeline, const struct timeline_fact *fact,
		     const char *name, double *number)
{
	const struct timeline_arg *arg = arg_of(timeline, fact, name);

	if (!arg || arg->text != TIMELINE_NONE)
		return false;
	*number = arg->number;
	return true;
}

const char *timeline_text(const struct timeline *timeline, const struct timeline_fact *fact,
			  const char *name)
{
	const struct timeline_arg *arg = arg_of(timeline, fact, name);

	if (!arg || arg->text == TIMELINE_NONE)
		return NULL;
	return strings_text(&timeline->strings, arg->text);
}

static int take_arg(struct timeline *timeline, struct timeline_fact *fact,
		    const struct gpmu_trace_arg *given)
{
	struct timeline_arg *arg = vector_append(fact->args.list, fact->args.n);

	if (!arg)
		return -ENOMEM;
	arg->text = TIMELINE_NONE;
	arg->number = given->kind == GPMU_TRACE_DOUBLE ? given->real : (double)given->integer;
	if (given->kind == GPMU_TRACE_TEXT &&
	    strings_number(&timeline->strings, given->text ? given->text : "", &arg->text))
		return -ENOMEM;
	return strings_number(&timeline->strings, given->name, &arg->name);
}

/* Sets begin, end, rank and host directly, because a double would round them. */
static int take_own(struct timeline *timeline, struct timeline_file *file,
		    const struct gpmu_trace_item *item)
{
	for (size_t i = 0; i < item->arg_count; i++) {
		const struct gpmu_trace_arg *arg = &item->args[i];

		if (arg->kind == GPMU_TRACE_TEXT && !strcmp(arg->name, "host") &&
		    strings_number(&timeline->strings, arg->text ? arg->text : "", &file->host))
			return -ENOMEM;
		if (arg->kind != GPMU_TRACE_INT || arg->integer < 0)
			continue;
		if (!strcmp(arg->name, "rank"))
			file->rank = arg->integer;
		else if (!strcmp(arg->name, "begin"))
			file->begin = (uint64_t)arg->integer;
		else if (!strcmp(arg->name, "end"))
			file->end = (uint64_t)arg->integer;
	}
	return 0;
}

/* Takes the state that a thread had when the recording began. */
static int take_thread(struct timeline *timeline, const struct gpmu_trace_item *item)
{
	int64_t tid = 0, since = 0;
	bool is_ready = false;

	for (size_t i = 0; i < item->arg_count; i++) {
		const struct gpmu_trace_arg *arg = &item->args[i];

		if (arg->kind == GPMU_TRACE_TEXT && !strcmp(arg->name, "state"))
			is_ready = arg->text && !strcmp(arg->text, "ready");
		else if (arg->kind == GPMU_TRACE_INT && !strcmp(arg->name, "tid"))
			tid = arg->integer;
		else if (arg->kind == GPMU_TRACE_INT && !strcmp(arg->name, "since"))
			since = arg->integer;
	}
	if (tid <= 0 || tid > INT32_MAX || since < 0)
		return 0;
	return timeline_take_state(timeline, (pid_t)tid, (uint64_t)since, is_ready ? TIMELINE_READY : TIMELINE_WAITS);
}

int timeline_take_fact(struct timeline *timeline, const struct gpmu_trace_item *item)
{
	struct timeline_file *file = &timeline->files.list[timeline->files.n - 1];
	struct timeline_fact *fact = vector_append(timeline->facts.list, timeline->facts.n);

	if (!fact)
		return -ENOMEM;
	fact->file = (uint32_t)timeline->files.n - 1;
	if (strings_number(&timeline->strings, item->name ? item->name : "", &fact->name))
		return -ENOMEM;
	for (size_t i = 0; i < item->arg_count; i++)
		if (take_arg(timeline, fact, &item->args[i]))
			return -ENOMEM;
	if (item->name && !strcmp(item->name, "thread"))
		return take_thread(timeline, item);
	return item->name && !strcmp(item->name, "gpmu") ? take_own(timeline, file, item) : 0;
}
