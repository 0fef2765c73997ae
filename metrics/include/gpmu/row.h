/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* row: values of events and metrics */
#ifndef GPMU_ROW_API_H
#define GPMU_ROW_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gpmu_state {
	GPMU_STATE_OK,
	GPMU_STATE_IDLE,		/* a divisor of the metric was 0: the counted operation did not happen */
	GPMU_STATE_NOT_COUNTED,	/* a counter did not run */
	GPMU_STATE_NOT_SUPPORTED,	/* the machine lacks the counter; why gives the reason */
};

/* The part of the machine that a value covers */
enum gpmu_scope {
	GPMU_SCOPE_MACHINE,
	GPMU_SCOPE_NODE,
	GPMU_SCOPE_CPU,
	GPMU_SCOPE_PROCESS,
	GPMU_SCOPE_GPU,
	GPMU_SCOPE_SOCKET,
	GPMU_SCOPE_DIE,
	GPMU_SCOPE_CORE,
	GPMU_SCOPE_THREAD,
};

/*
 * The scope of each row of a session. Sockets, dies and cores have the numbers of the kernel's
 * CPU topology (physical_package_id, die_id, core_id) and perf's labels: S36, S36-D0, S36-D0-C7.
 * A count of a PMU outside the cores belongs to the die and core of the first CPU of its node.
 */
enum gpmu_aggregation {
	GPMU_AGGREGATE_MACHINE,	/* the whole target of the session */
	GPMU_AGGREGATE_NODE,	/* a NUMA node */
	GPMU_AGGREGATE_CPU,	/* a CPU; a node for PMUs outside the cores */
	GPMU_AGGREGATE_SOCKET,
	GPMU_AGGREGATE_DIE,
	GPMU_AGGREGATE_CORE,
	GPMU_AGGREGATE_THREAD,	/* a counted task; the machine for PMUs outside the cores */
};

/**
 * struct gpmu_row - the value of an event or a metric
 * @size: size of this structure, which is larger in a newer libgpmu and smaller in an older one
 * @time_begin: start of the interval, in ns since the session was enabled; if the session was
 *	paused during the interval, @time_end minus the time that it was not paused
 * @time_end: end of the interval, in ns since the session was enabled
 * @metric: 1: a metric, 0: an event
 * @name: label of the event or metric, as it was requested
 * @pmu: PMU, "nvidia_scf_pmu_0"; for several PMUs of one kind the kind, "nvidia_scf_pmu"; NULL
 *	if they differ or there is none
 * @scope: what the value covers. PMUs outside the cores count the machine or a node, even if
 *	other rows cover a process
 * @node: number of the NUMA node, as in the names of its PMUs; for a GPU the node of its PCI
 *	device; -1: not of one node
 * @package: physical package of that node or CPU, perf's label S<n>; -1: not known
 * @cpu: number of the CPU; for a node's row of GPMU_AGGREGATE_CPU the first CPU of the node; -1:
 *	not of one CPU
 * @pid: number of the process; -1: not of one process
 * @state: whether there is a value. If a part of the value is missing, the state is not
 *	GPMU_STATE_OK; a value is never the sum of the remaining parts
 * @mean: 1: the value of the event is a mean over the counted time, of a state such as a
 *	temperature or a percentage; 0: a total, or a metric
 * @value: the value in @unit; NaN unless @state is GPMU_STATE_OK
 * @unit: "GB/s" (1e9 bytes per second); NULL: no unit
 * @share: fraction of the time that the counters ran, 0 to 1, the lowest of all counters. Below
 *	1 the counters were multiplexed and the value is an estimate. NaN if not known
 * @raw: the unscaled sum of the counts of an event, for a mean its integral over ns; 0 for a
 *	metric, and if not known
 * @enabled: time that the counters were enabled, in ns, the mean of all counters
 * @running: time that the counters ran, in ns, the mean of all counters
 * @counters: number of counts that were added
 * @alert: for a metric with a threshold: 1 if it is exceeded, 0 if not; -1 if not known or
 *	without a threshold
 * @runs: number of runs that the value is the mean of; 0: the number of runs is not known
 * @deviation: standard deviation of that mean, in @unit; 0 for one run; NaN if not known
 * @why: reason of GPMU_STATE_NOT_COUNTED and GPMU_STATE_NOT_SUPPORTED, one line that follows
 *	the name and a colon; otherwise NULL
 * @gpu: UUID of the GPU; NULL: not of one GPU
 * @gpu_number: number of that GPU in gpmu_machine_gpu(); -1: not of one GPU
 * @source: name of the plugin that counted, "cupti"; NULL: the kernel, or several sources
 * @die: number of the die in its package, for GPMU_SCOPE_DIE and GPMU_SCOPE_CORE
 * @core: number of the core in its die, for GPMU_SCOPE_CORE
 * @tid: number of the task, for GPMU_SCOPE_THREAD
 * @comm: name of that task when it was first counted; NULL for other scopes
 * @cgroup: cgroup whose tasks were counted; NULL: the row is not limited to a cgroup
 *
 * The object that returned the rows owns each row and its texts. They are valid as long as the
 * rows.
 */
struct gpmu_row {
	size_t size;
	uint64_t time_begin, time_end;
	int metric;
	const char *name;
	const char *pmu;
	enum gpmu_scope scope;
	int node, package, cpu, pid;
	enum gpmu_state state;
	int mean;
	double value;
	const char *unit;
	double share;
	uint64_t raw, enabled, running;
	size_t counters;
	int alert;
	unsigned int runs;
	double deviation;
	const char *why;
	const char *gpu;
	int gpu_number;
	const char *source;
	int die, core, tid;
	const char *comm;
	const char *cgroup;
};

/* The rows of an interval, of a region or of a whole run */
struct gpmu_rows;

/* Returns the row at @index, from 0, borrowed from @rows; NULL after the last */
const struct gpmu_row *gpmu_rows_at(const struct gpmu_rows *rows, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_ROW_API_H */
