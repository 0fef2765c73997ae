// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes operations that Arm SPE sampled. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/sized.h"
#include "trace/trace.h"

#define ADDRESS_MOST	20	/* bytes of "0x" and 16 digits */

struct args {
	struct gpmu_trace_arg list[13];
	size_t count;
	char texts[3][ADDRESS_MOST];
	size_t text_count;
};

static void add_text(struct args *args, const char *name, const char *text)
{
	if (text)
		args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_NAME, .text = text };
}

static void add_number(struct args *args, const char *name, int64_t number)
{
	if (number >= 0)
		args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .integer = number };
}

/* Addresses of the kernel are beyond the integers of SQL. */
static void add_address(struct args *args, const char *name, uint64_t address)
{
	char *text = args->texts[args->text_count];

	if (!address)
		return;
	args->text_count++;
	snprintf(text, ADDRESS_MOST, "0x%" PRIx64, address);
	args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_TEXT, .text = text };
}

int gpmu_trace_spe(struct gpmu_trace *trace, const struct gpmu_trace_spe *sample)
{
	struct gpmu_trace_event event = { .size = sizeof(event), .category = "spe" };
	struct gpmu_trace_spe own = { .latency = -1, .issue = -1, .translation = -1, .cpu = -1 };
	struct args args = { .count = 0 };

	if (sample->size < offsetof(struct gpmu_trace_spe, tier))
		return -EINVAL;
	sized_copy(&own, sizeof(own), sample);
	add_text(&args, "op", own.op);
	add_text(&args, "tier", own.tier);
	add_text(&args, "home", own.home);
	add_number(&args, "latency", own.latency);
	add_number(&args, "issue", own.issue);
	add_number(&args, "translation", own.translation);
	add_text(&args, "function", own.function);
	add_text(&args, "object", own.object);
	add_text(&args, "data", own.data);
	add_address(&args, "pc", own.pc);
	add_address(&args, "address", own.address);
	add_address(&args, "physical", own.physical);
	add_number(&args, "cpu", own.cpu);
	event.track = own.track;
	event.time = own.time;
	event.name = own.tier ? own.tier : own.op ? own.op : "operation";
	event.args = args.list;
	event.arg_count = args.count;
	return gpmu_trace_instant(trace, &event);
}
