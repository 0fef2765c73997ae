// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parses a switch of a CPU to another thread, which gpmu_trace writes as a bundle of one event. */
#include <errno.h>

#include "trace/trace.h"
#include "trace/reader/trace_reader.h"

static void set_switch(struct gpmu_trace_switch *to, unsigned int cpu, uint64_t time,
		       const GpmuPb__SchedSwitch *change)
{
	*to = (struct gpmu_trace_switch){
		.size = sizeof(*to), .cpu = cpu, .time = time,
		.prev = change->prev_pid, .next = change->next_pid,
		.prev_prio = change->prev_prio, .next_prio = change->next_prio,
		.prev_state = change->prev_state,
		.prev_name = change->prev_comm, .next_name = change->next_comm,
	};
}

int reader_sched(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	const GpmuPb__FtraceEventBundle *bundle = packet->ftrace_events;
	const GpmuPb__FtraceEvent *event = bundle->n_event == 1 ? bundle->event[0] : NULL;
	const GpmuPb__SchedSwitch *change = event ? event->sched_switch : NULL;

	if (!event || bundle->cpu >= TRACE_CPUS_MAX ||
	    (change && (change->prev_pid < 0 || change->next_pid < 0))) {
		reader->stats.others++;
		return 0;
	}
	if (event->timestamp >= READER_TIME_END)
		return reader_fail(reader, -EINVAL, "expected a time in ns below 2^63");
	if (!change)
		return 0;
	if (event->timestamp > reader->last_time)
		reader->last_time = event->timestamp;
	set_switch(&reader->change, bundle->cpu, event->timestamp, change);
	reader->item = (struct gpmu_trace_item){
		.size = sizeof(reader->item), .kind = GPMU_TRACE_SWITCH,
		.begin = event->timestamp, .end = event->timestamp, .change = &reader->change,
	};
	return 1;
}
