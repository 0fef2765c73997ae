// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packets of scheduling: byte for byte as protobuf-c packs them, names written once, and refused
 * events. trace-sql.t tests their meaning.
 */
#include <limits.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "trace-test.h"
#include "trace/trace.h"

static struct gpmu_trace_switch change(pid_t prev, const char *prev_name, pid_t next, const char *next_name)
{
	return (struct gpmu_trace_switch){
		.size = sizeof(struct gpmu_trace_switch), .cpu = 71, .time = 12345678901234, .prev = prev,
		.prev_name = prev_name, .prev_prio = 120, .prev_state = 1, .next = next, .next_name = next_name,
		.next_prio = 120,
	};
}

static struct gpmu_trace_waking wake(pid_t waker, pid_t tid, const char *name)
{
	return (struct gpmu_trace_waking){
		.size = sizeof(struct gpmu_trace_waking), .cpu = 71, .time = 12345678901234,
		.waker = waker, .tid = tid, .name = name, .prio = 120, .target_cpu = 5,
	};
}

/* Returns the @n-th scheduling event of the trace, or NULL. */
static const GpmuPb__FtraceEvent *event_of(const GpmuPb__Trace *read, size_t n)
{
	for (size_t i = 0; read && i < read->n_packet; i++) {
		const GpmuPb__FtraceEventBundle *bundle = read->packet[i]->ftrace_events;

		if (bundle && bundle->n_event == 1 && !n--)
			return bundle->event[0];
	}
	return NULL;
}

static bool is(const char *got, const char *want)
{
	return want ? got && !strcmp(got, want) : !got;
}

static void bytes(void)
{
	const struct gpmu_trace_switch extreme = {
		.size = sizeof(extreme), .cpu = 1023, .time = INT64_MAX, .prev = INT_MAX, .next = INT_MAX,
		.prev_prio = -1, .next_prio = INT_MIN, .prev_state = INT64_MIN, .prev_name = "", .next_name = "\xff",
	};
	struct gpmu_trace_switch event;
	struct gpmu_trace_waking waking;
	struct test_trace t;
	GpmuPb__Trace *read;
	uint8_t *bytes, *packed;
	size_t length;
	char name[32];

	test_trace_init(&t, 0, 20000);
	for (unsigned int i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "name %u", i % 7);
		event = change((pid_t)i, name, (pid_t)i * i, "b");
		event.cpu = i % 130;
		event.time = 1ULL << i % 63;
		waking = wake((pid_t)i * i * i, (pid_t)i + 1, i % 2 ? NULL : name);
		if (gpmu_trace_sched_switch(t.trace, &event) || gpmu_trace_sched_waking(t.trace, &waking))
			break;
	}
	gpmu_trace_sched_switch(t.trace, &extreme);
	ok(!gpmu_trace_finish(t.trace, NULL) && stats_of(&t).events == 1202 && stats_of(&t).restarts > 2,
	   "sched trace: 1201 scheduling events are written");
	bytes = test_trace_bytes(&t, &length);
	read = gpmu_pb__trace__unpack(NULL, length, bytes);
	packed = malloc(length);
	ok(read && packed && gpmu_pb__trace__get_packed_size(read) == length &&
		   gpmu_pb__trace__pack(read, packed) == length && !memcmp(packed, bytes, length),
	   "sched trace: protobuf-c packs the same %zu bytes", length);
	gpmu_pb__trace__free_unpacked(read, NULL);
	free(packed);
	free(bytes);
	test_trace_release(&t);
}

static void fields(void)
{
	struct gpmu_trace_switch event = change(10, "a", 4194304, "b");
	struct gpmu_trace_waking waking = wake(12, 13, "c");
	const GpmuPb__FtraceEvent *first, *second;
	struct utsname uts;
	struct test_trace t;
	GpmuPb__Trace *read;

	uname(&uts);
	event.prev_state = 256;
	event.next_prio = -1;
	test_trace_init(&t, 0, 0);
	gpmu_trace_sched_switch(t.trace, &event);
	gpmu_trace_sched_waking(t.trace, &waking);
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	first = event_of(read, 0);
	second = event_of(read, 1);
	ok(read && read->n_packet == 4 && read->packet[1]->system_info &&
		   is(read->packet[1]->system_info->utsname->release, uts.release) &&
		   is(read->packet[1]->system_info->utsname->machine, uts.machine),
	   "sched trace: the kernel's release comes before the first event");
	ok(read && read->packet[2]->ftrace_events && read->packet[2]->ftrace_events->cpu == 71 &&
		   read->packet[2]->ftrace_events->ftrace_clock == 4,
	   "sched trace: an event has its CPU and the clock of its time stamp");
	ok(first && first->timestamp == event.time && first->pid == 10 && first->sched_switch &&
		   first->sched_switch->prev_pid == 10 && first->sched_switch->prev_prio == 120 &&
		   first->sched_switch->prev_state == 256 && first->sched_switch->next_pid == 4194304 &&
		   first->sched_switch->next_prio == -1 && is(first->sched_switch->prev_comm, "a") &&
		   is(first->sched_switch->next_comm, "b"), "sched trace: a switch has its fields");
	ok(second && second->timestamp == waking.time && second->pid == 12 && second->sched_waking &&
		   second->sched_waking->pid == 13 && second->sched_waking->prio == 120 &&
		   second->sched_waking->target_cpu == 5 && is(second->sched_waking->comm, "c"),
	   "sched trace: a wakeup has its fields");
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);
}

/* The names written with the @n-th switch */
static bool names_are(const GpmuPb__Trace *read, size_t n, const char *prev, const char *next)
{
	const GpmuPb__FtraceEvent *event = event_of(read, n);

	return event && event->sched_switch && is(event->sched_switch->prev_comm, prev) &&
	       is(event->sched_switch->next_comm, next);
}

static void names(void)
{
	const struct gpmu_trace_switch events[] = {
		change(10, "a", 11, "b"), change(11, "b", 10, "a"), change(10, "exec", 12, NULL),
		change(12, "\xff", 11 + TRACE_COMMS, "b"), change(11, "b", 0, "swapper/1"),
		change(0, "swapper/71", 10, "exec"),
	};
	struct gpmu_trace_waking waking = wake(10, 12, "\xff");
	const GpmuPb__FtraceEvent *last;
	struct test_trace t;
	GpmuPb__Trace *read;

	test_trace_init(&t, 0, 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		gpmu_trace_sched_switch(t.trace, &events[i]);
	gpmu_trace_sched_waking(t.trace, &waking);
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	last = event_of(read, 6);
	ok(names_are(read, 0, "a", "b") && names_are(read, 1, NULL, NULL),
	   "sched trace: an unchanged name is written once");
	ok(names_are(read, 2, "exec", NULL), "sched trace: a changed name is written again");
	ok(names_are(read, 3, "\xef\xbf\xbd", "b") && stats_of(&t).mended == 1,
	   "sched trace: invalid UTF-8 in a name is replaced and counted");
	ok(names_are(read, 4, "b", NULL) && names_are(read, 5, NULL, NULL),
	   "sched trace: a name evicted by another is written again, an idle CPU's never is");
	ok(last && last->sched_waking && is(last->sched_waking->comm, NULL),
	   "sched trace: a wakeup omits an unchanged name");
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);

	test_trace_init(&t, 0, 1);
	gpmu_trace_sched_switch(t.trace, &events[0]);
	gpmu_trace_sched_switch(t.trace, &events[1]);
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	ok(names_are(read, 1, "b", "a") && read->n_packet == 6 && read->packet[4]->system_info &&
		   stats_of(&t).restarts == 2,
	   "sched trace: after a restart, names and kernel are written again");
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);
}

/* Threads that run repeatedly, long after the machine's start */
static void size(void)
{
	uint64_t first = 0, all;
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	for (unsigned int i = 0; i < 2000; i++) {
		struct gpmu_trace_switch event = change(4000000 + (pid_t)i % 500, "python3 worker",
							4000000 + (pid_t)(i + 1) % 500, "python3 worker");

		if (i == 1000)
			first = stats_of(&t).bytes;
		gpmu_trace_sched_switch(t.trace, &event);
	}
	all = stats_of(&t).bytes - first;
	ok(all <= 43000,
	   "sched trace: a switch takes at most 43 bytes on average, here %g", (double)all / 1000);
	test_trace_release(&t);
}

static void tracks(void)
{
	struct gpmu_trace_switch event = change(0, NULL, 11, "b");
	const GpmuPb__TrackDescriptor *process, *thread;
	struct test_trace t;
	GpmuPb__Trace *read;

	test_trace_init(&t, 0, 0);
	gpmu_trace_process(t.trace, 10, "app");
	event.track = gpmu_trace_thread(t.trace, 10, 11, "b");
	gpmu_trace_sched_switch(t.trace, &event);
	gpmu_trace_sched_switch(t.trace, &event);
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	process = read && read->n_packet == 6 ? read->packet[1]->track_descriptor : NULL;
	thread = process ? read->packet[2]->track_descriptor : NULL;
	ok(thread && process->process && process->process->pid == 10 && thread->thread &&
		   thread->thread->pid == 10 && thread->thread->tid == 11 && read->packet[5]->ftrace_events,
	   "sched trace: a thread's process is written once, before the first switch of its track");
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);
}

static bool refuses(struct test_trace *t, struct gpmu_trace_switch event)
{
	return gpmu_trace_sched_switch(t->trace, &event) == -EINVAL;
}

static bool refuses_waking(struct test_trace *t, struct gpmu_trace_waking event)
{
	return gpmu_trace_sched_waking(t->trace, &event) == -EINVAL;
}

static void refused(void)
{
	struct gpmu_trace_switch event = change(1, "a", 2, "b");
	struct gpmu_trace_waking waking = wake(1, 2, "a");
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	event.size = offsetof(struct gpmu_trace_switch, prev_name) - 1;
	waking.size = offsetof(struct gpmu_trace_waking, name) - 1;
	ok(refuses(&t, event) && refuses_waking(&t, waking),
	   "sched trace: structures that are too small are refused");
	event = change(1, "a", 2, "b");
	event.cpu = 1024;
	waking = wake(1, 2, "a");
	waking.cpu = 1024;
	ok(refuses(&t, event) && refuses_waking(&t, waking),
	   "sched trace: a CPU beyond Perfetto's limit is refused");
	waking = wake(1, 2, "a");
	waking.target_cpu = UINT_MAX;
	ok(refuses_waking(&t, waking),
	   "sched trace: a target CPU beyond Perfetto's limit is refused");
	ok(refuses(&t, change(-1, "a", 2, "b")) && refuses(&t, change(1, "a", -1, "b")) &&
		   refuses_waking(&t, wake(-1, 2, "a")) && refuses_waking(&t, wake(1, 0, "a")),
	   "sched trace: impossible thread numbers are refused");
	event = change(1, "a", 2, "b");
	event.time = TRACE_TIME_END;
	waking = wake(1, 2, "a");
	waking.time = UINT64_MAX;
	ok(refuses(&t, event) && refuses_waking(&t, waking),
	   "sched trace: times from 2^63 on are refused");
	event = change(1, "a", 2, "b");
	event.track = 1;
	ok(refuses(&t, event), "sched trace: an unknown track is refused");
	ok(stats_of(&t).bytes == 0 && stats_of(&t).events == 0,
	   "sched trace: refused events write nothing");
	event = change(1, NULL, 2, NULL);
	event.size = offsetof(struct gpmu_trace_switch, prev_name);
	event.prev_name = event.next_name = "nothing is read here";
	ok(!gpmu_trace_sched_switch(t.trace, &event) && stats_of(&t).events == 1 && stats_of(&t).bytes < 300,
	   "sched trace: a structure of an older size without names is accepted");
	test_trace_release(&t);
}

static void fails(void)
{
	struct gpmu_trace_switch event = change(1, "a", 2, "b");
	struct gpmu_trace *trace;
	int fd[2];

	if (pipe(fd))
		return;
	trace = gpmu_trace_new(fd[0], NULL, NULL);
	ok(!gpmu_trace_sched_switch(trace, &event) && gpmu_trace_flush(trace, NULL) == -EBADF &&
		   gpmu_trace_sched_switch(trace, &event) == -EBADF,
	   "sched trace: after a failed write each event returns the error");
	gpmu_trace_free(trace);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	bytes();
	fields();
	names();
	tracks();
	size();
	refused();
	fails();
	return done_testing();
}
