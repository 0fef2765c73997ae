/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ncu: reports of Nsight Compute */
#ifndef GPMU_NCU_API_H
#define GPMU_NCU_API_H

#include <stddef.h>
#include <stdint.h>

#include <gpmu/catalog.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A report is a file of Nsight Compute (.ncu-rep) of version 7. It has the results of profiled
 * work: actions, each with its metrics. A range is a stream of a context of a process, with the
 * actions in it. Ranges and actions have the order of the file.
 *
 * A report that is cut off, damaged or of another version is read as far as its parts are
 * complete. gpmu_ncu_report_get_info() has the reason and the offset at which the reading ended.
 *
 * Everything that a report returns is borrowed, and stays valid and unchanged until the report is
 * freed. Threads may share a report.
 */
struct gpmu_ncu_report;

/**
 * struct gpmu_ncu_info - a report as a whole
 * @size: size of this structure
 * @version: version of the format; 7 is the version that libgpmu knows
 * @blocks: number of blocks of the file, the last of which may be incomplete
 * @end: offset of the first byte that was not read; without @why the length of the file
 * @why: why the file was not read to its end, one line that begins with "PATH:OFFSET: "; NULL: it was
 * @unnamed: number of metrics whose name is not in the file; they are left out
 * @command: command line of the profiler; or NULL
 */
struct gpmu_ncu_info {
	size_t size;
	uint64_t version, blocks, end;
	const char *why;
	uint64_t unnamed;
	const char *command;
};

/**
 * struct gpmu_ncu_range - the actions of a stream
 * @size: size of this structure
 * @host: name of the host; or NULL
 * @process: name of the program; or NULL
 * @pid: number of the process
 * @context: number of the CUDA context
 * @stream: number of the stream; 0 also for an action without a stream
 */
struct gpmu_ncu_range {
	size_t size;
	const char *host, *process;
	uint64_t pid, context, stream;
};

enum gpmu_ncu_work {
	GPMU_NCU_KERNEL,
	GPMU_NCU_RANGE,		/* a range of calls that was profiled as one */
	GPMU_NCU_CMDLIST,	/* a command list */
	GPMU_NCU_GRAPH,		/* a graph that was profiled as one */
};

/**
 * struct gpmu_ncu_action - a profiled kernel, range, command list or graph
 * @size: size of this structure
 * @work: what was profiled
 * @name: name of a kernel without its arguments, or of a command list; NULL: it has none
 * @demangled: name of a kernel with its arguments and template arguments; or NULL
 * @mangled: name of a kernel in its object file; or NULL
 * @range: range of the action
 * @thread: number of the thread that launched the work
 * @api_call: number of the CUDA call in the process
 * @time: time of the result as the profiler wrote it, in a unit that the format does not state; 0:
 *	not known
 * @grid: blocks of the grid in each dimension; 0 unless it is a kernel
 * @block: threads of a block in each dimension; 0 unless it is a kernel
 */
struct gpmu_ncu_action {
	size_t size;
	enum gpmu_ncu_work work;
	const char *name, *demangled, *mangled;
	const struct gpmu_ncu_range *range;
	uint64_t thread, api_call, time;
	uint64_t grid[3], block[3];
};

enum gpmu_ncu_type {
	GPMU_NCU_OTHER,		/* no counter of the hardware: an attribute of the launch or the device */
	GPMU_NCU_COUNTER,
	GPMU_NCU_RATIO,
	GPMU_NCU_THROUGHPUT,	/* the largest of several percentages of a peak */
};

/* How the values of the units of the GPU were combined */
enum gpmu_ncu_rollup {
	GPMU_NCU_NONE,
	GPMU_NCU_SUM,
	GPMU_NCU_AVG,
	GPMU_NCU_MIN,
	GPMU_NCU_MAX,
};

/**
 * struct gpmu_ncu_metric - a metric of an action
 * @size: size of this structure
 * @name: name, "dram__bytes_read.sum.per_second"
 * @submetric: last part of a name with a rollup, "per_second"; NULL: none
 * @unit: unit, as it follows from the name, "B/s"; NULL: none
 * @type: type, as it follows from the name
 * @rollup: rollup, as it follows from the name
 * @sampled: 1: the value was sampled, 0: counted
 * @correlated: 1: the instances have identifiers, such as addresses of instructions; 0: only numbers
 * @instances: number of instances, values of parts of the action or of the GPU
 */
struct gpmu_ncu_metric {
	size_t size;
	const char *name, *submetric, *unit;
	enum gpmu_ncu_type type;
	enum gpmu_ncu_rollup rollup;
	int sampled, correlated;
	size_t instances;
};

enum gpmu_ncu_kind {
	GPMU_NCU_MISSING,	/* the metric has instances only */
	GPMU_NCU_TEXT,
	GPMU_NCU_FLOAT,
	GPMU_NCU_DOUBLE,
	GPMU_NCU_UINT32,
	GPMU_NCU_UINT64,
};

/**
 * struct gpmu_ncu_value - a value of a metric, or the identifier of an instance
 * @size: size of this structure, which the caller sets
 * @kind: how the file stores the value
 * @text: text of GPMU_NCU_TEXT; otherwise NULL
 * @number: value as a number; NaN for a text, and if there is none
 * @integer: value as an integer, a fraction is truncated; 0 for a text, a negative number and NaN
 */
struct gpmu_ncu_value {
	size_t size;
	enum gpmu_ncu_kind kind;
	const char *text;
	double number;
	uint64_t integer;
};

/**
 * struct gpmu_ncu_nvtx - an NVTX range that was open when the action was launched
 * @size: size of this structure
 * @domain: name of the domain; "": the default domain
 * @name: name of the range
 * @pushed: 1: a range of push and pop, 0: a range of start and end
 * @depth: number of ranges of the domain and thread around a pushed range; 0 for others
 * @thread: number of the thread that began the range
 * @category: category; 0: none
 * @color: color as 0xAARRGGBB; 0: none
 */
struct gpmu_ncu_nvtx {
	size_t size;
	const char *domain, *name;
	int pushed;
	unsigned int depth;
	uint64_t thread, category, color;
};

/**
 * struct gpmu_ncu_source - the code of a kernel
 * @size: size of this structure
 * @code: source text; or NULL
 * @intermediate: PTX, of @intermediate_size bytes; or NULL
 * @intermediate_size: size of @intermediate
 * @binary: cubin, an ELF file of @binary_size bytes; or NULL
 * @binary_size: size of @binary
 * @sm_version: compute capability times 10, 90 for 9.0; 0: not known
 */
struct gpmu_ncu_source {
	size_t size;
	const char *code;
	const void *intermediate;
	size_t intermediate_size;
	const void *binary;
	size_t binary_size;
	uint64_t sm_version;
};

/**
 * gpmu_ncu_report_new() - reads a report
 * @fd: file descriptor of a file or pipe, open for reading at its begin; owned by the caller, and
 *	not used after the call
 * @path: name of the report in messages; copied
 * @error: set on failure, or NULL. Its text begins with "PATH:OFFSET: "
 *
 * Return: a new report; NULL with errno EINVAL (no report of Nsight Compute), ENOMEM, or the error
 * of reading
 */
struct gpmu_ncu_report *gpmu_ncu_report_new(int fd, const char *path, struct gpmu_error *error);
/* Frees @report; NULL is allowed. */
void gpmu_ncu_report_free(struct gpmu_ncu_report *report);
/* Gets what is known about a report. Returns 0; -EINVAL if @info has no size */
int gpmu_ncu_report_get_info(const struct gpmu_ncu_report *report, struct gpmu_ncu_info *info);

/* Return the range, and the action of any range, at @index; NULL after the last */
const struct gpmu_ncu_range *gpmu_ncu_report_range(const struct gpmu_ncu_report *report, size_t index);
const struct gpmu_ncu_action *gpmu_ncu_report_action(const struct gpmu_ncu_report *report, size_t index);
/* Returns the action of a range at @index; NULL after the last */
const struct gpmu_ncu_action *gpmu_ncu_range_action(const struct gpmu_ncu_range *range, size_t index);

/* Returns the metric of an action at @index; NULL after the last */
const struct gpmu_ncu_metric *gpmu_ncu_action_metric(const struct gpmu_ncu_action *action, size_t index);
/* Returns the metric of a name, the first of several; NULL if the action has none */
const struct gpmu_ncu_metric *gpmu_ncu_action_find(const struct gpmu_ncu_action *action, const char *name);
/* Returns the NVTX range at @index, ranges of a stack from the outermost on; NULL after the last */
const struct gpmu_ncu_nvtx *gpmu_ncu_action_nvtx(const struct gpmu_ncu_action *action, size_t index);
/**
 * gpmu_ncu_action_matches() - tests whether an action was launched in NVTX ranges of given names
 * @action: the action
 * @filter: "A": a started range A; "A/": a pushed range A; "A/B": B pushed directly in A; "[A/B": A
 *	is the outermost range of its thread; "A/B]": B is the innermost. An asterisk in place of a
 *	name is any number of pushed ranges, also none. "DOMAIN@" before the names is their domain;
 *	without it they are of the default domain
 *
 * Return: 1 if it was, 0 if not; -EINVAL if a name is empty; -ENOMEM
 */
int gpmu_ncu_action_matches(const struct gpmu_ncu_action *action, const char *filter);
/* Returns the code of a kernel; NULL if the report has none */
const struct gpmu_ncu_source *gpmu_ncu_action_source(const struct gpmu_ncu_action *action);
/*
 * Returns the name of a source file at @index, and sets @content to its text, or to NULL if the
 * report lacks it; NULL after the last.
 */
const char *gpmu_ncu_source_file(const struct gpmu_ncu_source *source, size_t index, const char **content);

/**
 * gpmu_ncu_action_eval() - evaluates a metric of a catalog from the metrics of an action
 * @action: the action
 * @metric: a metric of the PMU nvidia_gpu, such as GpuDramBW, whose events are metrics of Nsight
 *	Compute. duration_time is gpu__time_duration.sum
 * @value: set to the value, in gpmu_metric_unit(); NaN if a divisor is 0
 *
 * Return: 0; -ENOENT if the action lacks a metric that the formula needs, or it is no metric of a
 * GPU; -EINVAL if the formula is malformed; -ENOMEM
 */
int gpmu_ncu_action_eval(const struct gpmu_ncu_action *action, const struct gpmu_metric *metric, double *value);

/* Gets the value of a metric. Returns 0; -EINVAL if @value has no size */
int gpmu_ncu_metric_value(const struct gpmu_ncu_metric *metric, struct gpmu_ncu_value *value);
/**
 * gpmu_ncu_metric_instance() - gets the value of an instance
 * @metric: the metric
 * @index: number of the instance, from 0
 * @id: set to the identifier of the instance, which is GPMU_NCU_MISSING unless the instances are
 *	correlated. The identifier of a metric of source code is the address of an instruction. May
 *	be NULL
 * @value: set to its value
 *
 * Return: 0; -ENOENT after the last; -EINVAL if a structure has no size
 */
int gpmu_ncu_metric_instance(const struct gpmu_ncu_metric *metric, size_t index, struct gpmu_ncu_value *id,
			     struct gpmu_ncu_value *value);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_NCU_API_H */
