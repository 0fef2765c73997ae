/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The import's parts */
#ifndef GPMU_IMPORT_H
#define GPMU_IMPORT_H

#include "import/gpmu_import.h"
#include "import/import_clock.h"
#include "profile/profile_input.h"
#include "trace/gpmu_trace.h"

#define IMPORT_NO_TIME	UINT64_MAX

/* A thread on the timeline; tracks below it are 0 until they are used. */
struct import_thread {
	uint32_t pid, tid;
	int track, spe_track, run_track, event_track;
	uint64_t since;			/* it runs since; IMPORT_NO_TIME: it does not run */
};

/* Events of the same name and scope */
struct import_counter {
	uint32_t event;
	int track;
	uint64_t time;			/* of its last value; IMPORT_NO_TIME: none yet */
	double rate;
};

struct import_read;
struct import_switch;

struct import {
	struct gpmu_import_options options;
	struct gpmu_import_facts facts;
	struct profile_input input;
	const struct gpmu_perfdata_info *info;
	struct import_clock clock;
	struct gpmu_trace *trace;
	VECTOR(struct import_thread) threads;
	struct map thread_numbers;	/* by pid and tid */
	VECTOR(struct import_switch) switches;	/* see import_switches.c */
	VECTOR(struct import_read) reads;	/* see import_counters.c */
	VECTOR(struct import_counter) counters;
	struct map counter_numbers;	/* by event and track */
	struct map cpu_tracks;
	VECTOR(int) samplers;		/* by event; 0: none yet */
	struct import_place *places;	/* see import_samples.c */
	bool has_switches;		/* the recording has records of context switches */
	bool has_idle_switch;		/* an idle task has a sample of sched:sched_switch */
	bool has_partial_switches;	/* samples of sched:sched_switch are those of some tasks */
	uint64_t switch_samples;	/* switches that are samples of sched:sched_switch */
	bool has_outside;		/* a sample or a task is outside the PID namespace of the recording */
	uint64_t begin, end;		/* times of the trace; @begin: of the first sample or switch */
	uint64_t first_task;		/* time of the first FORK, COMM or EXIT record */
	uint64_t timeless;		/* records without PERF_SAMPLE_TIME, also counted in @facts.no_time */
};

/* import_time.c: converts a time. Returns whether it can be placed. */
bool import_time(struct import *import, uint64_t time, uint64_t shift, uint64_t *placed);
/* Likewise, the time of a record; counts records without one. */
bool import_record_time(struct import *import, const struct gpmu_perfdata_record *record, uint64_t *placed);
/*
 * Likewise, the time of a FORK, COMM or EXIT record. Returns false for the time 0, with which perf describes a task that existed
 * before. The time does not begin the trace, as perf may start some seconds before its events.
 */
bool import_task_time(struct import *import, const struct gpmu_perfdata_record *record, uint64_t *placed);

/*
 * import_threads.c: the thread of a record, valid until the next call. Its track is made when it is new. NULL with
 * -errno in *@ret
 */
struct import_thread *import_thread(struct import *import, uint32_t pid, uint32_t tid, int *ret);
/* Returns as import_thread() the thread of a sample, COMM, FORK or EXIT record. All tasks outside the PID namespace are one thread. */
struct import_thread *import_record_thread(struct import *import, const struct gpmu_perfdata_record *record, int *ret);
/* Returns the name of a thread at a time of the recording; NULL: not recorded */
const char *import_name(const struct import *import, uint32_t tid, uint64_t time);
/* A track below a thread, made when it is first used. Returns it or -errno. */
int import_track(struct import *import, const struct import_thread *thread, int *track, const char *name);
/* Takes COMM, FORK and EXIT records. These return 0 or -errno, as all below. */
int import_task(struct import *import, const struct gpmu_perfdata_record *record);

/* import_switches.c */
int import_switch(struct import *import, const struct gpmu_perfdata_record *record);
/* Takes a sample of a task outside the PID namespace, at a time of the trace: the task is running then. */
int import_switch_outside(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time);
/*
 * Takes a sample of a tracepoint: sched:sched_switch is a switch of a CPU if the recording has no
 * records of switches.
 */
int import_switch_sample(struct import *import, const struct gpmu_perfdata_record *record,
			 uint64_t time, const struct gpmu_perfdata_tracepoint *tracepoint);
int import_switches_end(struct import *import);

/* import_samples.c */
int import_samples_init(struct import *import);
int import_sample(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time);

/* import_tracepoints.c: a sample of a tracepoint */
int import_tracepoint(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time,
		      const struct gpmu_perfdata_tracepoint *tracepoint);

/* import_counters.c */
/* Returns whether the events count a command and not CPUs. */
bool import_is_of_command(const struct import *import);
int import_read(struct import *import, const struct gpmu_perfdata_record *record, uint64_t time);
int import_counters_end(struct import *import);

/* import_spe.c: the taker of profile_traces */
int import_spe(void *user, const struct gpmu_spe_record *record, const struct profile_sample *sample);

/* import_audit.c */
int import_audit(struct import *import);

#endif /* GPMU_IMPORT_H */
