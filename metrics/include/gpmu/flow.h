/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flow: who reads and writes which memory */
#ifndef GPMU_FLOW_API_H
#define GPMU_FLOW_API_H

#include <gpmu/plan.h>
#include <gpmu/row.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The traffic of a Grace as a matrix: what CPUs, PCIe devices and GPUs read from and
 * write to the memory of Graces (CMEM) and GPUs (GMEM), by all that its PMUs outside
 * the cores see. metrics/traffic/flow.rst says which events each number is made of.
 *
 * gpmu_flow_new(), gpmu_flow_plan(), a session, and gpmu_flow_update() with its rows. All
 * that is asked of a flow is borrowed from it, and the numbers change with the next update.
 */
struct gpmu_flow;

enum gpmu_flow_chip {
	GPMU_FLOW_ANY,		/* look at the machine */
	GPMU_FLOW_SUPERCHIP,	/* Grace CPUs without GPUs on NVLink-C2C */
	GPMU_FLOW_HOPPER,	/* each Grace has a GPU on NVLink-C2C */
};

enum gpmu_flow_state {
	GPMU_FLOW_OK,		/* a number, which may be 0: nothing was moved */
	GPMU_FLOW_RANGE,	/* not less than low, not more than high: counts do not tell more */
	GPMU_FLOW_TOGETHER,	/* counted in a sum with other flows: gpmu_flow_sum() */
	GPMU_FLOW_INVISIBLE,	/* no PMU sees it */
	GPMU_FLOW_IDLE,		/* the clock of the PMU that sees it stood still */
	GPMU_FLOW_NOT_COUNTED,	/* a counter did not run: why says more */
	GPMU_FLOW_NOT_SUPPORTED, /* there is no such PMU or event here: why says more */
};

/**
 * struct gpmu_flow_value - a bandwidth, and what it is worth
 * @state: only GPMU_FLOW_OK and GPMU_FLOW_RANGE have numbers, others have NaN
 * @derived: 1: a difference of counts of several PMUs
 * @bytes: in the time that was counted; NaN of a range
 * @rate: bytes a second; NaN of a range
 * @low: bytes a second, of GPMU_FLOW_OK the same as @rate
 * @high: likewise
 * @share: of the time, 0 to 1, that its counters ran, the lowest of them; NaN: none did
 * @sum: of GPMU_FLOW_TOGETHER, the index for gpmu_flow_sum()
 * @why: of the states without a number, one line; else NULL
 */
struct gpmu_flow_value {
	enum gpmu_flow_state state;
	int derived;
	double bytes, rate, low, high, share;
	size_t sum;
	const char *why;
};

/**
 * struct gpmu_flow_line - what is read and written
 * @size: of this structure
 * @name: "CPU 0 -> CMEM 1", "CMEM 0"
 * @note: what to know of the numbers, one line; or NULL
 * @read: what the source reads from the memory
 * @write: what it writes to it
 */
struct gpmu_flow_line {
	size_t size;
	const char *name, *note;
	struct gpmu_flow_value read, write;
};

/**
 * struct gpmu_flow_link - traffic between sockets, as its two ends counted it
 * @size: of this structure
 * @name: "CPU 1 -> CMEM 0"
 * @note: as of a line
 * @source_read: where the requests come from; GPMU_FLOW_INVISIBLE: this end does not tell
 * @source_write: likewise
 * @home_read: where the memory is
 * @home_write: likewise
 * @imbalance_read: home / source - 1; NaN: not both are numbers, or the source counted 0.
 *	Ends differ as caches answer, and as others' traffic is in one of them: no error
 * @imbalance_write: likewise
 */
struct gpmu_flow_link {
	size_t size;
	const char *name, *note;
	struct gpmu_flow_value source_read, source_write, home_read, home_write;
	double imbalance_read, imbalance_write;
};

/**
 * struct gpmu_flow_peak - a bandwidth beside the most that there can be
 * @size: of this structure
 * @name: "CMEM 0, reads and writes"
 * @origin: of the peak: a document's figure, or a calculation from the PMU's clock
 * @value: what was moved
 * @peak: bytes a second; NaN: its clock was not counted
 * @low: @value as a share of the peak, 0 to 1; NaN: not known
 * @high: the same as @low, but of a range
 */
struct gpmu_flow_peak {
	size_t size;
	const char *name, *origin;
	struct gpmu_flow_value value;
	double peak, low, high;
};

/**
 * gpmu_flow_new() - the sources and memories of a machine
 * @machine: it must outlive the flow
 * @chip: what it is
 * @error: set on failure, or NULL
 *
 * GPMU_FLOW_ANY takes two sockets for a Superchip unless there are NUMA nodes without
 * CPUs, as GPUs on NVLink-C2C have, and any other number for Grace Hoppers.
 *
 * Return: new; NULL with errno ENODEV (no Grace PMU), EINVAL (no such chip) or ENOMEM
 */
struct gpmu_flow *gpmu_flow_new(const struct gpmu_machine *machine, enum gpmu_flow_chip chip,
				struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_flow_free(struct gpmu_flow *flow);
/* "Grace Hopper, 4 sockets" */
const char *gpmu_flow_title(const struct gpmu_flow *flow);

/**
 * gpmu_flow_plan() - adds the events that are needed to a plan
 * @flow: whose
 * @plan: of the same machine, not made yet; it may have other events and metrics
 * @error: set on failure, or NULL
 *
 * What the machine has no PMU for is left out, and its flows are not supported.
 *
 * Return: 0, or as gpmu_plan_add_events()
 */
int gpmu_flow_plan(const struct gpmu_flow *flow, struct gpmu_plan *plan, struct gpmu_error *error);

/*
 * Takes the counts of rows of a session of that plan, which are of the machine
 * (GPMU_AGGREGATE_MACHINE); other rows are ignored. Allocates nothing. Texts why are the
 * rows' own, and valid as long
 */
void gpmu_flow_update(struct gpmu_flow *flow, const struct gpmu_row *rows, size_t length);

/* "CPU 0", "PCIe 1", "GPU 0 ATS", "GPU 0 non-ATS"; NULL after the last */
const char *gpmu_flow_source(const struct gpmu_flow *flow, size_t source);
/* "CMEM 0", "GMEM 0"; NULL after the last */
const char *gpmu_flow_memory(const struct gpmu_flow *flow, size_t memory);
/* The flow from one to the other; NULL if there is no such source or memory */
const struct gpmu_flow_line *gpmu_flow_cell(const struct gpmu_flow *flow, size_t source,
					    size_t memory);
/* Below, NULL after the last. What was counted for several cells at a time */
const struct gpmu_flow_line *gpmu_flow_sum(const struct gpmu_flow *flow, size_t index);
/* All that a source sends, and that a memory gets, as far as it is visible */
const struct gpmu_flow_line *gpmu_flow_source_total(const struct gpmu_flow *flow, size_t source);
const struct gpmu_flow_line *gpmu_flow_memory_total(const struct gpmu_flow *flow, size_t memory);
/* All that all memories get */
const struct gpmu_flow_line *gpmu_flow_total(const struct gpmu_flow *flow);
/* Two sockets, in one direction */
const struct gpmu_flow_link *gpmu_flow_link(const struct gpmu_flow *flow, size_t index);
/* What has a peak */
const struct gpmu_flow_peak *gpmu_flow_peak(const struct gpmu_flow *flow, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_FLOW_API_H */
