// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writes scheduling events in Perfetto's form of the kernel's ftrace: one bundle for each
 * event, so events need neither wait for others nor be in order. A thread's name is
 * written when it is new since the last restart; this reduces 70 bytes to 40.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/sized.h"
#include "trace/trace_wire.h"

#define PLAIN_MAX	192	/* bytes of a packet without names */

/* FtraceEventBundle.ftrace_clock */
enum { CLOCK_MONO_RAW = 4 };

/* Fields of FtraceEvent */
enum { SWITCH = 4, WAKING = 20 };

struct name {
	pid_t tid;
	const char *text;		/* NULL: nothing to write */
	char *mended;
	size_t length;
	uint64_t hash;
};

struct sched {
	unsigned int cpu;
	uint64_t time;
	pid_t runs;			/* the thread that runs on that CPU */
	int track;			/* 0: none */
	const struct gpmu_trace_switch *change;	/* NULL: it is the other type of event */
	const struct gpmu_trace_waking *waking;
	struct name names[2];		/* previous and next thread; or the woken thread */
};

static struct trace_comm *comm_of(struct gpmu_trace *trace, pid_t tid)
{
	return &trace->comms[(unsigned int)tid % TRACE_COMMS];
}

/* Idle threads have number 0 on all CPUs, and Perfetto names them itself. */
static int prepare_name(struct gpmu_trace *trace, struct name *name)
{
	const struct trace_comm *comm = comm_of(trace, name->tid);

	if (!name->tid)
		name->text = NULL;
	if (!name->text)
		return 0;
	name->hash = trace_hash(name->text, strnlen(name->text, TRACE_NAME_MAX + 1));
	if (comm->tid == name->tid && comm->hash == name->hash && comm->given == trace->restart) {
		name->text = NULL;
		return 0;
	}
	if (trace_text(trace, name->text, &name->mended, &name->length))
		return -ENOMEM;
	if (name->mended)
		name->text = name->mended;
	return 0;
}

/* Writes the kernel's name and thread names that are due, and reserves room for the packet. */
static int prepare(struct gpmu_trace *trace, struct sched *sched)
{
	size_t max = PLAIN_MAX;
	int ret = trace_prepare(trace, sched->track, sched->time);

	if (!ret && trace->system_given != trace->restart) {
		ret = trace_put_system(trace);
		trace->system_given = ret ? trace->system_given : trace->restart;
	}
	for (unsigned int i = 0; i < 2 && !ret; i++) {
		ret = prepare_name(trace, &sched->names[i]);
		max += sched->names[i].length;
	}
	if (!ret && (!trace_room(&trace->scratch, max) || !trace_room(&trace->out, max)))
		ret = -ENOMEM;
	return ret;
}

static uint8_t *put_int(uint8_t *p, unsigned int field, int64_t value)
{
	return wire_number(p, field, (uint64_t)value);
}

static uint8_t *put_name(uint8_t *p, unsigned int field, const struct name *name)
{
	return name->text ? wire_text(p, field, name->text, name->length) : p;
}

static uint8_t *put_switch(uint8_t *p, const struct sched *sched)
{
	const uint8_t *end = p;

	p = put_int(p, 7, sched->change->next_prio);
	p = put_int(p, 6, sched->change->next);
	p = put_name(p, 5, &sched->names[1]);
	p = put_int(p, 4, sched->change->prev_state);
	p = put_int(p, 3, sched->change->prev_prio);
	p = put_int(p, 2, sched->change->prev);
	p = put_name(p, 1, &sched->names[0]);
	return wire_message(p, SWITCH, end);
}

static uint8_t *put_waking(uint8_t *p, const struct sched *sched)
{
	const uint8_t *end = p;

	p = put_int(p, 5, sched->waking->target_cpu);
	p = put_int(p, 3, sched->waking->prio);
	p = put_int(p, 2, sched->waking->tid);
	p = put_name(p, 1, &sched->names[0]);
	return wire_message(p, WAKING, end);
}

/* Appends the packet; both buffers have room. */
static void put(struct gpmu_trace *trace, const struct sched *sched)
{
	uint8_t *const end = trace->scratch.data + trace->scratch.room, *p = end, *bundle, *event;

	p = wire_number(p, 10, TRACE_SEQUENCE);
	bundle = p;
	p = wire_number(p, 5, CLOCK_MONO_RAW);
	event = p;
	p = sched->change ? put_switch(p, sched) : put_waking(p, sched);
	p = put_int(p, 2, sched->runs);
	p = wire_number(p, 1, sched->time);
	p = wire_message(p, 2, event);
	p = wire_number(p, 1, sched->cpu);
	p = wire_message(p, 1, bundle);
	wire_packet(trace, wire_message(p, 1, end), end, sched->time);
	trace->stats.events++;
	for (unsigned int i = 0; i < 2; i++) {
		const struct name *name = &sched->names[i];

		if (name->text)
			*comm_of(trace, name->tid) = (struct trace_comm){
				.hash = name->hash, .given = trace->restart, .tid = name->tid,
			};
	}
}

static int write_sched(struct gpmu_trace *trace, struct sched *sched)
{
	int ret = -EINVAL;

	if (sched->cpu < TRACE_CPUS_MAX && sched->runs >= 0 && sched->time < TRACE_TIME_END)
		ret = prepare(trace, sched);
	if (!ret) {
		put(trace, sched);
		ret = trace_done(trace);
	}
	free(sched->names[0].mended);
	free(sched->names[1].mended);
	return ret;
}

int gpmu_trace_sched_switch(struct gpmu_trace *trace, const struct gpmu_trace_switch *event)
{
	struct gpmu_trace_switch own = { 0 };
	struct sched sched = { .change = &own };

	if (event->size < offsetof(struct gpmu_trace_switch, prev_name))
		return -EINVAL;
	sized_copy(&own, sizeof(own), event);
	if (own.next < 0 || (own.track && !trace_track_of(trace, own.track)))
		return -EINVAL;
	sched.cpu = own.cpu;
	sched.time = own.time;
	sched.runs = own.prev;
	sched.track = own.track;
	sched.names[0] = (struct name){ .tid = own.prev, .text = own.prev_name };
	sched.names[1] = (struct name){ .tid = own.next, .text = own.next_name };
	return write_sched(trace, &sched);
}

int gpmu_trace_sched_waking(struct gpmu_trace *trace, const struct gpmu_trace_waking *event)
{
	struct gpmu_trace_waking own = { 0 };
	struct sched sched = { .waking = &own };

	if (event->size < offsetof(struct gpmu_trace_waking, name))
		return -EINVAL;
	sized_copy(&own, sizeof(own), event);
	if (own.tid <= 0 || own.target_cpu >= TRACE_CPUS_MAX)
		return -EINVAL;
	sched.cpu = own.cpu;
	sched.time = own.time;
	sched.runs = own.waker;
	sched.names[0] = (struct name){ .tid = own.tid, .text = own.name };
	return write_sched(trace, &sched);
}
