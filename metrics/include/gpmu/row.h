/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* row: values, with what they are worth */
#ifndef GPMU_ROW_API_H
#define GPMU_ROW_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gpmu_state {
	GPMU_OK,
	GPMU_IDLE,		/* a metric's divisor was 0: what it is of did not happen */
	GPMU_NOT_COUNTED,	/* a counter did not run */
	GPMU_NOT_SUPPORTED,	/* there is no such counter here: why says more */
};

/* What a value is of */
enum gpmu_scope {
	GPMU_SCOPE_MACHINE,
	GPMU_SCOPE_NODE,
	GPMU_SCOPE_CPU,
	GPMU_SCOPE_PROCESS,
	GPMU_SCOPE_GPU,
};

/**
 * struct gpmu_row - the value of an event or a metric
 * @size: of this structure; in an array the next row begins so many bytes further
 * @begin: of the interval, in seconds from the session's start
 * @end: likewise
 * @metric: 1: of a metric, 0: of an event
 * @name: the event's or metric's label, as it was asked for
 * @pmu: "nvidia_scf_pmu_0" of counts of one PMU; of several of a kind the kind,
 *	"nvidia_scf_pmu"; NULL: of different ones, or none
 * @scope: what the value is of. PMUs outside the cores count the machine or a node of it
 *	even if the rest is of a process
 * @node: the number that is in the names of its PMUs, of a GPU the node that it is at; -1: not of
 *	one
 * @package: of that node, perf's label S<n>; -1: not known
 * @cpu: -1: not of one
 * @pid: of the process; -1: not of one, or of several
 * @state: a value of which a part is missing is not OK, it is never the sum of the rest
 * @value: in @unit; NaN unless @state is GPMU_OK
 * @unit: "GB/s" (1e9 bytes); NULL: a number
 * @share: of the time, 0 to 1, that the counters ran; the lowest of them. Below 1 they were
 *	multiplexed, and the value is an estimate. NaN if it is not known
 * @raw: the sum as it was counted, of an event; 0 of a metric, and if it is not known
 * @enabled: how long a counter was enabled, in ns, the mean of them
 * @running: how long it counted, likewise
 * @counters: how many counts were added
 * @alert: of a metric with a threshold: 1 it is passed, 0 not, -1 not known, or none
 * @runs: the value is the mean of so many; 1
 * @deviation: standard deviation of that mean, in @unit; 0 of one run
 * @why: of GPMU_NOT_COUNTED and GPMU_NOT_SUPPORTED, one line to follow "NAME: "; NULL of the
 *	others
 * @gpu: UUID of the GPU that the value is of; NULL: not of one
 * @gpu_number: of that GPU among the machine's, -1: not of one
 * @source: name of the plugin that has counted, "cupti"; NULL: the kernel, or several
 *
 * Texts are borrowed from whoever the row was got of, and change with it.
 */
struct gpmu_row {
	size_t size;
	double begin, end;
	int metric;
	const char *name;
	const char *pmu;
	enum gpmu_scope scope;
	int node, package, cpu, pid;
	enum gpmu_state state;
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
};

#ifdef __cplusplus
}
#endif

#endif /* GPMU_ROW_API_H */
