/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flow: traffic matrix: reads and writes by source and memory */
#ifndef GPMU_FLOW_API_H
#define GPMU_FLOW_API_H

#include <gpmu/plan.h>
#include <gpmu/row.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A flow is a matrix of memory traffic: the bytes that CPUs, PCIe devices and GPUs read from
 * and write to the memory of Graces (CMEM) and GPUs (GMEM), computed from all PMUs outside the
 * cores. metrics/traffic/flow.rst lists the events of each number.
 *
 * A program calls gpmu_flow_new() and gpmu_flow_plan(), counts the plan with a session, and
 * passes the session's rows to gpmu_flow_update(). All pointers that the functions return are
 * borrowed from the flow; the numbers change with the next update.
 */
struct gpmu_flow;

enum gpmu_flow_chip {
	GPMU_FLOW_ANY,		/* detect from the machine */
	GPMU_FLOW_SUPERCHIP,	/* Grace CPUs without GPUs on NVLink-C2C */
	GPMU_FLOW_HOPPER,	/* each Grace has a GPU on NVLink-C2C */
};

enum gpmu_flow_state {
	GPMU_FLOW_OK,		/* a number; 0: no bytes were moved */
	GPMU_FLOW_RANGE,	/* between low and high; the counts do not tell more */
	GPMU_FLOW_TOGETHER,	/* counted as one sum with other flows: gpmu_flow_sum() */
	GPMU_FLOW_INVISIBLE,	/* no PMU counts this traffic */
	GPMU_FLOW_IDLE,		/* the clock of the PMU that counts it was stopped */
	GPMU_FLOW_NOT_COUNTED,	/* a counter did not run; why gives the reason */
	GPMU_FLOW_NOT_SUPPORTED, /* the machine lacks the PMU or event; why gives the reason */
};

/**
 * struct gpmu_flow_value - a bandwidth and its reliability
 * @state: only GPMU_FLOW_OK and GPMU_FLOW_RANGE have numbers; other states have NaN
 * @derived: 1: a difference of counts of several PMUs
 * @bytes: bytes moved in the counted time; NaN for a range
 * @rate: bytes per second; NaN for a range
 * @low: lower limit in bytes per second; @rate for GPMU_FLOW_OK
 * @high: upper limit in bytes per second; @rate for GPMU_FLOW_OK
 * @share: fraction of the time that the counters ran, 0 to 1, the lowest of all counters; NaN
 *	if none ran
 * @sum: index for gpmu_flow_sum(), for GPMU_FLOW_TOGETHER
 * @why: reason of a state without a number, one line; otherwise NULL
 */
struct gpmu_flow_value {
	enum gpmu_flow_state state;
	int derived;
	double bytes, rate, low, high, share;
	size_t sum;
	const char *why;
};

/**
 * struct gpmu_flow_line - reads and writes of a cell, a sum or a total
 * @size: size of this structure
 * @name: "CPU 0 -> CMEM 1", "CMEM 0"
 * @note: a caveat about the numbers, one line; or NULL
 * @read: what the source reads from the memory
 * @write: what the source writes to the memory
 */
struct gpmu_flow_line {
	size_t size;
	const char *name, *note;
	struct gpmu_flow_value read, write;
};

/**
 * struct gpmu_flow_link - traffic between sockets, counted at both ends
 * @size: size of this structure
 * @name: "CPU 1 -> CMEM 0"
 * @note: a caveat about the numbers, one line; or NULL
 * @source_read: reads counted at the socket of the source; GPMU_FLOW_INVISIBLE if its PMUs do
 *	not count them separately
 * @source_write: writes counted at the socket of the source
 * @home_read: reads counted at the socket of the memory
 * @home_write: writes counted at the socket of the memory
 * @imbalance_read: @home_read / @source_read - 1; NaN if one of them has no number or
 *	@source_read is 0. A difference is no error: caches answer requests, and one end may
 *	include other traffic
 * @imbalance_write: the same for writes
 */
struct gpmu_flow_link {
	size_t size;
	const char *name, *note;
	struct gpmu_flow_value source_read, source_write, home_read, home_write;
	double imbalance_read, imbalance_write;
};

/**
 * struct gpmu_flow_peak - a bandwidth and its peak
 * @size: size of this structure
 * @name: "CMEM 0, reads and writes"
 * @origin: origin of the peak: a figure of a document, or a calculation from the PMU's clock
 * @value: the bandwidth
 * @peak: peak in bytes per second; NaN if the clock was not counted
 * @low: @value as a fraction of the peak, 0 to 1; NaN if not known
 * @high: upper limit of that fraction for a range; otherwise @low
 */
struct gpmu_flow_peak {
	size_t size;
	const char *name, *origin;
	struct gpmu_flow_value value;
	double peak, low, high;
};

/**
 * gpmu_flow_new() - creates the matrix of a machine's sources and memories
 * @machine: must outlive the flow
 * @chip: the chip of the machine
 * @error: set on failure, or NULL
 *
 * GPMU_FLOW_ANY means GPMU_FLOW_SUPERCHIP for two sockets without a NUMA node that has no CPUs,
 * and GPMU_FLOW_HOPPER otherwise. GPUs on NVLink-C2C have such NUMA nodes.
 *
 * Return: a new flow; NULL with errno ENODEV (no Grace PMU), EINVAL (no such chip) or ENOMEM
 */
struct gpmu_flow *gpmu_flow_new(const struct gpmu_machine *machine, enum gpmu_flow_chip chip,
				struct gpmu_error *error);
/* Frees @flow; NULL is allowed. */
void gpmu_flow_free(struct gpmu_flow *flow);
/* Returns a title, "Grace Hopper, 4 sockets" */
const char *gpmu_flow_title(const struct gpmu_flow *flow);

/**
 * gpmu_flow_plan() - adds the events of a flow to a plan
 * @flow: the flow
 * @plan: a plan of the same machine before gpmu_plan_make(); it may have other events and
 *	metrics
 * @error: set on failure, or NULL
 *
 * Events of PMUs that the machine lacks are left out. Their values are GPMU_FLOW_NOT_SUPPORTED.
 *
 * Return: 0, or an error of gpmu_plan_add_events()
 */
int gpmu_flow_plan(const struct gpmu_flow *flow, struct gpmu_plan *plan, struct gpmu_error *error);

/*
 * Computes the matrix from rows of a session of that plan with GPMU_AGGREGATE_MACHINE. Other
 * rows are ignored. Allocates no memory. The texts why refer to the rows and are valid as long
 * as the rows are.
 */
void gpmu_flow_update(struct gpmu_flow *flow, const struct gpmu_row *rows, size_t length);

/*
 * Returns the name of a source: "CPU 0", "PCIe 1", "GPU 0 ATS", "GPU 0 non-ATS"; NULL after the
 * last.
 */
const char *gpmu_flow_source(const struct gpmu_flow *flow, size_t source);
/* Returns the name of a memory: "CMEM 0", "GMEM 0"; NULL after the last */
const char *gpmu_flow_memory(const struct gpmu_flow *flow, size_t memory);
/* Returns the traffic between a source and a memory; NULL if there is no such source or memory */
const struct gpmu_flow_line *gpmu_flow_cell(const struct gpmu_flow *flow, size_t source,
					    size_t memory);
/* Returns a sum that was counted for several cells together; NULL after the last */
const struct gpmu_flow_line *gpmu_flow_sum(const struct gpmu_flow *flow, size_t index);
/* Return the total of a source and of a memory, of all visible traffic; NULL after the last */
const struct gpmu_flow_line *gpmu_flow_source_total(const struct gpmu_flow *flow, size_t source);
const struct gpmu_flow_line *gpmu_flow_memory_total(const struct gpmu_flow *flow, size_t memory);
/* Returns the total of all memories */
const struct gpmu_flow_line *gpmu_flow_total(const struct gpmu_flow *flow);
/* Returns the traffic between two sockets in one direction; NULL after the last */
const struct gpmu_flow_link *gpmu_flow_link(const struct gpmu_flow *flow, size_t index);
/* Returns a bandwidth that has a known peak; NULL after the last */
const struct gpmu_flow_peak *gpmu_flow_peak(const struct gpmu_flow *flow, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_FLOW_API_H */
