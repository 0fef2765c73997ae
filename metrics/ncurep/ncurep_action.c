// SPDX-License-Identifier: LGPL-2.1-or-later
/* Results to actions, in ranges. */
#include <errno.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "ncurep/ncurep.h"

/* The fields that results of all kinds have */
#define COMMON(action, result) do { \
	(action)->info.thread = (result)->tid; \
	(action)->info.api_call = (result)->api_call; \
	(action)->info.time = (result)->time; \
	(action)->found = (result)->metrics; \
	(action)->found_count = (result)->n_metrics; \
	(action)->state = (result)->nvtx; \
} while (0)

/* Finds the range of a stream, or adds it. NULL: out of memory */
static struct ncurep_range *range_of(struct gpmu_ncu_report *report, const NcuPb__Process *process, uint64_t context,
				     uint64_t stream)
{
	const struct gpmu_ncu_range info = {
		.size = sizeof(info), .host = process ? process->host : NULL, .process = process ? process->name : NULL,
		.pid = process ? process->pid : 0, .context = context, .stream = stream,
	};
	struct ncurep_range *range;

	for (size_t i = report->ranges.n; i--;) {
		const struct gpmu_ncu_range *known = &report->ranges.list[i]->info;

		if (known->pid == info.pid && known->context == context && known->stream == stream &&
		    text_is_same(known->host, info.host))
			return report->ranges.list[i];
	}
	range = calloc(1, sizeof(*range));
	if (!range || vector_push(&report->ranges, &range)) {
		free(range);
		return NULL;
	}
	range->info = info;
	return range;
}

/* The report owns the action, which owns the message. On failure the message is freed. NULL: out of memory */
static struct ncurep_action *new_action(struct gpmu_ncu_report *report, ProtobufCMessage *message)
{
	struct ncurep_action *action = calloc(1, sizeof(*action));

	if (!action || vector_push(&report->actions, &action)) {
		free(action);
		ncurep_message_free(message);
		return NULL;
	}
	action->message = message;
	return action;
}

/* Adds an action of the message. NULL: out of memory */
static struct ncurep_action *add(struct gpmu_ncu_report *report, const NcuPb__Process *process,
				 ProtobufCMessage *message, enum gpmu_ncu_work work, uint64_t context, uint64_t stream)
{
	struct ncurep_action *action = new_action(report, message);
	struct ncurep_range *range = action ? range_of(report, process, context, stream) : NULL;

	if (!range || vector_push(&range->actions, &action))
		return NULL;
	action->info.size = sizeof(action->info);
	action->info.work = work;
	action->info.range = &range->info;
	return action;
}

static void set_size(uint64_t to[3], const NcuPb__Size *size)
{
	to[0] = size ? size->x : 0;
	to[1] = size ? size->y : 0;
	to[2] = size ? size->z : 0;
}

int ncurep_add_kernel(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message)
{
	const NcuPb__KernelResult *result = (const NcuPb__KernelResult *)message;
	struct ncurep_action *action = add(report, process, message, GPMU_NCU_KERNEL, result->context, result->stream);

	if (!action)
		return -ENOMEM;
	COMMON(action, result);
	action->info.name = result->function;
	action->info.demangled = result->renamed ? result->renamed : result->demangled;
	action->info.mangled = result->mangled;
	set_size(action->info.grid, result->grid);
	set_size(action->info.block, result->block);
	action->code = result->source;
	return 0;
}

int ncurep_add_range(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message)
{
	const NcuPb__RangeResult *result = (const NcuPb__RangeResult *)message;
	struct ncurep_action *action = add(report, process, message, GPMU_NCU_RANGE, result->context, 0);

	if (!action)
		return -ENOMEM;
	COMMON(action, result);
	return 0;
}

int ncurep_add_cmdlist(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message)
{
	const NcuPb__CmdlistResult *result = (const NcuPb__CmdlistResult *)message;
	struct ncurep_action *action = add(report, process, message, GPMU_NCU_CMDLIST, result->context, result->stream);

	if (!action)
		return -ENOMEM;
	COMMON(action, result);
	action->info.name = result->name;
	return 0;
}

int ncurep_add_graph(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message)
{
	const NcuPb__GraphResult *result = (const NcuPb__GraphResult *)message;
	struct ncurep_action *action = add(report, process, message, GPMU_NCU_GRAPH, result->context, result->stream);

	if (!action)
		return -ENOMEM;
	COMMON(action, result);
	return 0;
}

void ncurep_action_free(struct ncurep_action *action)
{
	ncurep_message_free(action->message);
	free(action->by_name);
	vector_free(&action->metrics);
	vector_free(&action->nvtx);
	free(action);
}
