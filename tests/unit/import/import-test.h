/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a recording of perf with threads, context switches, samples and counts, whose truth tests/tools/import.t has. */
#ifndef GPMU_TESTS_IMPORT_H
#define GPMU_TESTS_IMPORT_H

#include <time.h>

#include "perfdata/perfdata-test.h"
#include "profile/jitdump-test.h"

#define IMPORT_START	1000000000000ULL	/* ns */
#define IMPORT_KERNEL	0xffffffff81000000ULL	/* address of the function kernel_leaf */

/* How the recording was made */
struct import_how {
	bool is_without_cpus;	/* without CPUs */
	bool has_perf_clock;	/* without -k */
	bool is_without_times;	/* without times */
	bool has_tracepoint;	/* also a tracepoint */
	bool has_stack;		/* the tracepoint has a call stack */
	bool has_user;		/* also a sample of user space with a longer period */
	bool is_command;	/* the events count a command */
	bool has_exits;		/* also threads that run after their EXIT records */
	bool has_malformed;	/* also two malformed COMM records */
	bool has_calls;		/* samples have a branch stack of calls, as of --call-graph lbr */
	bool has_namespace;	/* also tasks outside the PID namespace */
	const char *jitdump;	/* path of the dump of a just-in-time compiler that is mapped; NULL: none */
};

static inline struct perf_event_attr import_attr(const struct import_how *how, uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = MADE_ATTR, .config = config, .sample_id_all = 1, .sample_period = 1000,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.use_clockid = !how->has_perf_clock, .clockid = how->has_perf_clock ? 0 : CLOCK_MONOTONIC_RAW,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       (how->is_without_times ? 0 : PERF_SAMPLE_TIME) |
			       (how->is_without_cpus ? 0 : PERF_SAMPLE_CPU) | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
			       PERF_SAMPLE_CALLCHAIN |
			       (how->has_calls ? PERF_SAMPLE_BRANCH_STACK : 0),
		.branch_sample_type = how->has_calls ? PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK : 0,
	};
}

static inline void import_end(struct made *made, const struct import_how *how, uint32_t pid, uint32_t tid, uint64_t time,
			      uint32_t cpu)
{
	put32(made, pid);
	put32(made, tid);
	if (!how->is_without_times)
		put64(made, time);
	if (!how->is_without_cpus) {
		put32(made, cpu);
		put32(made, 0);
	}
	put64(made, 1);
	end(made);
}

static inline void import_comm(struct made *made, const struct import_how *how, uint32_t tid, const char *name,
			       uint16_t misc, uint64_t time)
{
	begin(made, PERF_RECORD_COMM, misc);
	put32(made, 100);
	put32(made, tid);
	put_text(made, name);
	import_end(made, how, 100, tid, time, 0);
}

/* FORK or EXIT of a thread */
static inline void import_task_of(struct made *made, const struct import_how *how, uint32_t type, uint32_t tid, uint64_t time)
{
	begin(made, type, 0);
	put32(made, 100);
	put32(made, 100);
	put32(made, tid);
	put32(made, 100);
	put64(made, time);
	import_end(made, how, 100, tid, time, 0);
}

static inline void import_change(struct made *made, const struct import_how *how, uint32_t tid, uint64_t time, uint16_t misc)
{
	begin(made, PERF_RECORD_SWITCH, misc);
	import_end(made, how, 100, tid, time, 0);
}

static const uint64_t import_chain[] = {
	(uint64_t)PERF_CONTEXT_KERNEL, IMPORT_KERNEL + 8, (uint64_t)PERF_CONTEXT_USER, 0x401000, 0x402000,
};

/* A sample of CPU 0 with the counts of two events, of a process of one thread */
static inline void import_put_chain(struct made *made, const struct import_how *how, uint32_t pid, const uint64_t *chain, size_t length,
				    uint64_t time, const uint64_t counts[2], uint64_t enabled, uint64_t running)
{
	const bool is_user = chain[0] == (uint64_t)PERF_CONTEXT_USER;

	begin(made, PERF_RECORD_SAMPLE, is_user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
	put64(made, 1);
	put64(made, chain[1]);
	put32(made, pid);
	put32(made, pid);
	if (!how->is_without_times)
		put64(made, time);
	if (!how->is_without_cpus)
		put64(made, 0);
	put64(made, is_user ? 6000 : 1000);
	put64(made, 2);
	put64(made, enabled);
	put64(made, running);
	for (uint64_t i = 0; i < 2; i++) {
		put64(made, counts[i]);
		put64(made, i + 1);
	}
	put64(made, length);
	put(made, chain, length * sizeof(chain[0]));
	if (how->has_calls) {
		put64(made, 1);
		put64(made, 0x403000);	/* from, to, flags */
		put64(made, 0x401000);
		put64(made, 0);
	}
	end(made);
}

/* Adds a sample of process 100, with one frame of the kernel, unless @is_user is set, and two of user space. */
static inline void import_put_sample(struct made *made, const struct import_how *how, bool is_user, uint64_t time,
				     const uint64_t counts[2], uint64_t enabled, uint64_t running)
{
	const size_t first = is_user ? 2 : 0;

	import_put_chain(made, how, 100, import_chain + first, sizeof(import_chain) / sizeof(import_chain[0]) - first, time, counts,
			 enabled, running);
}

static inline void import_map(struct made *made, const struct import_how *how, uint32_t pid, const char *name, uint64_t address)
{
	begin(made, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(made, pid);
	put32(made, pid);
	put64(made, address);
	put64(made, 0x10000);
	for (int i = 0; i < 5; i++)
		put64(made, 0);
	put_text(made, name);
	import_end(made, how, 100, 100, IMPORT_START + 4000, 0);
}

/* The dump of a just-in-time compiler with the functions of the samples' stacks */
static inline void import_jit(struct made *made)
{
	put_jit_header(made, 0);
	put_jit_load(made, "jit_callee", 0x400800, 0x1000, 1, 0);
	put_jit_load(made, "jit_caller", 0x401800, 0x1000, 2, 0);
}

static inline void import_records(struct made *made, const struct import_how *how)
{
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT, preempted = out | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	const uint64_t start = IMPORT_START;

	import_comm(made, how, 100, "main", 0, 0);
	import_comm(made, how, 101, "worker", 0, 0);
	begin(made, PERF_RECORD_KSYMBOL, 0);
	put64(made, IMPORT_KERNEL);
	put32(made, 64);
	put32(made, 0);
	put_text(made, "kernel_leaf");
	import_end(made, how, 0, 0, 0, 0);
	import_change(made, how, 100, start + 1000, 0);
	import_change(made, how, 100, start + 5000, preempted);
	import_change(made, how, 101, start + 5000, 0);
	import_change(made, how, 101, start + 9000, out);
	/* Rings of CPUs are one after the other. */
	import_task_of(made, how, PERF_RECORD_FORK, 102, start + 500);
	import_comm(made, how, 100, "solver", 1 << 13, start + 3000);
	import_change(made, how, 102, start + 10000, 0);
	import_task_of(made, how, PERF_RECORD_EXIT, 102, start + 12000);
	import_change(made, how, 102, start + 12500, out);
	if (how->jitdump) {
		import_map(made, how, 100, how->jitdump, 0x900000);
		import_map(made, how, 100, "//anon", 0x400000);
	}
	import_put_sample(made, how, false, start + 10000, (const uint64_t[]){ 1000, 5 }, 10000, 10000);
	import_put_sample(made, how, false, start + 20000, (const uint64_t[]){ 3000, 5 }, 20000, 20000);
	/* Half of the time the events do not run, then all the time. */
	import_put_sample(made, how, false, start + 40000, (const uint64_t[]){ 6000, 15 }, 40000, 30000);
	import_put_sample(made, how, false, start + 50000, (const uint64_t[]){ 6000, 15 }, 50000, 30000);
	if (how->has_user)
		import_put_sample(made, how, true, start + 55000, (const uint64_t[]){ 6000, 15 }, 55000, 30000);
	begin(made, PERF_RECORD_LOST, 0);
	put64(made, 1);
	put64(made, 7);
	import_end(made, how, 0, 0, start + 60000, 0);
	/* perf counts the same losses at the end. */
	begin(made, PERF_RECORD_LOST_SAMPLES, 0);
	put64(made, 5);
	import_end(made, how, 0, 0, start + 60000, 0);
}

/*
 * Thread 103 is preempted after its EXIT record. The kernel has released it before its last switch. A later thread has the same
 * number. The last record of thread 104 is its EXIT record. Thread 105 has no name.
 */
static inline void import_exits(struct made *made, const struct import_how *how)
{
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT, preempted = out | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	const uint64_t start = IMPORT_START;

	import_task_of(made, how, PERF_RECORD_FORK, 103, start + 13000);
	import_change(made, how, 103, start + 13000, 0);
	import_task_of(made, how, PERF_RECORD_EXIT, 103, start + 14000);
	import_change(made, how, 103, start + 15000, preempted);
	import_change(made, how, 103, start + 16000, 0);
	import_change(made, how, UINT32_MAX, start + 17000, out);
	import_task_of(made, how, PERF_RECORD_FORK, 103, start + 18000);
	import_change(made, how, 103, start + 19000, 0);
	import_comm(made, how, 103, "again", 0, start + 19500);
	import_change(made, how, 103, start + 20000, out);
	import_task_of(made, how, PERF_RECORD_FORK, 104, start + 20000);
	import_change(made, how, 104, start + 21000, 0);
	import_task_of(made, how, PERF_RECORD_EXIT, 104, start + 22000);
	import_change(made, how, 105, start + 23000, 0);
	import_change(made, how, 105, start + 24000, out);
}

/*
 * Adds tasks outside the PID namespace, which have the tid 0 as idle tasks have: one that goes to sleep, one that is preempted after a
 * sample in user space, and one that may be idle. Then adds samples of idle tasks, of a system call, and of the tid -1 in user space.
 */
static inline void import_namespace(struct made *made, const struct import_how *how)
{
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT, preempted = out | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	static const struct {
		uint32_t pid;
		size_t first, length;	/* of import_chain */
		uint64_t time;
	} samples[] = { { 0, 2, 3, 73000 }, { 0, 0, 2, 80000 }, { 0, 0, 5, 81000 }, { UINT32_MAX, 2, 3, 82000 } };
	const uint64_t start = IMPORT_START;

	import_map(made, how, 0, "/opt/other", 0x400000);
	begin(made, PERF_RECORD_COMM, 0);
	put32(made, 0);
	put32(made, 0);
	put_text(made, "other");
	import_end(made, how, 0, 0, start + 69000, 0);
	import_change(made, how, 0, start + 70000, 0);
	import_change(made, how, 0, start + 71000, out);
	import_change(made, how, 100, start + 71100, 0);
	begin(made, PERF_RECORD_SWITCH_CPU_WIDE, out);
	put64(made, 0);
	import_end(made, how, 100, 100, start + 71900, 0);
	import_change(made, how, 0, start + 72000, 0);
	import_change(made, how, 0, start + 74000, preempted);
	import_change(made, how, 0, start + 75000, 0);
	import_change(made, how, 0, start + 76000, preempted);
	for (uint64_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		import_put_chain(made, how, samples[i].pid, import_chain + samples[i].first, samples[i].length,
				 start + samples[i].time, (const uint64_t[]){ 7000 + 1000 * i, 15 }, samples[i].time,
				 30000);
}

static inline void import_point(struct made *made, const struct import_how *how, uint64_t time)
{
	begin(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	put64(made, 3);
	put64(made, IMPORT_KERNEL);
	put32(made, 100);
	put32(made, 101);
	put64(made, time);
	if (how->has_stack) {
		put64(made, 1);
		put64(made, IMPORT_KERNEL);
	}
	put32(made, sizeof(test_point) + 4);
	put(made, &test_point, sizeof(test_point));
	put32(made, 0);
	end(made);
}

static inline void import_make(struct made *made, const struct import_how *how)
{
	static const char *const formats[] = { TEST_POINT };
	static struct made records, tracing, release;
	struct perf_event_attr attrs[] = {
		import_attr(how, PERF_COUNT_SW_CPU_CLOCK), import_attr(how, PERF_COUNT_SW_PAGE_FAULTS), test_attr(),
	};
	const struct feature features[] = { { 1, &tracing }, { 4, &release } };

	attrs[1].enable_on_exec = how->is_command;	/* not the leader, as with --delay */
	attrs[2].type = PERF_TYPE_TRACEPOINT;
	attrs[2].config = 301;
	attrs[2].sample_type |= PERF_SAMPLE_RAW | (how->has_stack ? PERF_SAMPLE_CALLCHAIN : 0);
	records.length = tracing.length = release.length = 0;
	import_records(&records, how);
	if (how->has_tracepoint)
		import_point(&records, how, IMPORT_START + 7000);
	for (int i = 0; i < 2 && how->has_malformed; i++) {
		begin(&records, PERF_RECORD_COMM, 0);
		put64(&records, 0);
		end(&records);
	}
	if (how->has_exits)
		import_exits(&records, how);
	if (how->has_namespace)
		import_namespace(&records, how);
	put_tracing(&tracing, formats, 1);
	put_string(&release, "6.12.1");
	make_file(made, attrs, how->has_tracepoint ? 3 : 2, &records, features, 2);
}

/* --- perf sched record */

/* The raw bytes of SWITCH_FORMAT */
struct switch_point {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};

#define SWITCH_FORMAT TEST_FORMAT("sched_switch", "302", \
	TEST_FIELD("char prev_comm[16]", "8", "16", "0") TEST_FIELD("pid_t prev_pid", "24", "4", "1") \
	TEST_FIELD("int prev_prio", "28", "4", "1") TEST_FIELD("long prev_state", "32", "8", "1") \
	TEST_FIELD("char next_comm[16]", "40", "16", "0") TEST_FIELD("pid_t next_pid", "56", "4", "1") \
	TEST_FIELD("int next_prio", "60", "4", "1"))

/* A switch of CPU 0 at microseconds after the start; @tid: thread id of the sample */
struct made_switch {
	uint64_t time;
	int32_t tid, prev, next;
	int64_t state;
};

static inline void import_put_switch(struct made *made, const struct import_how *how, const struct made_switch *from)
{
	const struct switch_point point = {
		.common_type = 302, .prev_pid = from->prev, .next_pid = from->next, .prev_state = from->state, .prev_comm = "made",
	};

	begin(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	put64(made, IMPORT_KERNEL);
	put32(made, from->tid ? 100 : 0);
	put32(made, (uint32_t)from->tid);
	put64(made, IMPORT_START + from->time);
	if (!how->is_without_cpus) {
		put32(made, 0);
		put32(made, 0);
	}
	put32(made, sizeof(point) + 4);
	put(made, &point, sizeof(point));
	put32(made, 0);
	end(made);
}

/*
 * Threads 100, 101 and 102 of the process 100 run on CPU 0. The switch from 102 is lost, but a sample of its idle task
 * follows; with @is_busy there is no such task and no loss.
 */
static inline void import_make_sched(struct made *made, const struct import_how *how, bool is_busy)
{
	static const struct made_switch with_idle[] = {
		{ 1000, 0, 0, 100, 0 }, { 3000, 100, 100, 101, 256 }, { 6000, 101, 101, 102, 1 }, { 8000, 0, 0, 100, 0 }, { 9000, 100, 100, 0, 2 },
	}, without_idle[] = {
		{ 1000, 101, 101, 100, 0 }, { 3000, 100, 100, 101, 256 }, { 6000, 101, 101, 102, 1 }, { 8000, 102, 102, 100, 16 },
	};
	static const char *const formats[] = { SWITCH_FORMAT };
	static struct made records, tracing, release;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .config = 302, .size = MADE_ATTR, .sample_period = 1, .inherit = 1, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW, .enable_on_exec = how->is_command,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | (how->is_without_cpus ? 0 : PERF_SAMPLE_CPU) |
			       PERF_SAMPLE_RAW,
	};
	const struct feature features[] = { { 1, &tracing }, { 4, &release } };
	const struct made_switch *list = is_busy ? without_idle : with_idle;
	const size_t n = is_busy ? sizeof(without_idle) / sizeof(without_idle[0]) : sizeof(with_idle) / sizeof(with_idle[0]);

	records.length = tracing.length = release.length = 0;
	for (uint32_t tid = 100; tid < 103; tid++) {
		begin(&records, PERF_RECORD_COMM, 0);
		put32(&records, 100);
		put32(&records, tid);
		put_text(&records, "made");
		end(&records);
	}
	for (size_t i = 0; i < n; i++)
		import_put_switch(&records, how, &list[i]);
	if (how->has_namespace)
		import_put_switch(&records, how, &(struct made_switch){ 10000, 103, 9000, 9001, 1 });
	put_tracing_of(&tracing, "sched", formats, 1);
	put_string(&release, "6.12.1");
	make_file(made, &attr, 1, &records, features, 2);
}

#endif /* GPMU_TESTS_IMPORT_H */
