// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arguments of an item of a trace. */
#include <string.h>

#include "report/timeline/timeline.h"

const struct gpmu_trace_arg *timeline_arg(const struct gpmu_trace_item *item, const char *name)
{
	for (size_t i = 0; i < item->arg_count; i++)
		if (!strcmp(item->args[i].name, name))
			return &item->args[i];
	return NULL;
}

uint64_t timeline_integer(const struct gpmu_trace_item *item, const char *name)
{
	const struct gpmu_trace_arg *arg = timeline_arg(item, name);

	return arg && arg->kind == GPMU_TRACE_INT && arg->integer > 0 ? (uint64_t)arg->integer : 0;
}

const char *timeline_text_of(const struct gpmu_trace_item *item, const char *name)
{
	const struct gpmu_trace_arg *arg = timeline_arg(item, name);

	return arg && arg->kind == GPMU_TRACE_TEXT ? arg->text : NULL;
}

int timeline_text_number(struct timeline *timeline, const struct gpmu_trace_item *item, const char *name,
			 uint32_t *number)
{
	const char *text = timeline_text_of(item, name);

	*number = TIMELINE_NONE;
	return text ? strings_number(&timeline->strings, text, number) : 0;
}
