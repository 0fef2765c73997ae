// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text/text.h"
#include "event/event_fd.h"
#include "record/stack/record_stack.h"

/* Bytes, a power of 2 and a multiple of a page; of samples with copies of stacks */
#define RING		(256u << 10)
#define RING_COPIES	(2u << 20)
#define RING_MAPS	(64u << 10)	/* of records without samples */
#define FREQUENCY	999		/* samples per second, unless the event has a period */

static int refuse(int ret, const char *event, struct gpmu_error *error)
{
	char what[128];

	snprintf(what, sizeof(what), "sampling %s", event);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		error_set(error, 0, "this machine has no counter that can sample %s; virtual machines often have none: "
			  "sample cpu-clock", event);
	else if (!record_rings_refuse(ret, what, "the rings for samples", "2 or less for a command, 0 or less for all CPUs", error))
		error_set(error, 0, "%s cannot be sampled: %s", event, error_text(-ret));
	return ret;
}

/* Sets the name and the attr to those of "EVENT" or "EVENT,PERIOD", where an event may have commas between slashes. */
static int resolve(struct record_stack *stack, struct gpmu_error *error)
{
	struct perf_event_attr *attr = &stack->attr;
	const char *slash = strrchr(stack->event, '/'), *comma = strrchr(stack->event, ',');
	const bool has_period = comma && (!slash || comma > slash);
	char *text = strndup(stack->event, has_period ? (size_t)(comma - stack->event) : strlen(stack->event)), *end;
	struct gpmu_event *event = text ? gpmu_event_new(stack->reader.machine, NULL, text, error) : NULL;
	int ret = text ? event ? 0 : -errno : -ENOMEM;

	if (event && !gpmu_event_instance_attr(event, 0)) {
		error_set(error, 0, "%s cannot be sampled", text);
		ret = -EINVAL;
	}
	if (!ret) {
		*attr = *gpmu_event_instance_attr(event, 0);
		attr->freq = !has_period;
		attr->sample_freq = has_period ? strtoull(comma + 1, &end, 0) : FREQUENCY;
		if (has_period && (*end || !attr->sample_period || attr->sample_period > INT64_MAX)) {
			error_set(error, (size_t)(comma + 1 - stack->event), "%s: expected the period after \",\": a whole number from 1", stack->event);
			ret = -EINVAL;
		}
	}
	gpmu_event_free(event);
	stack->name = text;
	return ret;
}

/* The registers of user space, as perf record chooses them; 0: the machine's stacks cannot be unwound */
#if defined(__aarch64__)
#define REGISTERS	0x1ffffffffULL
#elif defined(__x86_64__)
#define REGISTERS	0xff0fffULL	/* without those of segments */
#else
#define REGISTERS	0ULL
#endif

static int copy_stacks(struct record_stack *stack, struct gpmu_error *error)
{
	struct perf_event_attr *attr = &stack->attr;

	if (!REGISTERS) {
		error_set(error, 0, "copies of stacks can be unwound on x86-64 and aarch64 only");
		return -EOPNOTSUPP;
	}
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = REGISTERS;
	attr->sample_stack_user = stack->copy;
	attr->exclude_callchain_user = 1;
	return 0;
}

/* The kernel refuses a frequency above its limit. */
static void limit_frequency(struct perf_event_attr *attr)
{
	const uint64_t max = event_max_rate();

	if (!attr->freq || !max || attr->sample_freq <= max)
		return;
	log_line(GPMU_LOG_WARNING, "samples: %" PRIu64 " per second instead of %" PRIu64 ", the sysctl "
		 "kernel.perf_event_max_sample_rate", max, (uint64_t)attr->sample_freq);
	attr->sample_freq = max;
}

/* Opens the rings of samples. */
static int open_samples(struct record_stack *stack, struct gpmu_error *error)
{
	const size_t room = stack->copy ? RING_COPIES : RING;
	struct perf_event_attr *attr = &stack->attr;
	int ret;

	limit_frequency(attr);
	attr->sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	ret = stack->copy ? copy_stacks(stack, error) : 0;
	if (ret)
		return ret;
	ret = record_rings_open(&stack->rings, &stack->reader, attr, room);
	if ((ret == -EACCES || ret == -EPERM) && !attr->exclude_kernel && !attr->exclude_user) {
		record_rings_release(&stack->rings);
		attr->exclude_kernel = 1;
		ret = record_rings_open(&stack->rings, &stack->reader, attr, room);
		stack->note = ret ? NULL : strdup("samples: functions of the kernel are not recorded, which requires CAP_PERFMON, "
						  "or the sysctl kernel.perf_event_paranoid at 1 or less");
	}
	return ret ? refuse(ret, stack->event, error) : 0;
}

/* Opens the rings of maps. Without them samples of SPE have no functions of programs. */
static void open_maps(struct record_stack *stack)
{
	const int ret = record_rings_open(&stack->rings, &stack->reader, &stack->attr, RING_MAPS);

	if (!ret)
		return;
	record_rings_release(&stack->rings);
	stack->note = text_print("samples: functions of programs are not recorded: %s", error_text(-ret));
}

int record_stack_open(struct record_stack *stack, struct gpmu_error *error)
{
	struct perf_event_attr *attr = &stack->attr;
	int ret = stack->event ? resolve(stack, error) : 0;

	if (ret)
		return ret;
	if (!stack->event)
		*attr = (struct perf_event_attr){
			.size = sizeof(*attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1,
		};
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	/* No build ids: with them, Linux 6.18 also flags the records of other events, which have device numbers instead. */
	attr->sample_id_all = attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
	if (!stack->event)
		open_maps(stack);
	else
		ret = open_samples(stack, error);
	if (ret)
		return ret;
	if (stack->note)
		log_line(GPMU_LOG_WARNING, "%s", stack->note);
	if (stack->rings.count)
		record_stack_maps(stack);
	return 0;
}

void record_stack_release(struct record_stack *stack)
{
	record_rings_release(&stack->rings);
	free(stack->name);
	free(stack->note);
	stack->name = stack->note = NULL;
}

/* --- the thread */

static bool take(void *user, const struct record_ring *record_ring, const struct perf_event_header *header, const char *data,
		 size_t size)
{
	const bool is_sample = header->type == PERF_RECORD_SAMPLE;
	struct record_stack *stack = user;
	bool is_inside;
	struct record_sample_id id;

	if (size < sizeof(id))
		return false;
	memcpy(&id, is_sample ? data : data + size - sizeof(id), sizeof(id));
	is_inside = record_window_has(stack->reader.window, id.time);
	if (header->type == PERF_RECORD_THROTTLE)
		stack->rings.list[record_ring - stack->rings.list].lost[RECORD_KERNEL_THROTTLED] += is_inside;
	else if (!is_sample || is_inside)
		record_stack_put(stack, header, data, size, id.time);
	return true;
}

void *record_stack_run(void *data)
{
	struct record_stack *stack = data;

	record_rings_run(&stack->rings, &stack->reader, take, NULL, stack);
	return NULL;
}
