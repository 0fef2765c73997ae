/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace: a timeline for Perfetto */
#ifndef GPMU_TRACE_API_H
#define GPMU_TRACE_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpmu/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What happened when, as a file that Perfetto's UI opens and its trace_processor answers SQL
 * of. Events are on tracks: of a process, a thread, anything else that has a name (a GPU, and
 * below it a stream), or a counter. Time is CLOCK_MONOTONIC_RAW in ns, which is also the
 * clock of the trace; what CLOCK_BOOTTIME, CLOCK_MONOTONIC and CLOCK_REALTIME showed at
 * the same time is in it.
 *
 * It is written as it comes, without a seek, so that a pipe will do. Packets are whole: a
 * program that dies leaves a trace that is right up to its last flush. Each 4 MiB, or what
 * the options say, begins anew with clocks, names and tracks: what follows can be read without what
 * comes before it, and memory is bounded.
 *
 * Names are any text that ends in 0. What is not valid UTF-8 becomes U+FFFD, what is beyond
 * 16384 bytes is cut; gpmu_trace_get_stats() tells how often. Events may come in any order of time, but cost
 * 9 bytes more where time goes back. On a track, slices are nested or one after the other: of two that
 * begin together the outer one is written first, and of two of which one begins when the other ends,
 * the one that ends.
 *
 * A trace belongs to one thread at a time. What fails to be written ends the trace: that
 * call and all that follow return the same -errno, and the program's gpmu_log_set() is told once,
 * with the path.
 */
struct gpmu_trace;

/**
 * struct gpmu_trace_options - what is 0 or NULL is the default
 * @size: of this structure
 * @path: for messages only; NULL: "trace"
 * @buffer: bytes that are gathered for a write; 0: 256 KiB. Events beyond it are written
 *	at once, and not before gpmu_trace_flush() is called
 * @restart: bytes after which names, tracks and clocks are given anew; 0: 4 MiB
 */
struct gpmu_trace_options {
	size_t size;
	const char *path;
	size_t buffer;
	uint64_t restart;
};

enum gpmu_trace_arg_kind {
	GPMU_TRACE_INT,
	GPMU_TRACE_DOUBLE,
	GPMU_TRACE_TEXT,
	GPMU_TRACE_NAME,	/* a text that comes again and again: told once, as names of events are */
};

/**
 * struct gpmu_trace_arg - a name and a value of an event
 * @name: as trace_processor has it behind "debug."
 * @kind: which of the values it has
 * @integer: GPMU_TRACE_INT
 * @real: GPMU_TRACE_DOUBLE
 * @text: GPMU_TRACE_TEXT, GPMU_TRACE_NAME; NULL: ""
 */
struct gpmu_trace_arg {
	const char *name;
	enum gpmu_trace_arg_kind kind;
	int64_t integer;
	double real;
	const char *text;
};

/**
 * struct gpmu_trace_event - something that has a name
 * @size: of this structure
 * @track: that it is on; no counter's
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @name: or NULL
 * @category: or NULL
 * @flow: leads an arrow to the events with the same number, in order of time; 0: none
 * @flow_ends: 1: @flow ends here, and its number may be used again
 * @args: @n_args of them, at most 32
 * @n_args: 0: none
 */
struct gpmu_trace_event {
	size_t size;
	int track;
	uint64_t time;
	const char *name;
	const char *category;
	uint64_t flow;
	int flow_ends;
	const struct gpmu_trace_arg *args;
	size_t n_args;
};

/**
 * struct gpmu_trace_switch - a CPU leaves a thread and runs another one
 * @size: of this structure
 * @cpu: below 1024
 * @time: as gpmu_trace_event has it
 * @prev: the thread that it leaves, by the number that the whole system has for it; 0: it was idle
 * @next: the thread that it runs; 0: it goes idle
 * @prev_prio: the kernel's priority, as the tracepoint sched:sched_switch has it: 120 is nice 0
 * @next_prio: likewise
 * @prev_state: why, as that tracepoint has it on this machine's kernel: 0 is ready to run
 * @prev_name: of the thread; NULL: not known, or as before
 * @next_name: likewise
 * @track: of gpmu_trace_thread(), which is in the trace from here on, so that the thread has its process;
 *	0: none
 */
struct gpmu_trace_switch {
	size_t size;
	unsigned int cpu;
	uint64_t time;
	pid_t prev, next;
	int prev_prio, next_prio;
	int64_t prev_state;
	const char *prev_name, *next_name;
	int track;
};

/**
 * struct gpmu_trace_waking - a thread is made ready to run
 * @size: of this structure
 * @cpu: of the thread that does it; below 1024
 * @time: as gpmu_trace_event has it
 * @waker: the thread that does it; 0: an interrupt of an idle CPU
 * @tid: the thread that will run, above 0
 * @prio: as gpmu_trace_switch has it
 * @target_cpu: where it will run; below 1024
 * @name: of the thread @tid; NULL: not known, or as before
 */
struct gpmu_trace_waking {
	size_t size;
	unsigned int cpu;
	uint64_t time;
	pid_t waker, tid;
	int prio;
	unsigned int target_cpu;
	const char *name;
};

/**
 * struct gpmu_trace_stats - what was written so far
 * @size: of this structure
 * @bytes: with those that wait for a flush
 * @events: a slice is one
 * @restarts: how often names, tracks and clocks were given
 * @back: packets whose time was before that of the one before
 * @gaps: values of counters that were left out as they are no numbers
 * @mended: names and texts that were no UTF-8
 * @cut: names and texts that were too long
 */
struct gpmu_trace_stats {
	size_t size;
	uint64_t bytes, events, restarts, back, gaps, mended, cut;
};

/**
 * gpmu_trace_new() - a trace that is written to a file
 * @fd: the caller's, open for writing, as long as the trace is there. A pipe or socket
 *	without room is waited for
 * @options: copied; NULL: all are the default
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno EINVAL (options without a size) or ENOMEM
 */
struct gpmu_trace *gpmu_trace_new(int fd, const struct gpmu_trace_options *options,
				  struct gpmu_error *error);
/* Without writing what waits for it; NULL is allowed. */
void gpmu_trace_free(struct gpmu_trace *trace);

/**
 * gpmu_trace_flush() - writes what was gathered
 * @trace: the trace
 * @error: set on failure, or NULL
 *
 * Of a regular file, a write that failed half way leaves nothing behind.
 *
 * Return: 0; what writing failed with, now or before: -ENOSPC, -EPIPE, ...
 */
int gpmu_trace_flush(struct gpmu_trace *trace, struct gpmu_error *error);
/**
 * gpmu_trace_finish() - ends a trace
 * @trace: the trace; freed by gpmu_trace_free()
 * @error: set on failure, or NULL
 *
 * gpmu_trace_audit() of what gpmu_trace_get_stats() says, at the last time of an event, and a flush.
 *
 * Return: as gpmu_trace_flush(), or -ENOMEM
 */
int gpmu_trace_finish(struct gpmu_trace *trace, struct gpmu_error *error);
/* Return: 0; -EINVAL: @stats without a size */
int gpmu_trace_get_stats(const struct gpmu_trace *trace, struct gpmu_trace_stats *stats);

/**
 * gpmu_trace_process() - the track of a process
 * @trace: the trace
 * @pid: above 0; asked for again, it is the same track
 * @name: copied; NULL: none, or the one that it has. Another one than before is the new one
 *
 * Return: a track, above 0; -EINVAL, -ENOMEM
 */
int gpmu_trace_process(struct gpmu_trace *trace, pid_t pid, const char *name);
/**
 * gpmu_trace_thread() - the track of a thread
 * @trace: the trace
 * @pid: of its process, whose track, if it is to have a name, is asked for before
 * @tid: above 0; asked for again with that process, it is the same track
 * @name: as gpmu_trace_process()
 *
 * Return: as gpmu_trace_process()
 */
int gpmu_trace_thread(struct gpmu_trace *trace, pid_t pid, pid_t tid, const char *name);
/**
 * gpmu_trace_track() - a track of its own
 * @trace: the trace
 * @parent: the track that it is shown below; 0: none. At most 16 deep. What is directly below a process or
 *	thread is the process's or thread's, and has no parent_id in SQL
 * @name: copied
 *
 * Return: a new track, above 0; -EINVAL (no such parent, or no name), -ENOMEM
 */
int gpmu_trace_track(struct gpmu_trace *trace, int parent, const char *name);
/**
 * gpmu_trace_counter() - the track of a counter
 * @trace: the trace
 * @parent: as gpmu_trace_track()
 * @name: copied
 * @unit: "ns" and "B" are Perfetto's own; any other text is shown as it is; NULL: none.
 *	Copied
 *
 * Return: as gpmu_trace_track()
 */
int gpmu_trace_counter(struct gpmu_trace *trace, int parent, const char *name,
		       const char *unit);

/**
 * gpmu_trace_begin() - a slice begins
 * @trace: the trace
 * @event: the slice
 *
 * It ends by gpmu_trace_end() on the same track; one that never does is shown to the trace's end.
 *
 * Return: 0; -EINVAL (a track that there is not, a counter's, a time that is too large, more
 * than 32 arguments), -ENOMEM: nothing is written; what writing failed with
 */
int gpmu_trace_begin(struct gpmu_trace *trace, const struct gpmu_trace_event *event);
/* Ends the slice of @track that began last and has not ended. Returns as gpmu_trace_begin() */
int gpmu_trace_end(struct gpmu_trace *trace, int track, uint64_t time);
/* A slice of which both ends are known, @duration in ns. Returns as gpmu_trace_begin() */
int gpmu_trace_slice(struct gpmu_trace *trace, const struct gpmu_trace_event *event,
		     uint64_t duration);
/* A moment. Returns as gpmu_trace_begin() */
int gpmu_trace_instant(struct gpmu_trace *trace, const struct gpmu_trace_event *event);

/**
 * gpmu_trace_count() - what a counter shows from now on
 * @trace: the trace
 * @track: of gpmu_trace_counter()
 * @time: as gpmu_trace_event has it
 * @value: of which Perfetto's UI and SQL make a double
 *
 * Return: as gpmu_trace_begin()
 */
int gpmu_trace_count(struct gpmu_trace *trace, int track, uint64_t time, int64_t value);
/* Likewise. What is no number, or infinite, is left out, and counted as a gap. */
int gpmu_trace_value(struct gpmu_trace *trace, int track, uint64_t time, double value);

/**
 * gpmu_trace_sched_switch() - what runs on a CPU from now on
 * @trace: the trace
 * @event: of the tracepoint sched:sched_switch
 *
 * Perfetto shows it as a track for each CPU, and as states of the threads that gpmu_trace_thread()
 * has tracks of; in SQL these are the tables sched and thread_state. Each CPU's events are a
 * chain, in which @event->prev is @event->next of the one before; where some were lost,
 * Perfetto counts that (mismatched_sched_switch_tids in the table stats).
 *
 * Return: as gpmu_trace_begin(); -EINVAL for a CPU, thread or track that there cannot be
 */
int gpmu_trace_sched_switch(struct gpmu_trace *trace, const struct gpmu_trace_switch *event);
/**
 * gpmu_trace_sched_waking() - a thread waits for a CPU from now on
 * @trace: the trace
 * @event: of the tracepoint sched:sched_waking
 *
 * Return: as gpmu_trace_sched_switch()
 */
int gpmu_trace_sched_waking(struct gpmu_trace *trace, const struct gpmu_trace_waking *event);

/**
 * gpmu_trace_audit() - something that is true of the trace as a whole
 * @trace: the trace
 * @time: as gpmu_trace_event has it
 * @name: what it is about: "clock"
 * @args: what is said
 * @n_args: of them, at most 32
 *
 * It is a moment on the track "audit", in the category "audit": in SQL
 *
 *	select s.name, a.key, a.display_value from slice s join args a using (arg_set_id)
 *	where s.category = 'audit'
 *
 * Return: as gpmu_trace_begin()
 */
int gpmu_trace_audit(struct gpmu_trace *trace, uint64_t time, const char *name,
		     const struct gpmu_trace_arg *args, size_t n_args);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_TRACE_API_H */
