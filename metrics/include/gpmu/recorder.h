/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder: records a command and its GPUs on a timeline */
#ifndef GPMU_RECORDER_API_H
#define GPMU_RECORDER_API_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpmu/error.h>
#include <gpmu/machine.h>
#include <gpmu/row.h>
#include <gpmu/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A recorder writes a trace in Perfetto's format. metrics/record/timeline.rst describes the
 * content. CUDA loads a library into each process whose environment is from
 * gpmu_recorder_environment(). This library passes the activity of CUDA to the recorder through
 * shared memory. The dynamic linker loads a second library, which LD_PRELOAD names. It passes the
 * regions that programs mark with gpmu-mark.h in the same way. Values of counters are from a
 * session, by gpmu_recorder_rows(). Scheduling and samples of Arm SPE are from the kernel.
 *
 * A thread per source reads its records into a queue. Another thread sorts all records by time
 * and writes them. Memory is bounded: if a queue is full, whole records are dropped and
 * counted, and no process waits for it. Everything recorded is written to the file each second.
 *
 * One thread at a time may use a recorder. After fork() the child may neither use nor free it.
 * The threads of a recorder block all signals.
 */
struct gpmu_recorder;

/* Activity of CUDA to record; bits */
enum gpmu_recorder_cuda {
	GPMU_RECORDER_KERNEL = 1 << 0,	/* kernels */
	GPMU_RECORDER_MEMCPY = 1 << 1,	/* copies */
	GPMU_RECORDER_MEMSET = 1 << 2,	/* memsets */
	GPMU_RECORDER_GRAPH = 1 << 3,	/* launches of graphs; graph_nodes selects their kernels */
	GPMU_RECORDER_RUNTIME = 1 << 4,	/* calls of the CUDA runtime */
	GPMU_RECORDER_DRIVER = 1 << 5,	/* calls of the driver, also inside runtime calls */
	GPMU_RECORDER_CALLS = 1 << 6,	/* runtime calls, and driver calls outside of them */
	GPMU_RECORDER_SYNC = 1 << 7,	/* waits for streams, contexts and events */
	GPMU_RECORDER_NVTX = 1 << 8,	/* NVTX ranges */
	GPMU_RECORDER_MEMORY = 1 << 9,	/* allocations, and pools of memory */
	GPMU_RECORDER_UNIFIED = 1 << 10,	/* unified memory */
	GPMU_RECORDER_OVERHEAD = 1 << 11,	/* overhead of CUPTI */
	GPMU_RECORDER_EXTERNAL = 1 << 12,	/* external correlation ids */
	GPMU_RECORDER_ENVIRONMENT = 1 << 13,	/* clocks of GPUs, for the audit */
	GPMU_RECORDER_MANAGED = 1 << 14,	/* unified memory, from the first managed allocation on */
	GPMU_RECORDER_MODULE = 1 << 15,	/* loads of modules, and operations of the driver's compiler */
	GPMU_RECORDER_ALLOCATOR = 1 << 16,	/* allocations by library; x86-64 only */
	GPMU_RECORDER_OPENACC = 1 << 17,	/* operations of OpenACC's runtime */
};

/* When activity of CUDA is recorded */
enum gpmu_recorder_capture {
	GPMU_RECORDER_ALWAYS,	/* the whole run */
	GPMU_RECORDER_PROFILER,	/* from cudaProfilerStart() to cudaProfilerStop() */
	GPMU_RECORDER_RANGE,	/* in NVTX ranges with the name in range */
	GPMU_RECORDER_REGION,	/* from gpmu_begin() to gpmu_end() */
};

struct perf_event_attr;
struct perf_event_header;

#define GPMU_RECORDER_CHAIN	1024	/* addresses and marks of a call stack, at most */
#define GPMU_RECORDER_STACK	65528	/* bytes of a copy of a stack, at most */

#define GPMU_RECORDER_LINES	16	/* of an instruction of a GPU, with those of the calls by which it is inlined, at most */

/**
 * struct gpmu_recorder_line - a line of source text
 * @file: path as the compiler wrote it
 * @line: from 1
 * @function: mangled name of the inlined function that has the line; NULL: not known, or not inlined
 */
struct gpmu_recorder_line {
	const char *file, *function;
	unsigned int line;
};

/**
 * enum gpmu_recorder_pc - sampling of the program counters of GPUs
 * @GPMU_RECORDER_PC_OFF: no sampling
 * @GPMU_RECORDER_PC_CONTINUOUS: kernels run as without sampling
 * @GPMU_RECORDER_PC_SERIALIZED: kernels run one after the other, and each has samples of its own
 */
enum gpmu_recorder_pc {
	GPMU_RECORDER_PC_OFF,
	GPMU_RECORDER_PC_CONTINUOUS,
	GPMU_RECORDER_PC_SERIALIZED,
};

/**
 * struct gpmu_recorder_symbols - finds the functions of addresses in sampled call stacks and samples of SPE
 * @size: size of this structure
 * @user: first argument of the functions, which the recorder's writing thread calls in the order of time
 * @take: takes a record of the kernel, such as PERF_RECORD_MMAP2, COMM or FORK, valid during the call and followed by a
 *	sample_id of PERF_SAMPLE_TID, TIME (CLOCK_MONOTONIC_RAW) and CPU. Returns 0 or -ENOMEM
 * @find: sets the names of the function at an address of a process (0: the kernel) at a time, and of the object that has
 *	it. The names must exist until gpmu_recorder_free(). Returns 0 or -ENOMEM
 *
 * @unwind: sets the call stack of a sample that has registers and a copy of the stack: addresses, innermost first, with
 *	PERF_CONTEXT_ marks, and their number. @attr is that of its event. Returns 0 or -ENOMEM; may be NULL if @stack_size of
 *	struct gpmu_recorder_options is 0
 *
 * @lines: finds the lines of an instruction, @offset bytes from the begin of a function of a cubin, innermost first,
 *	and sets their number. The bytes of a cubin have the same address at each call. The texts must exist until
 *	gpmu_recorder_free(). Returns 0 or -ENOMEM; NULL: samples of PC sampling have no lines
 *
 * @take and @find are required.
 */
struct gpmu_recorder_symbols {
	size_t size;
	void *user;
	int (*take)(void *user, const struct perf_event_header *record);
	int (*find)(void *user, pid_t pid, uint64_t address, uint64_t time, const char **function,
		    const char **object);
	int (*unwind)(void *user, const struct perf_event_attr *attr, const struct perf_event_header *sample,
		      uint64_t chain[GPMU_RECORDER_CHAIN], size_t *count);
	int (*lines)(void *user, const void *cubin, size_t size, const char *function, uint64_t offset,
		     struct gpmu_recorder_line list[GPMU_RECORDER_LINES], size_t *count);
};

/* Ranges whose counters are collected */
enum gpmu_recorder_range_mode {
	GPMU_RECORDER_RANGE_KERNELS = 1,	/* each kernel is a range */
	GPMU_RECORDER_RANGE_USER,		/* ranges of the program */
	GPMU_RECORDER_RANGE_SASS,		/* SASS metrics of functions; uses only metrics, part and callbacks */
};

/* Parts of a function with rows of their own, below the function's, for GPMU_RECORDER_RANGE_SASS */
enum gpmu_recorder_sass_part {
	GPMU_RECORDER_SASS_FUNCTION,	/* functions only */
	GPMU_RECORDER_SASS_LINE,	/* source lines */
	GPMU_RECORDER_SASS_INSTRUCTION,	/* instructions: offset and source line */
};

/* How the program's work is repeated if the metrics need several passes */
enum gpmu_recorder_replay {
	GPMU_RECORDER_REPLAY_KERNEL,	/* each kernel runs again; only for GPMU_RECORDER_RANGE_KERNELS */
	GPMU_RECORDER_REPLAY_USER,	/* the program itself repeats its outermost ranges */
	GPMU_RECORDER_REPLAY_APPLICATION,	/* the command runs once for each pass */
};

/* Sources of the ranges of a program; bits */
enum gpmu_recorder_range_source {
	GPMU_RECORDER_RANGE_NVTX = 1,
	GPMU_RECORDER_RANGE_REGION = 2,	/* marked with gpmu-mark.h, or by gpmu_begin() */
};

/* Reasons why ranges have no counters; indices of lost of struct gpmu_recorder_range_numbers */
enum gpmu_recorder_range_lost {
	GPMU_RECORDER_RANGE_DROPPED,	/* counted, but missing in CUPTI's result */
	GPMU_RECORDER_RANGE_SKIPPED,	/* left out by filter, skip or count */
	GPMU_RECORDER_RANGE_DEEP,	/* nested deeper than levels */
	GPMU_RECORDER_RANGE_OVERLAPPING,	/* begun while a range of another thread, or a stream capture, was open */
	GPMU_RECORDER_RANGE_LAPS,	/* passes that are combined in one range, except one */
	GPMU_RECORDER_RANGE_PARTIAL,	/* not counted in all passes */
	GPMU_RECORDER_RANGE_FOREIGN,	/* of another context, or after counting has ended */
	GPMU_RECORDER_RANGE_EMPTY,	/* without work of the GPU */
	GPMU_RECORDER_RANGE_REASONS
};

/**
 * struct gpmu_recorder_checkpoints - checkpoints of the GPU's memory for repeated passes
 * @saved, @restored: number of saves and restores
 * @failed: number of failed saves and restores; each ended counting in its process
 * @bytes: B that the program had allocated, summed over the saves
 * @device_bytes: B of the GPU's memory that the checkpoints took, summed over the saves
 * @save_time, @restore_time: ns, including the wait for running kernels
 */
struct gpmu_recorder_checkpoints {
	uint64_t saved, restored, failed, bytes, device_bytes, save_time, restore_time;
};

/**
 * struct gpmu_recorder_range_numbers - what happened to the ranges of a process
 * @size: size of this structure
 * @seen: kernels launched, or ranges begun
 * @counted: ranges that have counters
 * @lost: the others, by enum gpmu_recorder_range_lost
 * @passes: passes that the metrics need; 0: not known, as nothing was counted
 * @is_complete: with GPMU_RECORDER_REPLAY_APPLICATION: 1: this run was the last one
 * @checkpoints: saved and restored checkpoints
 */
struct gpmu_recorder_range_numbers {
	size_t size;
	uint64_t seen, counted, lost[GPMU_RECORDER_RANGE_REASONS];
	unsigned int passes;
	int is_complete;
	struct gpmu_recorder_checkpoints checkpoints;
};

/**
 * struct gpmu_recorder_ranges - collects counters of kernels or ranges by CUPTI's range profiler, or SASS metrics
 * @size: size of this structure
 * @mode, @replay: which ranges, and how work is repeated
 * @sources: bits of enum gpmu_recorder_range_source, for GPMU_RECORDER_RANGE_USER
 * @levels: nesting levels that are counted, from the outermost on; each multiplies the passes
 * @skip, @count: number of ranges that are left out first, and counted then; @count 0: no limit
 * @limit: ms after which a kernel that is replayed ends its process; 0: none
 * @part: parts of a function with rows of their own, for GPMU_RECORDER_RANGE_SASS
 * @metrics, @metric_count: names of CUPTI's metrics, without duplicates
 * @filter: extended regular expression of the names of kernels (mangled) or outermost ranges; NULL: all
 * @state: file that GPMU_RECORDER_REPLAY_APPLICATION keeps between the runs, empty at first; NULL: none
 * @checkpoint: 1: with GPMU_RECORDER_REPLAY_USER, save the GPU's memory before the first pass and restore it before
 *	each further one
 * @reserve: MiB of the GPU's memory that checkpoints leave free
 * @user: first argument of the functions, which the recorder's writing thread calls
 * @name: takes a name, before its first range: its number in the process, that of the range around it, or 0, and its text
 * @range: takes a range: its name's number, its own number (launch, or outermost range), the number of
 *	ranges (1; with GPMU_RECORDER_RANGE_SASS the launches of the function), and the values of the metrics
 * @end: takes numbers of a process, after its last range; several calls for a process add up
 */
struct gpmu_recorder_ranges {
	size_t size;
	enum gpmu_recorder_range_mode mode;
	enum gpmu_recorder_replay replay;
	unsigned int sources, levels;
	uint64_t skip, count;
	unsigned int limit;
	enum gpmu_recorder_sass_part part;
	const char *const *metrics;
	size_t metric_count;
	const char *filter, *state;
	int checkpoint;
	unsigned int reserve;
	void *user;
	int (*name)(void *user, pid_t pid, uint32_t id, uint32_t parent, const char *text);
	int (*range)(void *user, pid_t pid, uint32_t name, uint64_t number, uint64_t count,
		     const double *values, size_t length);
	int (*end)(void *user, pid_t pid, const struct gpmu_recorder_range_numbers *numbers);
};

/**
 * struct gpmu_recorder_options - what to record
 * @size: size of this structure
 * @path: path of the trace, or its name in messages if @fd is set; required
 * @cuda: bits of enum gpmu_recorder_cuda; 0: CUDA is not recorded
 * @graph_nodes: 1: record each kernel of a graph, 0: each launch of a graph is one slice
 * @capture: when to record
 * @range: name of the range for GPMU_RECORDER_RANGE, at most 255 bytes; for GPMU_RECORDER_REGION
 *	the name of a region, NULL: any region
 * @sched: 1: record which thread runs on which CPU, of the whole machine or of a command
 *	(gpmu_recorder_pid())
 * @max_size: largest size of the trace in bytes, at least 1 MiB. Older parts are dropped, so
 *	that at least half of this size is kept. 0: no limit
 * @program: name and version of the program for the audit, "gpmu 0.1.0"; NULL: "libgpmu"
 * @command: the recorded command for the audit; NULL: none
 * @rank: rank of this process in a parallel program, from 0; used unless @rank_count is 0
 * @rank_count: number of ranks of the parallel program; -1: not known, 0: not a parallel program
 * @sampler: path of the trace that has the counters if another recorder counts them; or NULL
 * @regions: 1: record the regions that programs mark with gpmu-mark.h
 * @cuda_buffers: limit of the bytes of CUPTI's buffers in each process, 4 MiB to 8 GiB; buffers are
 *	allocated as records need them. 0: 256 MiB
 * @threads: 1: record when, and on which CPU, the threads of a command run (gpmu_recorder_pid()),
 *	which needs no privilege. If the kernel refuses it, the trace has a note with the reason
 * @fd: file descriptor to which the trace is written, such as of a pipe, from its current position
 *	on; duplicated by gpmu_recorder_start(). 0: @path is opened
 * @spe: terms of an event of Arm SPE as in perf's arm_spe_0/TERMS/, "load_filter=1,min_latency=30", also
 *	"period=N", by default 1048576 operations. ts_enable=1 and, if the kernel permits it, pa_enable=1 are
 *	preset. "": no further terms; NULL: SPE is not recorded
 * @spe_buffer: bytes of SPE's buffer for each CPU, a power of 2 from 64 KiB to 1 GiB; 0: 4 MiB. It is smaller if the
 *	limit of locked memory requires it
 * @sample: event by which call stacks are sampled, in the syntax of gpmu_event_new(), optionally followed by "," and a
 *	period: "cycles,1000000". Without a period, 999 samples are taken per second, or
 *	fewer if kernel.perf_event_max_sample_rate is lower. NULL: none
 * @symbols: copied; NULL: call stacks and samples of SPE have no names of functions
 * @system: 1: SPE and @sample sample all CPUs, 0: the command (gpmu_recorder_pid()) or, without one, all CPUs
 *
 * @progress: called during gpmu_recorder_stop(), by a thread of the recorder, with the bytes of samples
 *	of SPE that were read for the trace and their total. If it returns nonzero, the samples that are not yet written are
 *	counted as lost. NULL: not called
 * @user: first argument of @progress
 * @stack_size: bytes that each sample copies of the stack of the thread, a multiple of 8 up to GPMU_RECORDER_STACK, from which
 *	@symbols find the callers; 0: the kernel finds them by frame pointers
 * @pc_sampling: sampling of the program counters of the kernels of recorded processes, enum gpmu_recorder_pc; needs
 *	@cuda
 * @pc_period: cycles between two samples of a multiprocessor, a power of 2 from 32 to 2^31; 0: 65536, or 4096 if
 *	kernels are serialized
 * @pc_stalls: stall reasons to sample, separated by ",", such as "long_scoreboard,wait"; NULL: all
 * @ranges: copied, except its texts, which must exist until gpmu_recorder_new() returns; NULL: no counters of ranges
 *
 * Fields that are 0 or NULL take their defaults.
 */
struct gpmu_recorder_options {
	size_t size;
	const char *path;
	uint32_t cuda;
	int graph_nodes;
	enum gpmu_recorder_capture capture;
	const char *range;
	int sched;
	uint64_t max_size;
	const char *program, *command;
	int rank, rank_count;
	const char *sampler;
	int regions;
	uint64_t cuda_buffers;
	int threads;
	int fd;
	const char *spe;
	uint64_t spe_buffer;
	int system;
	const char *sample;
	const struct gpmu_recorder_symbols *symbols;
	int (*progress)(void *user, uint64_t done, uint64_t total);
	void *user;
	uint64_t stack_size;
	enum gpmu_recorder_pc pc_sampling;
	uint32_t pc_period;
	const char *pc_stalls;
	const struct gpmu_recorder_ranges *ranges;
};

/**
 * struct gpmu_recorder_stats - what was recorded so far
 * @size: size of this structure
 * @process_count: number of processes that have connected
 * @record_count: number of records of all sources; if the trace could not be written,
 *	of the records in it
 * @lost_count: number of records that were dropped because a queue was full, their times or ids
 *	were missing or impossible, or the trace could not be written
 * @bytes: current size of the trace in bytes
 * @clock_bound: largest error of converted times in ns; 0: no times of another clock
 * @early_count: work of a GPU that began before the call that launched it
 * @overlap_count: work that began before the previous work in its stream ended
 * @outside_count: calls that ended after the call around them
 * @checked_count: number of records checked for @early_count, @overlap_count and @outside_count
 * @late_count: records that came after the writer had passed their time; they are written as well
 * @thread_count: number of threads that have run, or existed when recording began, at most 4096
 * @lost_process_count: number of processes whose CUDA or regions could not be recorded, such as for
 *	lack of memory, or not to their end; the trace has a note for each
 */
struct gpmu_recorder_stats {
	size_t size;
	uint64_t process_count, record_count, lost_count, bytes, clock_bound;
	uint64_t early_count, overlap_count, outside_count, checked_count, late_count;
	uint64_t thread_count, lost_process_count;
};

/**
 * gpmu_recorder_new() - prepares a recorder; nothing is recorded or written yet
 * @options: copied
 * @error: set on failure, or NULL
 *
 * If CUDA or regions are recorded, this listens on a socket in the abstract namespace (unix(7)). Processes with the variables of
 * gpmu_recorder_environment() connect to it.
 *
 * Return: a new recorder; NULL with errno EINVAL (an option is missing or out of range, or
 * LD_PRELOAD cannot contain the path of libgpmu-mark.so), ENOENT (the folders of plugins lack
 * libgpmu-inject.so, which CUDA needs, or libgpmu-mark.so, which regions need), EBUSY (another tool
 * has set CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH, or this process runs under a recorder),
 * ENOMEM, or the error of creating the socket
 */
struct gpmu_recorder *gpmu_recorder_new(const struct gpmu_recorder_options *options,
					struct gpmu_error *error);
/* Frees @recorder without writing what is pending, and removes the folder. NULL is allowed. */
void gpmu_recorder_free(struct gpmu_recorder *recorder);

/**
 * gpmu_recorder_environment() - makes the environment of a command to record
 * @recorder: the recorder
 * @environment: "NAME=VALUE" texts up to a NULL; the result refers to these texts
 *
 * Return: @environment with the variables for CUDA and regions, for execve(2); borrowed from the
 * recorder, valid until the next call and as long as the texts of @environment. NULL: no memory
 */
char *const *gpmu_recorder_environment(struct gpmu_recorder *recorder, char *const *environment);

/**
 * gpmu_recorder_pid() - selects a command for the options threads and sched
 * @recorder: a recorder that is not started
 * @pid: a process of one thread, such as a child that waits before it executes the command; or a
 *	thread. Each further call adds a thread, unless an earlier call has added it
 *
 * From gpmu_recorder_start() on the trace has when, and on which CPU, the threads of the command
 * and of everything that it starts run, and whether they then wait or make the CPU available to
 * another thread. With sched this applies only if the kernel does not allow recording the
 * scheduling of the whole machine. The callback of gpmu_log_set() then receives a message that
 * names this limit and the permission that recording the whole machine requires.
 *
 * Return: 0; -EINVAL if @pid is below 1 or the recorder has been started; -ENOMEM
 */
int gpmu_recorder_pid(struct gpmu_recorder *recorder, pid_t pid);

/**
 * gpmu_recorder_start() - opens the trace and all sources; replaces an existing file
 * @recorder: a recorder that is not started
 * @machine: provides the numbers of GPUs; must outlive the recorder. NULL, or a machine without
 *	GPUs: GPUs are numbered by PCI address
 * @session: its rows are passed to gpmu_recorder_rows(); must exist until the last such call.
 *	Its options should set zero_asleep. NULL: no rows are recorded
 * @error: set on failure, or NULL
 *
 * If CUDA or regions are recorded, this raises the soft limit of open files (RLIMIT_NOFILE) to the
 * hard limit until gpmu_recorder_free(), because each process needs a file descriptor.
 *
 * Return: 0; -EACCES or -EPERM (the error names the required permission); -ENOMEM; of SPE also -ENODEV (no PMU
 * arm_spe_0), -EINVAL or -ENOENT (its terms), -EBUSY, -EOPNOTSUPP; of the option sample also -ENOENT or -EOPNOTSUPP (no
 * such event, or no counter samples it), -EINVAL (its event or period); of both -EMFILE (file descriptors) or -ENOBUFS
 * (locked memory); or the error of opening the file
 */
int gpmu_recorder_start(struct gpmu_recorder *recorder, const struct gpmu_machine *machine,
			const struct gpmu_session *session, struct gpmu_error *error);
/* Start and stop recording. The recorder has been started. */
void gpmu_recorder_enable(struct gpmu_recorder *recorder);
void gpmu_recorder_disable(struct gpmu_recorder *recorder);

/**
 * gpmu_recorder_rows() - records the values of counters
 * @recorder: a recorder that has been started
 * @rows: rows of gpmu_session_next() of the recorder's session;
 *	successive calls pass successive intervals
 *
 * Rows are dropped and counted if the queue is full.
 *
 * Return: 0; -EINVAL if the recorder has no session; -ENOMEM
 */
int gpmu_recorder_rows(struct gpmu_recorder *recorder, const struct gpmu_rows *rows);

/**
 * gpmu_recorder_note() - adds a warning of the caller to the audit of the trace
 * @recorder: a recorder that has not been stopped
 * @text: the warning, which is copied
 *
 * Return: 0; -ENOMEM
 */
int gpmu_recorder_note(struct gpmu_recorder *recorder, const char *text);

/**
 * gpmu_recorder_stop() - ends a recording: writes pending records and the audit
 * @recorder: a recorder that has been started
 * @error: set on failure, or NULL
 *
 * Processes that are still running have one second to hand over their records.
 *
 * Return: 0; the error of writing the trace, now or before
 */
int gpmu_recorder_stop(struct gpmu_recorder *recorder, struct gpmu_error *error);
/*
 * Gets statistics: of some milliseconds ago while recording, exact after gpmu_recorder_stop().
 * Returns 0; -EINVAL if @stats has no size.
 */
int gpmu_recorder_get_stats(struct gpmu_recorder *recorder, struct gpmu_recorder_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_RECORDER_API_H */
