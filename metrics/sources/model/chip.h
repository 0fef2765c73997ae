/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of a Grace chip: its PMUs, their events and, for each kind of
 * traffic, the PMU and the events that count it.
 *
 * Constant tables only. Sources: the NVIDIA Grace performance tuning guide
 * (chapter on hardware counters: "traffic coverage" and event tables) and the
 * kernel's Documentation/admin-guide/perf/nvidia-tegra241-pmu.rst, which adds
 * systems of several Grace Hopper sockets and strongly-ordered PCIe writes.
 */
#ifndef GPMU_MODEL_CHIP_H
#define GPMU_MODEL_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of elements of an array, not of a pointer */
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define CHIP_MAX_SOCKETS	4
#define CHIP_ROOT_PORTS		10	/* of the PCIe PMU, one filter bit each */
#define CHIP_C2C_PORTS		2	/* of the NVLink-C2C PMUs, likewise */

/* The cycle counter's event number; events proper are below 2^32. */
#define CHIP_EVENT_CYCLES	0x100000000ull

enum pmu_kind {
	PMU_SCF,
	PMU_PCIE,
	PMU_C2C0,
	PMU_C2C1,
	PMU_CNVLINK,
	PMU_FOREIGN,		/* another implementer's: counts nothing */
	PMU_KINDS,
};

enum initiator {
	INIT_CPU,
	INIT_PCIE,
	INIT_GPU_ATS,		/* ATS-translated or EGM */
	INIT_GPU_NATS,		/* not ATS-translated */
};

enum memory {
	MEM_CMEM,		/* LPDDR of a Grace */
	MEM_GMEM,		/* HBM of a coherent GPU */
};

/* Operations, as bits so that a table row can name several. */
enum {
	OP_RD = 1,
	OP_WB = 2,		/* write-back of a CPU cache line */
	OP_WR = 4,		/* write-unique, non-coherent or relaxed-ordered */
	OP_WR_STRONG = 8,	/* strongly-ordered PCIe write */
};

/* Groups of events that count the same traffic. */
enum family {
	FAM_CLOCK,		/* cycles, whatever the traffic */
	FAM_CACHE,		/* scf_cache* */
	FAM_CMEM,		/* cmem_* */
	FAM_GMEM,		/* gmem_* */
	FAM_SOCKET,		/* socket_N_*, remote_socket_* */
	FAM_LOC,		/* *_loc */
	FAM_REM,		/* *_rem */
};

/* The quantity that an event sums up over the operations that it counts. */
enum measure {
	MEASURE_REQUESTS,
	MEASURE_BYTES,
	MEASURE_BEATS,		/* of 32 bytes */
	MEASURE_OUTSTANDING,	/* requests in flight, summed over cycles */
	MEASURE_ALLOCATED,	/* requests that take a line of the SCF cache */
	MEASURE_MEMORY,		/* requests that reach the memory */
	MEASURE_CYCLES,
};

#define EVENT_ANY_SOCKET	(-1)

struct chip_event {
	const char *name;
	uint64_t id;
	enum family family;
	unsigned int ops;	/* OP_* bits that it counts */
	enum measure measure;
	int socket;		/* of socket_N_*: N, else EVENT_ANY_SOCKET */
};

/* Where the PMU of a coverage row is. */
enum place {
	AT_SOURCE,		/* the initiator's socket */
	AT_HOME,		/* the memory's socket */
};

/*
 * One row of the coverage tables: @family of the PMU @kind in the socket @place
 * counts the traffic of these initiators to these memories, local or remote, with
 * these operations.
 */
struct chip_coverage {
	unsigned int initiators;	/* 1 << INIT_* bits */
	unsigned int memories;		/* 1 << MEM_* bits */
	bool is_remote;
	unsigned int ops;
	enum pmu_kind kind;
	enum place place;
	enum family family;
};

struct chip {
	const char *name;
	unsigned int socket_counts;	/* bit N set: N sockets are built */
	bool has_gpu;
	const struct chip_coverage *coverage;
	size_t coverage_len;
};

/* The chip of that name in a board file ("superchip", "gracehopper") or NULL. */
const struct chip *chip_find(const char *name);

/* Returns whether systems with that many sockets of the chip exist. */
bool chip_has_sockets(const struct chip *chip, unsigned int sockets);

/* "scf", "pcie", ... as in board and scenario files. */
const char *chip_kind_name(enum pmu_kind kind);
/* The kind of that name; PMU_KINDS if there is none. */
enum pmu_kind chip_kind_find(const char *name);

/* The event of that number; NULL: the PMU then counts nothing. */
const struct chip_event *chip_event(enum pmu_kind kind, uint64_t id);
/* All events of a kind; their number goes to @len. */
const struct chip_event *chip_events(enum pmu_kind kind, size_t *len);

/* The model's clock of a PMU in Hz where a scenario does not set one. */
uint64_t chip_default_clock(enum pmu_kind kind);

#endif /* GPMU_MODEL_CHIP_H */
