/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* traffic: memory reads and writes by source and memory */
#ifndef GPMU_TRAFFIC_API_H
#define GPMU_TRAFFIC_API_H

#include <gpmu/plan.h>
#include <gpmu/row.h>

/*
 * A struct gpmu_traffic is a matrix of memory traffic: the bytes that CPUs, PCIe devices and
 * GPUs read from and write to the memory of Graces (CMEM) and GPUs (GMEM), computed from all
 * PMUs outside the cores. metrics/traffic/traffic.rst lists the events of each number.
 *
 * A program calls gpmu_traffic_new() and gpmu_traffic_plan(), counts the plan with a session, and
 * passes the session's rows to gpmu_traffic_update(). All pointers that the functions return are
 * borrowed from the matrix; the numbers change with the next update.
 */
struct gpmu_traffic;

enum gpmu_traffic_chip {
	GPMU_TRAFFIC_ANY,		/* detect from the machine */
	GPMU_TRAFFIC_SUPERCHIP,	/* Grace CPUs without GPUs on NVLink-C2C */
	GPMU_TRAFFIC_HOPPER,	/* each Grace has a GPU on NVLink-C2C */
};

enum gpmu_traffic_state {
	GPMU_TRAFFIC_OK,		/* a number; 0: no bytes were moved */
	GPMU_TRAFFIC_RANGE,	/* between low and high, the limits that the counts give */
	GPMU_TRAFFIC_TOGETHER,	/* counted as one sum with other flows: gpmu_traffic_sum() */
	GPMU_TRAFFIC_INVISIBLE,	/* no PMU counts this traffic */
	GPMU_TRAFFIC_IDLE,		/* the clock of the PMU that counts it was stopped */
	GPMU_TRAFFIC_NOT_COUNTED,	/* a counter did not run; why gives the reason */
	GPMU_TRAFFIC_NOT_SUPPORTED, /* the machine lacks the PMU or event; why gives the reason */
};

/**
 * struct gpmu_traffic_value - a bandwidth and its reliability
 * @state: only GPMU_TRAFFIC_OK and GPMU_TRAFFIC_RANGE have numbers; other states have NaN
 * @derived: 1: a difference of counts of several PMUs
 * @bytes: bytes moved in the counted time; NaN for a range
 * @rate: bytes per second; NaN for a range
 * @low: lower limit in bytes per second; @rate for GPMU_TRAFFIC_OK
 * @high: upper limit in bytes per second; @rate for GPMU_TRAFFIC_OK
 * @share: fraction of the time that the counters ran, 0 to 1, the lowest of all counters; NaN
 *	if none ran
 * @sum: index for gpmu_traffic_sum(), for GPMU_TRAFFIC_TOGETHER
 * @why: reason of a state without a number, one line; otherwise NULL
 */
struct gpmu_traffic_value {
	enum gpmu_traffic_state state;
	int derived;
	double bytes, rate, low, high, share;
	size_t sum;
	const char *why;
};

/**
 * struct gpmu_traffic_line - reads and writes of a cell, a sum or a total
 * @size: size of this structure
 * @name: "CPU 0 -> CMEM 1", "CMEM 0"
 * @note: a caveat about the numbers, one line; or NULL
 * @read: what the source reads from the memory
 * @write: what the source writes to the memory
 */
struct gpmu_traffic_line {
	size_t size;
	const char *name, *note;
	struct gpmu_traffic_value read, write;
};

/**
 * struct gpmu_traffic_link - traffic between sockets, counted at both ends
 * @size: size of this structure
 * @name: "CPU 1 -> CMEM 0"
 * @note: a caveat about the numbers, one line; or NULL
 * @source_read: reads counted at the socket of the source; GPMU_TRAFFIC_INVISIBLE if its PMUs do
 *	not count them separately
 * @source_write: writes counted at the socket of the source
 * @home_read: reads counted at the socket of the memory
 * @home_write: writes counted at the socket of the memory
 * @alike: 1: both ends count the same reads; 0: the home counts other traffic, too, so that the
 *	two numbers cannot be compared. The ends never count the same writes
 * @imbalance: @home_read / @source_read - 1; NaN if the ends are not @alike, if one of them has no
 *	number, or if @source_read is 0
 */
struct gpmu_traffic_link {
	size_t size;
	const char *name, *note;
	struct gpmu_traffic_value source_read, source_write, home_read, home_write;
	int alike;
	double imbalance;
};

/**
 * struct gpmu_traffic_peak - a bandwidth and its peak
 * @size: size of this structure
 * @name: "CMEM 0, reads and writes"
 * @origin: origin of the peak: a figure of a document, or a calculation from the PMU's clock
 * @value: the bandwidth
 * @peak: peak in bytes per second; NaN if the clock was not counted
 * @low: @value as a fraction of the peak, 0 to 1; NaN if not known
 * @high: upper limit of that fraction for a range; otherwise @low
 */
struct gpmu_traffic_peak {
	size_t size;
	const char *name, *origin;
	struct gpmu_traffic_value value;
	double peak, low, high;
};

/**
 * gpmu_traffic_new() - creates the matrix of a machine's sources and memories
 * @machine: must outlive the matrix
 * @chip: the chip of the machine
 * @error: set on failure, or NULL
 *
 * GPMU_TRAFFIC_ANY means GPMU_TRAFFIC_SUPERCHIP for two sockets without a GPU on NVLink-C2C, and
 * GPMU_TRAFFIC_HOPPER otherwise. Such a GPU has a NUMA node without CPUs; a source shows it in the
 * socket's struct gpmu_source_node.
 *
 * Return: a new matrix; NULL with errno ENODEV (no Grace PMU), EINVAL (no such chip) or ENOMEM
 */
struct gpmu_traffic *gpmu_traffic_new(const struct gpmu_machine *machine,
				      enum gpmu_traffic_chip chip, struct gpmu_error *error);
/* Frees @traffic; NULL is allowed. */
void gpmu_traffic_free(struct gpmu_traffic *traffic);
/* Returns a title, "Grace Hopper, 4 sockets" */
const char *gpmu_traffic_title(const struct gpmu_traffic *traffic);

/**
 * gpmu_traffic_plan() - adds the events of a matrix to a plan
 * @traffic: the matrix
 * @plan: a plan of the same machine before gpmu_plan_make(); it may have other events and
 *	metrics
 * @error: set on failure, or NULL
 *
 * Events of PMUs that the machine lacks are left out. Their values are GPMU_TRAFFIC_NOT_SUPPORTED.
 *
 * Return: 0, or an error of gpmu_plan_add_events()
 */
int gpmu_traffic_plan(const struct gpmu_traffic *traffic, struct gpmu_plan *plan,
		      struct gpmu_error *error);

/*
 * Computes the matrix from rows of a session of that plan with GPMU_AGGREGATE_MACHINE. Other
 * rows are ignored. Allocates no memory. The texts why refer to the rows and are valid as long
 * as the rows are.
 */
void gpmu_traffic_update(struct gpmu_traffic *traffic, const struct gpmu_rows *rows);

/*
 * Returns the name of a source: "CPU 0", "PCIe 1", "GPU 0 ATS", "GPU 0 non-ATS"; NULL after the
 * last.
 */
const char *gpmu_traffic_source(const struct gpmu_traffic *traffic, size_t source);
/* Returns the name of a memory: "CMEM 0", "GMEM 0"; NULL after the last */
const char *gpmu_traffic_memory(const struct gpmu_traffic *traffic, size_t memory);
/* Returns the traffic between a source and a memory; NULL if there is no such source or memory */
const struct gpmu_traffic_line *gpmu_traffic_cell(const struct gpmu_traffic *traffic, size_t source,
						  size_t memory);
/* Returns a sum that was counted for several cells together; NULL after the last */
const struct gpmu_traffic_line *gpmu_traffic_sum(const struct gpmu_traffic *traffic, size_t index);
/* Return the total of a source and of a memory, of all visible traffic; NULL after the last */
const struct gpmu_traffic_line *gpmu_traffic_source_total(const struct gpmu_traffic *traffic,
							  size_t source);
const struct gpmu_traffic_line *gpmu_traffic_memory_total(const struct gpmu_traffic *traffic,
							  size_t memory);
/* Returns the total of all memories */
const struct gpmu_traffic_line *gpmu_traffic_total(const struct gpmu_traffic *traffic);
/* Returns the traffic between two sockets in one direction; NULL after the last */
const struct gpmu_traffic_link *gpmu_traffic_link(const struct gpmu_traffic *traffic, size_t index);
/* Returns a bandwidth that has a known peak; NULL after the last */
const struct gpmu_traffic_peak *gpmu_traffic_peak(const struct gpmu_traffic *traffic, size_t index);

#endif /* GPMU_TRAFFIC_API_H */
