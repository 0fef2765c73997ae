/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: the samples of a recording of perf, as tables */
#ifndef GPMU_PROFILE_API_H
#define GPMU_PROFILE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gpmu/error.h>
#include <gpmu/recorder.h>

#include "base/gpmu_outside.h"
#include "perfdata/gpmu_perfdata.h"
#include "spe/gpmu_spe.h"

/*
 * A profile reads a recording twice: first its threads, maps and AUX buffers, then its samples. Both the
 * samples of the kernel's events and the records of Arm SPE are counted as samples. Samples are counted
 * by a tuple of keys, without memory for each sample. Stacks that perf record --call-graph fp,defer recorded later need
 * a number each. Samples of different events are never added.
 */
struct gpmu_profile;

enum gpmu_profile_key {
	GPMU_PROFILE_FUNCTION,
	GPMU_PROFILE_OBJECT,	/* file of the code */
	GPMU_PROFILE_LINE,	/* source file and line of the code */
	GPMU_PROFILE_THREAD,	/* name and number */
	GPMU_PROFILE_PROCESS,	/* name and number */
	GPMU_PROFILE_CPU,
	GPMU_PROFILE_NODE,	/* NUMA node of the CPU */
	GPMU_PROFILE_TIER,	/* level of the memory system that served an access */
	GPMU_PROFILE_HOME,	/* memory that holds the data */
	GPMU_PROFILE_DATA,	/* mapped file, heap or stack of the data address */
	GPMU_PROFILE_PAGE,	/* page of 4 KiB of the data address */
	GPMU_PROFILE_OP,	/* kind of operation */
	GPMU_PROFILE_COMM,	/* name of the thread */
	GPMU_PROFILE_STACK,	/* functions of the call stack, including inlined ones, outermost first, joined by semicolons */
	GPMU_PROFILE_KEYS,
};

#define GPMU_PROFILE_KEYS_MAX	6	/* of one profile */

/* Name of a key, "function"; NULL if there is no such key */
const char *gpmu_profile_key_name(enum gpmu_profile_key key);

/**
 * struct gpmu_profile_options - how to read
 * @size: size of this structure
 * @keys: keys to count by; NULL: function and object, and in a recording of SPE also tier, home and data
 * @key_count: number of keys, at most GPMU_PROFILE_KEYS_MAX
 * @progress: called with the bytes read and their total, several times per second; a result other than 0
 *	ends reading and sets is_stopped in the facts. The AUX buffers that were read until then are still
 *	decoded; results of further calls are ignored. NULL: not called
 * @user: first argument of @progress and @waiting
 * @wants_no_inlines: omit inlined functions from GPMU_PROFILE_STACK
 * @waiting: called at least once per second during a wait for a server of debuginfod, with the URL of the download (NULL: no
 *	server has answered yet), the bytes received and their total (0: not known). A result other than 0 ends the wait and
 *	reading, and sets is_stopped in the facts. NULL: not called
 */
struct gpmu_profile_options {
	size_t size;
	const enum gpmu_profile_key *keys;
	size_t key_count;
	int (*progress)(void *user, uint64_t done, uint64_t total);
	void *user;
	bool wants_no_inlines;
	int (*waiting)(void *user, const char *server, uint64_t done, uint64_t total);
};

/**
 * struct gpmu_profile_row - samples with equal keys
 * @event: index of their event
 * @keys: texts, in the order of the table's keys, borrowed from the table; NULL: the key does not apply
 * @samples: number of samples
 * @period: sum of their periods; of SPE the number of samples
 * @latency: sum of total latencies in cycles, of the samples that have one
 * @latency_samples: number of these samples
 * @latency_max: highest of them
 */
struct gpmu_profile_row {
	uint32_t event;
	const char *keys[GPMU_PROFILE_KEYS_MAX];
	uint64_t samples, period, latency, latency_samples, latency_max;
};

/* Availability of the kernel's functions */
enum gpmu_profile_kernel {
	GPMU_PROFILE_KERNEL_KNOWN,	/* also if no sample is in the kernel */
	GPMU_PROFILE_KERNEL_NO_MAP,	/* the recording has no map of the kernel */
	GPMU_PROFILE_KERNEL_NO_BUILD_ID,	/* the recording has no build id of the kernel */
	GPMU_PROFILE_KERNEL_OTHER,	/* the running kernel has another build id */
	GPMU_PROFILE_KERNEL_HIDDEN,	/* /proc/kallsyms has no addresses for this user */
};

/* Rows, sorted by event, then by descending period */
struct gpmu_profile_table {
	struct gpmu_profile_row *rows;
	size_t count;
	char **texts;		/* of the rows' keys */
	size_t text_count;
};

/**
 * struct gpmu_profile_event - the samples of an event
 * @event: the event, borrowed; NULL: records of SPE, whose event the recording lacks
 * @name: borrowed. Events with the same name are numbered from the second one on, "cpu-clock#2".
 * @samples: number of samples
 * @period: sum of their periods; of SPE the number of samples
 * @is_spe: the samples are records of SPE
 */
struct gpmu_profile_event {
	const struct gpmu_perfdata_event *event;
	const char *name;
	uint64_t samples, period;
	bool is_spe;
};

/**
 * struct gpmu_profile_facts - machine, losses and missing data of a recording
 * @size: size of this structure
 * @info: of the machine and the recording
 * @bytes: bytes of the recording that were read
 * @lost: lower bound of the samples and records that the kernel lost: the larger of the counts of LOST and LOST_SAMPLES
 * @spe: counts of the decoder and of PERF_RECORD_AUX, over all buffers
 * @midr: MIDR_EL1 of the CPUs; 0: not recorded
 * @memory: samples of loads and stores
 * @physical: of these, those with a physical address
 * @outside: of these, those whose address is in no node
 * @no_thread: samples without a thread
 * @has_spe: the recording has AUX buffers of SPE
 * @has_times: times of SPE can be compared with those of maps and threads
 * @skipped: gpmu_perfdata_skipped() of the recording, borrowed; NULL: no record was skipped
 * @outside_tasks: number of samples of tasks outside the PID namespace of the recording;
 *	gpmu_outside_why() is the message about them
 * @is_in_order: maps, names and threads have no times; a sample has the last ones before it in the file
 * @has_foreign_aux: the AUX buffers are not from SPE and were not read
 * @kernel: why samples of the kernel have no functions
 * @repeated: records of SPE that an earlier snapshot of the same buffer has, too; they are not counted again
 * @untimed: records of SPE in snapshots that have no time stamp; they are counted in each snapshot that has them
 * @unchecked: files whose functions were found without a recorded build id; the files may have changed
 * @is_stopped: progress(), waiting() or a signal ended reading
 * @is_damaged: the recording has the damage that gpmu_profile_new() set as its error
 * @is_whole: all samples were read or skipped; the damage is in @skipped, or in facts about the machine or the recording
 * @unknown_version: version of SPE's AUXTRACE_INFO that is not known and was read as version 2; 0: none
 * @no_homes: why homes of physical addresses are not known, borrowed; "": they are known
 */
struct gpmu_profile_facts {
	size_t size;
	const struct gpmu_perfdata_info *info;
	uint64_t bytes, lost;
	struct gpmu_spe_stats spe;
	uint64_t midr;
	uint64_t memory, physical, outside, no_thread;
	bool has_spe, has_times, has_foreign_aux, is_stopped, is_damaged;
	enum gpmu_profile_kernel kernel;
	uint64_t repeated, untimed, unchecked;
	bool is_whole;
	const char *no_homes;
	uint64_t unknown_version;
	bool is_in_order;
	const char *skipped;
	uint64_t outside_tasks;
};

/**
 * gpmu_profile_new() - reads a recording
 * @path: file, folder or FIFO; "-": standard input
 * @options: copied
 * @error: set on failure and if the recording is damaged; or NULL
 *
 * A recording that is damaged or cut off is read up to the damage. A malformed record, or a damaged fact about the machine, is
 * skipped.
 *
 * Return: a new profile; NULL with errno EINVAL (no recording of perf, or options without a size), ENOMEM,
 * or the error of opening
 */
struct gpmu_profile *gpmu_profile_new(const char *path, const struct gpmu_profile_options *options,
				      struct gpmu_error *error);
/* Frees @profile; NULL is allowed. */
void gpmu_profile_free(struct gpmu_profile *profile);
/*
 * Makes a table by some of the keys that the profile was read with. Returns 0; -EINVAL if it was not read with
 * one of them; or -ENOMEM. On failure there is nothing to release.
 */
int gpmu_profile_table(const struct gpmu_profile *profile, const enum gpmu_profile_key *keys, size_t key_count,
		       struct gpmu_profile_table *table);
void gpmu_profile_table_release(struct gpmu_profile_table *table);
/* The events of the recording, also those without samples */
size_t gpmu_profile_event_count(const struct gpmu_profile *profile);
/* Sets @event; @index is below gpmu_profile_event_count(). */
void gpmu_profile_event(const struct gpmu_profile *profile, size_t index, struct gpmu_profile_event *event);
/*
 * Returns the name of a file that has samples but no functions here, and sets @why, "stripped"; both are borrowed.
 * @index counts these files from 0. NULL after the last.
 */
const char *gpmu_profile_without_functions(const struct gpmu_profile *profile, size_t index, const char **why);
/* Gets facts. Returns 0; -EINVAL if @facts has no size. */
int gpmu_profile_get_facts(const struct gpmu_profile *profile, struct gpmu_profile_facts *facts);

/* Functions of addresses while a recording is made: the functions of struct gpmu_recorder_symbols */

struct gpmu_profile_symbols;

/* Returns NULL if out of memory. */
struct gpmu_profile_symbols *gpmu_profile_symbols_new(void);
/* Frees @symbols and all texts; NULL is allowed. */
void gpmu_profile_symbols_free(struct gpmu_profile_symbols *symbols);
/* These functions return 0 or -ENOMEM. */
int gpmu_profile_symbols_take(void *symbols, const struct perf_event_header *record);
int gpmu_profile_symbols_find(void *symbols, pid_t pid, uint64_t address, uint64_t time, const char **function,
			      const char **object);
int gpmu_profile_symbols_unwind(void *symbols, const struct perf_event_attr *attr,
				const struct perf_event_header *sample, uint64_t chain[GPMU_RECORDER_CHAIN],
				size_t *count);
int gpmu_profile_symbols_lines(void *symbols, const void *cubin, size_t size, const char *function,
			       uint64_t offset, struct gpmu_recorder_line list[GPMU_RECORDER_LINES],
			       size_t *count);

#endif /* GPMU_PROFILE_API_H */
