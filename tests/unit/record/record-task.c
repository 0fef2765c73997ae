// SPDX-License-Identifier: LGPL-2.1-or-later
/* The timeline of records of the command's own threads */
#include "record/tracks/record_map.h"
#include "trace/trace-test.h"

#define TASK(does, on, process, thread, ...) \
	((struct record_task){ .change = (does), .cpu = (on), .pid = (process), .tid = (thread), __VA_ARGS__ })
#define RUNS(cpu, pid, tid) TASK(RECORD_TASK_RUNS, cpu, pid, tid, 0)
#define WAITS(cpu, pid, tid) TASK(RECORD_TASK_WAITS, cpu, pid, tid, 0)
#define PREEMPTED(cpu, pid, tid) TASK(RECORD_TASK_PREEMPTED, cpu, pid, tid, 0)
#define ENDS(cpu, pid, tid) TASK(RECORD_TASK_ENDS, cpu, pid, tid, 0)
#define FORKED(pid, tid, by) TASK(RECORD_TASK_FORKED, 0, pid, tid, by)
#define EXECUTES(pid, text) TASK(RECORD_TASK_EXECUTES, 0, pid, pid, 0, 0, text)
#define EXISTS(cpu, pid, tid, state, ...) TASK(RECORD_TASK_NAMED, cpu, pid, tid, 0, state, __VA_ARGS__)
#define CHECKED(tid, ran) TASK(RECORD_TASK_CHECKED, 0, tid, tid, 0, 0, "", ran)
#define NAMED(pid, tid, text) TASK(RECORD_TASK_NAMED, 0, pid, tid, 0, 0, text)

static struct test_trace t;
static struct record_map map;
static uint64_t now;

static void begin(void)
{
	now = 0;
	test_trace_init(&t, 0, 0);
	record_map_init(&map, t.trace, NULL);
}

/* Puts records 10 ns apart. */
static void put(const struct record_task *tasks, size_t n, struct record_span window)
{
	for (size_t i = 0; i < n; i++) {
		now += 10;
		if (record_map_task(&map, now, window, &tasks[i]))
			diag("record %zu is refused", i);
	}
}

#define PUT(window, ...) do { \
	const struct record_task tasks[] = { __VA_ARGS__ }; \
	put(tasks, sizeof(tasks) / sizeof(tasks[0]), window); \
} while (0)

/*
 * "10 1: 0(0)>5 app; ": time, CPU, previous thread (its state), next thread; and the name of
 * either if recorded. "thread 6 sleeps 20; ": a fact, with its arguments
 */
static size_t describe(const GpmuPb__TracePacket *packet, char *text, size_t size)
{
	const GpmuPb__TrackDescriptor *track = packet->track_descriptor;

	if (track && track->process)
		return (size_t)snprintf(text, size, "p%d %s; ", track->process->pid,
					track->process->process_name ? track->process->process_name : "?");
	if (track && track->thread)
		return (size_t)snprintf(text, size, "t%d/%d %s; ", track->thread->pid, track->thread->tid,
					track->thread->thread_name ? track->thread->thread_name : "?");
	if (packet->ftrace_events) {
		const GpmuPb__FtraceEvent *event = packet->ftrace_events->event[0];
		const GpmuPb__SchedSwitch *change = event->sched_switch;

		return (size_t)snprintf(text, size, "%u %u: %d%s%s(%d)>%d%s%s; ", (unsigned int)event->timestamp,
					packet->ftrace_events->cpu, change->prev_pid, change->prev_comm ? " " : "",
					change->prev_comm ? change->prev_comm : "", (int)change->prev_state, change->next_pid,
					change->next_comm ? " " : "", change->next_comm ? change->next_comm : "");
	}
	if (packet->track_event && packet->track_event->n_debug_annotations == 3) {
		GpmuPb__DebugAnnotation **args = packet->track_event->debug_annotations;

		return (size_t)snprintf(text, size, "thread %d %s %u; ", (int)args[0]->int_value,
					args[1]->string_value, (unsigned int)args[2]->int_value);
	}
	return 0;
}

/* Returns all packets of the trace, and ends it. */
static const char *shown(void)
{
	static char text[4096];
	GpmuPb__Trace *read;
	size_t pos = 0;

	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	text[0] = '\0';
	for (size_t i = 0; read && i < read->n_packet; i++)
		pos += describe(read->packet[i], text + pos, sizeof(text) - pos);
	gpmu_pb__trace__free_unpacked(read, NULL);
	record_map_release(&map);
	test_trace_release(&t);
	return text;
}

static const struct record_span always = { 1, 0 };

static void states(void)
{
	begin();
	PUT(always, NAMED(5, 5, "gpmu"), RUNS(1, 5, 5), EXECUTES(5, "app"), WAITS(1, 5, 5), RUNS(0, 5, 5),
	    PREEMPTED(0, 5, 5), RUNS(0, 5, 5), ENDS(0, 5, 5));
	is_str(shown(), "p5 gpmu; t5/5 gpmu; 20 1: 0(0)>5 gpmu; p5 app; t5/5 app; 40 1: 5 app(1)>0; "
	       "50 0: 0(0)>5; 60 0: 5(256)>0; 70 0: 0(0)>5; 80 0: 5(16)>0; ",
	       "tasks: a thread that runs, waits, is preempted and ends has its process's name, "
	       "renewed by exec");
}

static void threads(void)
{
	begin();
	PUT(always, EXECUTES(5, "app"), FORKED(5, 6, 5), RUNS(1, 5, 6), NAMED(5, 6, "worker"), WAITS(1, 5, 6),
	    FORKED(7, 7, 6), RUNS(0, 7, 7), ENDS(0, 7, 7), FORKED(5, 7, 5), RUNS(0, 5, 7));
	is_str(shown(), "p5 ?; t5/6 app; 30 1: 0(0)>6 app; t5/6 worker; 50 1: 6 worker(1)>0; p7 worker; t7/7 worker; "
	       "70 0: 0(0)>7 worker; 80 0: 7(16)>0; t5/7 app; 100 0: 0(0)>7 app; ",
	       "tasks: a thread has its creator's name until it has its own, and a reused tid is a "
	       "new thread");
}

static void lost(void)
{
	begin();
	PUT(always, EXECUTES(5, "app"), WAITS(1, 5, 5), RUNS(1, 5, 5), RUNS(1, 5, 6), ENDS(1, 5, 5), WAITS(1, 5, 6));
	is_str(shown(), "p5 app; t5/5 app; 30 1: 0(0)>5 app; t5/6 ?; 40 1: 5(0)>6; 50 1: 6(0)>0; ",
	       "tasks: an unmatched end or begin ends the thread that runs on the CPU");
}

static void executed(void)
{
	begin();
	PUT(always, EXECUTES(5, "app"), RUNS(1, 5, 5), FORKED(5, 6, 5), RUNS(0, 5, 6), ENDS(1, 5, 5),
	    EXECUTES(5, "new"), WAITS(0, 5, 5));
	is_str(shown(), "p5 app; t5/5 app; 20 1: 0(0)>5 app; t5/6 app; 40 0: 0(0)>6 app; 50 1: 5(16)>0; "
	       "p5 new; t5/5 new; 60 0: 6(16)>5 new; 70 0: 5(1)>0; ",
	       "tasks: a thread that executes becomes the first thread of its process");
}

static void window(void)
{
	begin();
	PUT(((struct record_span){ 1, 1 }), EXECUTES(5, "app"), RUNS(1, 5, 5));
	PUT(((struct record_span){ 25, 0 }), RUNS(0, 6, 6), WAITS(0, 6, 6));
	PUT(((struct record_span){ 25, 45 }), WAITS(1, 5, 5), RUNS(1, 5, 5));
	ok(!record_map_tasks_begin(&map, (struct record_span){ 25, 45 }),
	   "tasks: a window that has begun does not begin again");
	is_str(shown(), "p5 app; t5/5 app; 25 1: 0(0)>5 app; p6 ?; t6/6 ?; 30 0: 0(0)>6; 40 0: 6(1)>0; ",
	       "tasks: a running thread is shown from the window's begin on, and records after its "
	       "end are left out");
	begin();
	PUT(((struct record_span){ 1, 1 }), EXECUTES(5, "app"), RUNS(1, 5, 5));
	ok(!record_map_tasks_begin(&map, (struct record_span){ 1, 1 }) &&
	   !record_map_tasks_begin(&map, (struct record_span){ 15, 45 }),
	   "tasks: a window may begin while a thread runs all the time");
	is_str(shown(), "p5 app; t5/5 app; 15 1: 0(0)>5 app; ",
	       "tasks: a thread that runs all the time is shown at the window's begin");
}

/* Threads that exist when recording begins */
static void existing(void)
{
	const struct record_span before = { 1, 1 }, window = { 45, 0 }, after = { 45, 200 };

	begin();
	PUT(before, EXISTS(0, 5, 5, RECORD_TASK_SLEEPS, "app"), EXISTS(1, 5, 6, RECORD_TASK_ACTIVE, "spins"),
	    EXISTS(2, 5, 7, RECORD_TASK_SLEEPS, "once"), RUNS(2, 5, 7));
	PUT(window, WAITS(2, 5, 7));
	ok(!record_map_tasks_end(&map, after),
	   "tasks: the end writes the threads that have not switched");
	is_str(shown(), "p5 ?; t5/7 once; 45 2: 0(0)>7 once; 50 2: 7(1)>0; t5/6 spins; 45 1: 0(0)>6 spins; "
	       "p5 app; t5/5 app; thread 5 sleeps 45; ",
	       "tasks: a thread that never switches sleeps, or runs on its CPU, from the begin on");
	begin();
	PUT(before, EXISTS(0, 5, 5, RECORD_TASK_SLEEPS, "app"), EXISTS(1, 5, 6, RECORD_TASK_ACTIVE, "ready"),
	    EXISTS(2, 5, 7, RECORD_TASK_ACTIVE, "runs"), RUNS(3, 5, 8), PREEMPTED(3, 5, 8));
	PUT(((struct record_span){ 55, 0 }), RUNS(0, 5, 5), RUNS(1, 5, 6), WAITS(2, 5, 7), RUNS(3, 5, 8));
	record_map_tasks_end(&map, after);
	is_str(shown(), "p5 app; t5/5 app; thread 5 sleeps 55; 60 0: 0(0)>5 app; t5/6 ready; thread 6 ready 55; "
	       "70 1: 0(0)>6 ready; t5/7 runs; 55 2: 0(0)>7 runs; 80 2: 7(1)>0; t5/8 ?; thread 8 ready 55; 90 3: 0(0)>8; ",
	       "tasks: the first switch of a thread shows its state since the begin");
	begin();
	PUT(before, EXISTS(1, 5, 5, RECORD_TASK_ACTIVE, "app"), RUNS(1, 5, 6));
	record_map_tasks_begin(&map, window);
	record_map_tasks_end(&map, after);
	is_str(shown(), "p5 ?; t5/6 ?; 45 1: 0(0)>6; p5 app; t5/5 app; thread 5 ready 45; ",
	       "tasks: a thread that has never run was ready if another one ran on its CPU");
}

/* Threads that may run when recording begins, and never switch */
static void starved(void)
{
	const struct record_span before = { 1, 1 }, window = { 45, 0 }, after = { 45, 100000000 };

	begin();
	PUT(before, EXISTS(0, 5, 5, RECORD_TASK_ACTIVE, "waits", 700), EXISTS(1, 5, 6, RECORD_TASK_ACTIVE, "runs", 800),
	    EXISTS(2, 5, 7, RECORD_TASK_ACTIVE, "unknown", 0));
	record_map_tasks_begin(&map, window);
	now = 50000000;
	PUT(window, CHECKED(5, 700), CHECKED(6, 801), CHECKED(7, 0), CHECKED(8, 5));
	record_map_tasks_end(&map, after);
	is_str(shown(), "p5 ?; t5/6 runs; 45 1: 0(0)>6 runs; p5 waits; t5/5 waits; thread 5 ready 45; t5/7 unknown; "
	       "45 2: 0(0)>7 unknown; ", "tasks: a thread that has not run since the begin was ready, not running");
	begin();
	PUT(before, EXISTS(0, 5, 5, RECORD_TASK_ACTIVE, "short", 700));
	record_map_tasks_begin(&map, window);
	PUT(window, CHECKED(5, 700));
	record_map_tasks_end(&map, after);
	is_str(shown(), "p5 short; t5/5 short; 45 0: 0(0)>5 short; ",
	       "tasks: a time that the kernel may not have updated does not decide whether a thread runs");
}

/* One process after another, more than there are tracks */
static void many(void)
{
	GpmuPb__Trace *read;
	size_t tracks = 0;

	begin();
	for (int pid = 1; pid <= 5000; pid++)
		PUT(always, EXECUTES(pid, "true"), RUNS(1, pid, pid), ENDS(1, pid, pid));
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	for (size_t i = 0; i < read->n_packet; i++)
		tracks += read->packet[i]->track_descriptor && read->packet[i]->track_descriptor->thread;
	gpmu_pb__trace__free_unpacked(read, NULL);
	ok(tracks == 4096 && stats_of(&t).events == 10000 && !map.tasks.n,
	   "tasks: all switches of 5000 processes are written, 4096 have tracks, and none stays in memory");
	record_map_release(&map);
	test_trace_release(&t);
}

static void refused(void)
{
	begin();
	PUT(always, RUNS(1024, 5, 5), RUNS(0, 5, 0), RUNS(0, -1, 5));
	is_str(shown(), "", "tasks: records with impossible CPUs and threads are left out");
}

/* CUDA's name of a program may be longer than 15 characters. */
static void cuda(void)
{
	static const char name[] = "a_program_of_a_long_name";
	union {
		struct activity_process body;
		char bytes[sizeof(struct activity_process) + sizeof(name)];
	} process = { .body = { .head = { .kind = ACTIVITY_PROCESS }, .pid = 5 } };

	begin();
	memcpy(process.body.text, name, sizeof(name));
	record_map_process(&map);
	ok(!record_map_early(&map, 0, &process.body.head),
	   "tasks: a process record from CUDA is accepted");
	PUT(always, EXECUTES(5, "a_program_of_a"), RUNS(1, 5, 5));
	is_str(shown(), "p5 a_program_of_a_long_name; t5/5 a_program_of_a; 20 1: 0(0)>5 a_program_of_a; ",
	       "tasks: a process keeps the name from CUDA's record");
}

/* The tracepoint's switches of all tasks */
static void switches(void)
{
	const struct record_switch records[] = {
		{ .cpu = 700, .prev_pid = 7, .prev_prio = 100, .prev_comm = "solver", .next_pid = 8, .next_comm = "other" },
		{ .cpu = 700, .prev_pid = 8, .prev_state = 1, .prev_comm = "other", .next_comm = "swapper" },
		{ .cpu = 1, .prev_comm = "swapper", .next_pid = 9, .next_comm = "app" },
	};

	begin();
	for (size_t i = 0; i < 3; i++)
		record_map_switch(&map, 500 + i, 100, &records[i]);
	is_str(shown(), "100 700: 0(0)>7 solver; 500 700: 7(0)>8 other; 501 700: 8(1)>0; 502 1: 0(0)>9 app; ",
	       "tasks: the task that a CPU's first switch stops has run since the begin of the recorded time");
}

int main(void)
{
	states();
	threads();
	lost();
	executed();
	window();
	existing();
	starved();
	many();
	refused();
	switches();
	cuda();
	return done_testing();
}
