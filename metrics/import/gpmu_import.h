/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* import: a recording of perf as a timeline for Perfetto */
#ifndef GPMU_IMPORT_API_H
#define GPMU_IMPORT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpmu/error.h>

#include "base/gpmu_outside.h"

/**
 * struct gpmu_import_options - how to import
 * @size: size of this structure
 * @path: path of the trace, for messages; NULL: "trace"
 * @version: version of the program, for the audit; NULL: none
 * @progress: as in struct gpmu_profile_options; NULL: not called
 * @user: first argument of @progress and @waiting
 * @waiting: as in struct gpmu_profile_options; NULL: not called
 * @wants_no_inlines: omit inlined functions from call stacks
 */
struct gpmu_import_options {
	size_t size;
	const char *path, *version;
	int (*progress)(void *user, uint64_t done, uint64_t total);
	void *user;
	int (*waiting)(void *user, const char *server, uint64_t done, uint64_t total);
	bool wants_no_inlines;
};

/**
 * struct gpmu_import_facts - what was imported and what was not
 * @size: size of this structure
 * @threads: number of threads
 * @samples: number of samples of the kernel's events other than tracepoints
 * @tracepoints: number of samples of tracepoints
 * @spe: number of operations of SPE
 * @switches: number of context switches
 * @values: number of values of counters
 * @lost: lower bound of the samples and records that the kernel lost: the larger of the counts of LOST and LOST_SAMPLES
 * @no_time: records without a time on the clock of the trace, which are omitted
 * @is_damaged: the recording has the damage that gpmu_import() set as its error
 * @is_stopped: progress(), waiting() or a signal ended reading
 * @is_whole: all records were read or skipped; the damage is in skipped records, or in facts about the machine or the recording
 * @outside: samples of tasks outside the PID namespace of the recording, of all kinds;
 *	gpmu_outside_why() is the message about them
 */
struct gpmu_import_facts {
	size_t size;
	uint64_t threads, samples, tracepoints, spe, switches, values, lost, no_time;
	bool is_damaged, is_stopped, is_whole;
	uint64_t outside;
};

/**
 * gpmu_import() - writes a recording of perf as a trace
 * @path: file, folder or FIFO; "-": standard input
 * @fd: as for gpmu_trace_new()
 * @options: copied; NULL: all defaults
 * @facts: set, or NULL
 * @error: set on failure and if the recording is damaged; or NULL
 *
 * A recording that is damaged or cut off is imported up to the damage; malformed records are skipped.
 * metrics/import/import.rst documents the tracks.
 *
 * Return: 0; -EINVAL if @path is no recording of perf, or the options have no size; -ENOMEM; or the error of
 * opening, reading or writing
 */
int gpmu_import(const char *path, int fd, const struct gpmu_import_options *options, struct gpmu_import_facts *facts,
		struct gpmu_error *error);

#endif /* GPMU_IMPORT_API_H */
