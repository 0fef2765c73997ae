// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes operations that Arm SPE sampled. */
#include <errno.h>

#include "base/sized.h"
#include "trace/trace.h"

#define FIELDS_MAX	8
#define ARGS_MAX	(7 + FIELDS_MAX)

struct args {
	struct gpmu_trace_arg list[ARGS_MAX];
	size_t count;
};

static const struct {
	enum gpmu_spe_field field;
	const char *name;
	enum gpmu_trace_arg_kind kind;
} fields[FIELDS_MAX] = {
	{ .field = GPMU_SPE_TOTAL, .name = "latency", .kind = GPMU_TRACE_INT },
	{ .field = GPMU_SPE_ISSUE, .name = "issue", .kind = GPMU_TRACE_INT },
	{ .field = GPMU_SPE_TRANSLATION, .name = "translation", .kind = GPMU_TRACE_INT },
	{ .field = GPMU_SPE_PC, .name = "pc", .kind = GPMU_TRACE_ADDRESS },
	{ .field = GPMU_SPE_TARGET, .name = "target", .kind = GPMU_TRACE_ADDRESS },
	{ .field = GPMU_SPE_VA, .name = "va", .kind = GPMU_TRACE_ADDRESS },
	{ .field = GPMU_SPE_PA, .name = "pa", .kind = GPMU_TRACE_ADDRESS },
	{ .field = GPMU_SPE_EVENTS, .name = "events", .kind = GPMU_TRACE_ADDRESS },
};

static void add_text(struct args *args, const char *name, const char *text)
{
	if (text)
		args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_NAME, .text = text };
}

int gpmu_trace_spe(struct gpmu_trace *trace, const struct gpmu_trace_spe *sample)
{
	struct gpmu_trace_event event = { .size = sizeof(event), .category = "spe" };
	struct gpmu_trace_spe own = { .cpu = -1 };
	struct args args = { .count = 0 };

	if (sample->size < offsetof(struct gpmu_trace_spe, tier))
		return -EINVAL;
	sized_copy(&own, sizeof(own), sample);
	if (own.cpu >= 0)
		args.list[args.count++] = (struct gpmu_trace_arg){ .name = "cpu", .integer = own.cpu };
	add_text(&args, "op", own.op);
	add_text(&args, "tier", own.tier);
	add_text(&args, "home", own.home);
	add_text(&args, "function", own.function);
	add_text(&args, "object", own.object);
	add_text(&args, "data", own.data);
	for (unsigned int i = 0; own.record && i < FIELDS_MAX; i++)
		if (gpmu_spe_has(own.record, fields[i].field))
			args.list[args.count++] = (struct gpmu_trace_arg){
				.name = fields[i].name, .kind = fields[i].kind,
				.integer = (int64_t)gpmu_spe_number(own.record, fields[i].field),
			};
	event.track = own.track;
	event.time = own.time;
	event.name = own.tier ? own.tier : own.op ? own.op : "operation";
	event.args = args.list;
	event.arg_count = args.count;
	return gpmu_trace_instant(trace, &event);
}
