/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace: writes a timeline for Perfetto */
#ifndef GPMU_TRACE_API_H
#define GPMU_TRACE_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpmu/error.h>

#include "spe/gpmu_spe.h"

/*
 * A trace is a timeline in a file that Perfetto's UI opens and that its trace_processor queries
 * by SQL. Events are on tracks: of a process, a thread, another named object (a GPU, and below
 * it a stream), or a counter. All times are CLOCK_MONOTONIC_RAW in ns, which is also the clock
 * of the trace. The trace contains simultaneous readings of CLOCK_BOOTTIME, CLOCK_MONOTONIC and
 * CLOCK_REALTIME.
 *
 * The trace is written sequentially, without a seek, so the file may be a pipe. Packets are
 * written whole: if the program dies, the trace is valid up to its last flush. Every 4 MiB, or
 * the number of bytes in the options, the trace restarts: it repeats clocks, names and tracks.
 * From there it can be read without the part before, and memory is bounded.
 *
 * Names are NUL-terminated texts. Invalid UTF-8 becomes U+FFFD, and names longer than 16384
 * bytes are truncated; gpmu_trace_get_stats() has the numbers. Events may come in any order of
 * time, but an event that is earlier than the previous one takes 9 bytes more. Slices on a
 * track are nested or follow each other. Of two slices that begin together the outer one is
 * written first. If a slice begins at the end of another one, the other one is written first.
 *
 * One thread at a time may use a trace. A write error ends the trace: that call and all later
 * ones return the same -errno, and one message with the path goes to gpmu_log_set().
 */
struct gpmu_trace;

/**
 * struct gpmu_trace_options - how to write
 * @size: size of this structure
 * @path: path for messages; NULL: "trace"
 * @buffer: bytes to buffer; 0: 256 KiB. The buffer is written when it is full, and by
 *	gpmu_trace_flush()
 * @restart: bytes after which names, tracks and clocks are repeated; 0: 4 MiB
 * @kernel: release of the kernel of the machine whose times are written, "6.12.1", for a trace that is made
 *	of an earlier recording: it has no readings of other clocks. NULL: this machine's, now
 *
 * Fields that are 0 or NULL take their defaults.
 */
struct gpmu_trace_options {
	size_t size;
	const char *path;
	size_t buffer;
	uint64_t restart;
	const char *kernel;
};

enum gpmu_trace_arg_kind {
	GPMU_TRACE_INT,
	GPMU_TRACE_DOUBLE,
	GPMU_TRACE_TEXT,
	GPMU_TRACE_NAME,	/* a text that occurs often: it is in the string table, like names of events */
	GPMU_TRACE_ADDRESS,	/* an integer without a sign that is shown in hexadecimal */
};

/**
 * struct gpmu_trace_arg - an argument of an event: a name and a value
 * @name: name; trace_processor shows it after "debug."
 * @kind: type of the value
 * @integer: value for GPMU_TRACE_INT and GPMU_TRACE_ADDRESS
 * @real: value for GPMU_TRACE_DOUBLE
 * @text: value for GPMU_TRACE_TEXT and GPMU_TRACE_NAME; NULL: ""
 */
struct gpmu_trace_arg {
	const char *name;
	enum gpmu_trace_arg_kind kind;
	int64_t integer;
	double real;
	const char *text;
};

/**
 * struct gpmu_trace_event - a slice or an instant
 * @size: size of this structure
 * @track: its track; not a counter's, and not a queue's
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @name: name; or NULL
 * @category: category; or NULL
 * @flow: number of an arrow that connects the events with the same number, in order of time; 0:
 *	none
 * @flow_ends: 1: the arrow ends here, and its number may be used again
 * @args: array of @arg_count arguments
 * @arg_count: number of arguments, 0 to 32
 * @submits: id of work of a GPU that the event submits, for an arrow to it: see trace/gpmu_trace_gpu.h; 0: none
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
	size_t arg_count;
	uint64_t submits;
};

/**
 * struct gpmu_trace_switch - a CPU switches from one thread to another
 * @size: size of this structure
 * @cpu: number of the CPU, below 1024
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @prev: thread that ran, as numbered in the initial PID namespace; 0: the CPU was idle
 * @next: thread that runs next; 0: the CPU becomes idle
 * @prev_prio: the kernel's priority of @prev, as in sched:sched_switch: 120 is nice 0
 * @next_prio: the kernel's priority of @next
 * @prev_state: state of @prev as in sched:sched_switch on this machine's kernel: 0 is ready to
 *	run
 * @prev_name: name of @prev; NULL: not known, or as before
 * @next_name: name of @next; NULL: not known, or as before
 * @track: a track of gpmu_trace_thread(). It is written to the trace no later than now, so that
 *	the thread has its process; 0: none
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
 * struct gpmu_trace_waking - a thread becomes ready to run
 * @size: size of this structure
 * @cpu: CPU of the waker, below 1024
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @waker: thread that wakes @tid; 0: an interrupt of an idle CPU
 * @tid: thread that becomes ready, above 0
 * @prio: the kernel's priority of @tid: 120 is nice 0
 * @target_cpu: CPU on which @tid will run, below 1024
 * @name: name of @tid; NULL: not known, or as before
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
 * struct gpmu_trace_frame - a frame of a call stack
 * @function: name of the function; NULL: not known
 * @object: path of the file of the code, or a name such as "[kernel]"; NULL: not known
 * @address: address of the code, in that file or in the process
 */
struct gpmu_trace_frame {
	const char *function, *object;
	uint64_t address;
};

enum gpmu_trace_mode {
	GPMU_TRACE_MODE_UNKNOWN,
	GPMU_TRACE_KERNEL,
	GPMU_TRACE_USER,
};

/**
 * struct gpmu_trace_sample - a sample of an event, with the call stack of the thread
 * @size: size of this structure
 * @sampler: a number of gpmu_trace_sampler()
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @cpu: number of the CPU, below 1024; UINT32_MAX: not known
 * @pid: process; 0: idle
 * @tid: thread; 0: idle
 * @mode: mode of the CPU
 * @period: number of events that the sample stands for
 * @frames: array of @frame_count frames, the innermost first
 * @frame_count: number of frames, 0 to 512
 * @track: as in struct gpmu_trace_switch
 */
struct gpmu_trace_sample {
	size_t size;
	int sampler;
	uint64_t time;
	uint32_t cpu;
	pid_t pid, tid;
	enum gpmu_trace_mode mode;
	uint64_t period;
	const struct gpmu_trace_frame *frames;
	size_t frame_count;
	int track;
};

/**
 * struct gpmu_trace_spe - an operation that Arm SPE sampled
 * @size: size of this structure
 * @track: its track, one below that of its thread
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @op: operation, "load"
 * @tier: level of the memory system that served it, "DRAM (0xe)"; NULL: it has none
 * @home: memory that holds the data; NULL: it has none
 * @function: name of the function of the code
 * @object: path or name of the file of the code
 * @data: mapped file, heap or stack of the data
 * @cpu: number of the CPU; -1: not known
 * @record: its latencies, addresses and events are shown; NULL: none
 *
 * Texts that are NULL are not known.
 */
struct gpmu_trace_spe {
	size_t size;
	int track;
	uint64_t time;
	const char *op, *tier, *home, *function, *object, *data;
	int64_t cpu;
	const struct gpmu_spe_record *record;
};

/**
 * struct gpmu_trace_stats - what was written so far
 * @size: size of this structure
 * @bytes: bytes, including those that wait for a flush
 * @events: number of events; a slice is one event
 * @restarts: how often names, tracks and clocks were written
 * @back: packets with a time before that of the previous packet
 * @gaps: values of counters that were left out, as they are NaN or infinite
 * @mended: names and texts with invalid UTF-8
 * @cut: names and texts that were truncated
 */
struct gpmu_trace_stats {
	size_t size;
	uint64_t bytes, events, restarts, back, gaps, mended, cut;
};

/**
 * gpmu_trace_new() - creates a trace that is written to a file
 * @fd: file descriptor open for writing; owned by the caller, and must stay open as long as the
 *	trace exists. Writes wait until a pipe or socket has room
 * @options: copied; NULL: all defaults
 * @error: set on failure, or NULL
 *
 * Return: a new trace; NULL with errno EINVAL (options without a size) or ENOMEM
 */
struct gpmu_trace *gpmu_trace_new(int fd, const struct gpmu_trace_options *options,
				  struct gpmu_error *error);
/* Frees @trace without writing the buffered bytes; NULL is allowed. */
void gpmu_trace_free(struct gpmu_trace *trace);

/**
 * gpmu_trace_flush() - writes the buffered bytes
 * @trace: the trace
 * @error: set on failure, or NULL
 *
 * If a write to a regular file fails half way, its bytes are removed from the file.
 *
 * Return: 0; the error of writing, now or before, such as -ENOSPC or -EPIPE
 */
int gpmu_trace_flush(struct gpmu_trace *trace, struct gpmu_error *error);
/**
 * gpmu_trace_finish() - ends a trace
 * @trace: the trace; gpmu_trace_free() still has to free it
 * @error: set on failure, or NULL
 *
 * Writes the statistics of gpmu_trace_get_stats() with gpmu_trace_audit(), at the time of the
 * last event, and flushes the trace.
 *
 * Return: as gpmu_trace_flush(), or -ENOMEM
 */
int gpmu_trace_finish(struct gpmu_trace *trace, struct gpmu_error *error);
/* Gets statistics. Returns 0; -EINVAL if @stats has no size */
int gpmu_trace_get_stats(const struct gpmu_trace *trace, struct gpmu_trace_stats *stats);

/**
 * gpmu_trace_process() - returns the track of a process
 * @trace: the trace
 * @pid: number of the process, above 0. Each number has one track
 * @name: copied; NULL: no name, or the present name. A different name replaces the present one
 *
 * Return: a track, above 0; -EINVAL, -ENOMEM
 */
int gpmu_trace_process(struct gpmu_trace *trace, pid_t pid, const char *name);
/**
 * gpmu_trace_thread() - returns the track of a thread
 * @trace: the trace
 * @pid: number of its process. To name the process, call gpmu_trace_process() before
 * @tid: number of the thread, above 0. Each @pid and @tid have one track
 * @name: as for gpmu_trace_process()
 *
 * Return: as gpmu_trace_process()
 */
int gpmu_trace_thread(struct gpmu_trace *trace, pid_t pid, pid_t tid, const char *name);
/**
 * gpmu_trace_track() - creates a track
 * @trace: the trace
 * @parent: track below which it is shown, at most 16 levels deep; 0: none. A track directly
 *	below a process or thread belongs to it, and has no parent_id in SQL
 * @name: copied
 *
 * Return: a new track, above 0; -EINVAL (no such parent, or no name), -ENOMEM
 */
int gpmu_trace_track(struct gpmu_trace *trace, int parent, const char *name);
/**
 * gpmu_trace_counter() - creates the track of a counter
 * @trace: the trace
 * @parent: as for gpmu_trace_track()
 * @name: copied
 * @unit: copied. "ns" and "B" are Perfetto's own units; any other text is shown as it is; NULL:
 *	none
 *
 * Return: as gpmu_trace_track()
 */
int gpmu_trace_counter(struct gpmu_trace *trace, int parent, const char *name,
		       const char *unit);

/**
 * gpmu_trace_begin() - begins a slice
 * @trace: the trace
 * @event: the slice
 *
 * gpmu_trace_end() on the same track ends it. A slice that is not ended is shown up to the end
 * of the trace.
 *
 * Return: 0; -EINVAL (no such track, a counter's track, a time that is too large, more than 32
 * arguments) or -ENOMEM, and then nothing is written; or the error of writing
 */
int gpmu_trace_begin(struct gpmu_trace *trace, const struct gpmu_trace_event *event);
/* Ends the innermost slice of @track. Returns as gpmu_trace_begin() */
int gpmu_trace_end(struct gpmu_trace *trace, int track, uint64_t time);
/* Writes a whole slice; @duration is in ns. Returns as gpmu_trace_begin() */
int gpmu_trace_slice(struct gpmu_trace *trace, const struct gpmu_trace_event *event,
		     uint64_t duration);
/* Writes an instant. Returns as gpmu_trace_begin() */
int gpmu_trace_instant(struct gpmu_trace *trace, const struct gpmu_trace_event *event);

/**
 * gpmu_trace_count() - sets the value of a counter from a time on
 * @trace: the trace
 * @track: a track of gpmu_trace_counter()
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @value: the value; Perfetto's UI and SQL convert it to double
 *
 * Return: as gpmu_trace_begin()
 */
int gpmu_trace_count(struct gpmu_trace *trace, int track, uint64_t time, int64_t value);
/* Sets the value in the same way. NaN and infinite values are left out and counted as gaps. */
int gpmu_trace_value(struct gpmu_trace *trace, int track, uint64_t time, double value);

/**
 * gpmu_trace_sched_switch() - writes which thread runs on a CPU from a time on
 * @trace: the trace
 * @event: fields of the tracepoint sched:sched_switch
 *
 * Perfetto shows a track for each CPU, and the states of threads that have a track of
 * gpmu_trace_thread(); in SQL these are the tables sched and thread_state. On each CPU,
 * @event->prev is @event->next of the event before. Perfetto counts violations, which lost
 * events cause (mismatched_sched_switch_tids in the table stats).
 *
 * Return: as gpmu_trace_begin(); -EINVAL for an invalid CPU, thread or track
 */
int gpmu_trace_sched_switch(struct gpmu_trace *trace, const struct gpmu_trace_switch *event);
/**
 * gpmu_trace_sched_waking() - writes that a thread waits for a CPU from a time on
 * @trace: the trace
 * @event: fields of the tracepoint sched:sched_waking
 *
 * Return: as gpmu_trace_sched_switch()
 */
int gpmu_trace_sched_waking(struct gpmu_trace *trace, const struct gpmu_trace_waking *event);

/**
 * gpmu_trace_sampler() - adds an event that is sampled
 * @trace: the trace
 * @event: copied; its name
 *
 * Return: its number, above 0; -EINVAL (no name) or -ENOMEM
 */
int gpmu_trace_sampler(struct gpmu_trace *trace, const char *event);
/**
 * gpmu_trace_sample() - writes a sample of an event
 * @trace: the trace
 * @sample: the sample
 *
 * Perfetto shows samples on a track of their thread and as flame graphs, by event. In SQL they are in the table
 * perf_sample, with their call stacks in stack_profile_callsite, stack_profile_frame and
 * stack_profile_mapping. Each event is a perf_session.
 *
 * Return: as gpmu_trace_begin(); -EINVAL for an invalid sampler, CPU, thread or track, or too many frames
 */
int gpmu_trace_sample(struct gpmu_trace *trace, const struct gpmu_trace_sample *sample);
/**
 * gpmu_trace_spe() - writes an operation that Arm SPE sampled
 * @trace: the trace
 * @sample: the operation
 *
 * It is an instant with the category "spe". Its name is the tier or, without one, the operation. Its known fields are
 * arguments: "cpu", "op", "tier", "home", "function", "object", "data", "latency", "issue", "translation", "pc", "target",
 * "va", "pa", "events".
 *
 * Return: as gpmu_trace_begin()
 */
int gpmu_trace_spe(struct gpmu_trace *trace, const struct gpmu_trace_spe *sample);

/**
 * gpmu_trace_audit() - writes a fact about the trace as a whole
 * @trace: the trace
 * @time: CLOCK_MONOTONIC_RAW in ns, below 2^63
 * @name: subject of the fact, "clock"
 * @args: array of @arg_count arguments
 * @arg_count: number of arguments, 0 to 32
 *
 * It is an instant on the track "audit" with the category "audit". In SQL:
 *
 *	select s.name, a.key, a.display_value from slice s join args a using (arg_set_id)
 *	where s.category = 'audit'
 *
 * Return: as gpmu_trace_begin()
 */
int gpmu_trace_audit(struct gpmu_trace *trace, uint64_t time, const char *name,
		     const struct gpmu_trace_arg *args, size_t arg_count);

#endif /* GPMU_TRACE_API_H */
