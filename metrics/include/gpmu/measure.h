/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* measure: counts the regions of a program in a few calls */
#ifndef GPMU_MEASURE_API_H
#define GPMU_MEASURE_API_H

#include <stdio.h>
#include <sys/types.h>

#include <gpmu/error.h>
#include <gpmu/session.h>
#include <gpmu/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program counts its regions in five calls: gpmu_open(), gpmu_begin(), gpmu_end(),
 * gpmu_print() and gpmu_close(). Any thread may begin and end regions. The first region that a
 * thread begins opens the counters of that thread.
 *
 * Events of the cores, software events and tracepoints count the thread that begins the region.
 * PMUs outside the cores count the machine while at least one thread is in the region. A metric
 * that uses both is counted on the whole machine.
 *
 * The module gpmu of Fortran, whose source is installed as gpmu.f90, has the same functions.
 *
 * A program whose counters cannot be opened can run on without them. gpmu_open() then returns
 * NULL, and with NULL every other function does nothing: gpmu_begin(), gpmu_end(), gpmu_print()
 * and gpmu_get_rows() return -EINVAL, gpmu_visits() returns 0, and gpmu_region_at() NULL.
 *
 * If the kernel allows it, libgpmu reads the counters of the cores in user space, without a
 * system call. gpmu-doctor(1) reports whether the kernel allows it.
 *
 * After fork() the child may not use a struct gpmu of its parent.
 */
struct gpmu;

/**
 * struct gpmu_options - options of gpmu_open()
 * @size: size of this structure
 * @sources: plugins that count, "model=steady.scenario", as for gpmu_source_new()
 * @source_count: number of @sources
 * @catalogs: JSON files and folders with more events and metrics, as for gpmu_catalog_add()
 * @catalog_count: number of @catalogs
 * @system: 1: count everything that runs on the CPUs instead of the threads
 * @cpus: count these CPUs only, "0-3,8"; implies @system. NULL: all online CPUs
 * @pids: processes to count instead of the threads
 * @pid_count: number of @pids
 * @tids: tasks to count instead of the threads
 * @tid_count: number of @tids
 * @inherit: 1: count the processes and threads that the tasks start later; without @pids and
 *	@tids the task is the thread that calls gpmu_open()
 * @aggregation: what a row of PMUs outside the cores covers, and with @system any row
 * @per_thread: 1: gpmu_print() prints the counts of each thread, 0: their sum
 * @format: how gpmu_print() prints: GPMU_SINK_SUMMARY, a table; GPMU_SINK_CSV or GPMU_SINK_JSON
 * @separator: separator of CSV columns; NULL: ","
 *
 * Fields that are 0 or NULL take their defaults.
 */
struct gpmu_options {
	size_t size;
	const char *const *sources;
	size_t source_count;
	const char *const *catalogs;
	size_t catalog_count;
	int system;
	const char *cpus;
	const pid_t *pids;
	size_t pid_count;
	const pid_t *tids;
	size_t tid_count;
	int inherit;
	enum gpmu_aggregation aggregation;
	int per_thread;
	enum gpmu_sink_kind format;
	const char *separator;
};

/**
 * gpmu_open() - opens and starts the counters of a list of metrics and events
 * @list: names of metrics, events and metric groups, "GraceMemBW,ipc,cycles:u". A name that is
 *	a metric is not searched among the events, and an event not among the metric groups
 * @options: read during the call; NULL: all defaults
 * @error: set on failure, or NULL. Its offset is a byte offset in @list
 *
 * If the kernel allows this process to count in user space only, events get the modifier u. If
 * a metric needs a PMU of a GPU and @options names no plugin for GPUs, the plugins "nvml" and
 * "cupti" are loaded. An event that cannot be counted here is no error: gpmu_print() prints the
 * reason.
 *
 * Return: a new object; NULL with errno ENOENT (a name is neither a metric nor an event; the
 * error names the most similar one), ENOTSUP (a name of CUPTI's former APIs that PM sampling cannot
 * collect; the error names the mode that can), EINVAL (syntax error), EACCES or EPERM (the error
 * names the required permission), ENOMEM, or an error of gpmu_source_new() or gpmu_session_new()
 */
struct gpmu *gpmu_open(const char *list, const struct gpmu_options *options,
		       struct gpmu_error *error);
/*
 * Stops the counters and frees @gpmu; NULL is allowed. No thread may be in a region or end
 * during the call.
 */
void gpmu_close(struct gpmu *gpmu);

/**
 * gpmu_begin() - begins a region in the calling thread
 * @gpmu: the object; any thread may use it
 * @name: any text; copied
 *
 * Regions may be nested, and the counts of the inner one are in both. A region nested in itself,
 * as in a recursive function, counts once. Memory is allocated only when a thread begins a name
 * for the first time. Under "gpmu record --capture-range=region" regions also select the time
 * in which CUDA is recorded.
 *
 * Return: 0; -EINVAL if @gpmu is NULL; -ENOMEM; for the first region of a thread also an error
 * of gpmu_session_new()
 */
int gpmu_begin(struct gpmu *gpmu, const char *name);
/*
 * Ends the innermost region of the calling thread. Returns 0; -EINVAL if that region has
 * another name or @gpmu is NULL; -ENOMEM: the region has ended, but counters that could not be
 * read do not include this visit
 */
int gpmu_end(struct gpmu *gpmu, const char *name);

/**
 * gpmu_print() - prints the counts of all visits that have ended
 * @gpmu: the object; any thread may use it, also while others are in regions
 * @file: printed to
 *
 * A table has a line for each counter of each region. The visits are those of all threads. The
 * seconds are the time during which at least one thread was in the region, or with @per_thread
 * the time of that thread. A percentage after a value is the share of the time that its counters
 * ran, if they were multiplexed. CSV and JSON have the columns of gpmu_sink_rows() after the columns
 * region, process, thread and visits. The thread is -1 if a row covers several threads.
 *
 * Return: 0; -EINVAL if @gpmu is NULL; -ENOMEM, or the error of writing
 */
int gpmu_print(struct gpmu *gpmu, FILE *file);

/*
 * Returns the name of the region at @index, from 0, in the order in which they were first begun;
 * NULL after the last. It is borrowed, and valid until gpmu_close().
 */
const char *gpmu_region_at(struct gpmu *gpmu, size_t index);
/* Returns how often all threads have ended a region; 0 if there is no such region, or no memory */
uint64_t gpmu_visits(struct gpmu *gpmu, const char *name);
/**
 * gpmu_get_rows() - gets the counts of a region
 * @gpmu: the object
 * @name: name of the region
 * @rows: set to the rows, borrowed; valid until any thread calls gpmu_get_rows() or gpmu_print().
 *	Set to NULL if @gpmu is NULL
 *
 * The rows are the sums over all threads, followed by the rows of PMUs outside the cores.
 *
 * Return: 0; -EINVAL if there is no such region or @gpmu is NULL; -ENOMEM
 */
int gpmu_get_rows(struct gpmu *gpmu, const char *name, const struct gpmu_rows **rows);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_MEASURE_API_H */
