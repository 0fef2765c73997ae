/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perfdata info: facts in a perf.data about the machine and the recording */
#ifndef GPMU_PERFDATA_INFO_API_H
#define GPMU_PERFDATA_INFO_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A NUMA node (NUMA_TOPOLOGY) */
struct gpmu_perfdata_node {
	uint32_t node;
	char *cpus;		/* list of CPUs, "0-71"; "": none */
};

/* The memory blocks of a node (MEM_TOPOLOGY): bit n is the block from n * block_bytes on */
struct gpmu_perfdata_memory {
	uint64_t node;
	uint64_t bits;		/* number of bits */
	uint64_t *words;
};

struct gpmu_perfdata_pmu {
	uint32_t type;
	char *name;
};

/* A capability of a PMU (PMU_CAPS) */
struct gpmu_perfdata_cap {
	char *name, *value;
};

struct gpmu_perfdata_build_id {
	uint8_t id[20];
	size_t size;
	char *file;
};

/* The perf clock as a function of the CPU's counter (TIME_CONV) */
struct gpmu_perfdata_time_conv {
	uint64_t shift, mult, zero;	/* mult 0: not recorded */
	uint64_t cycles, mask;
	bool is_short;			/* cycles and mask are valid */
};

static inline bool gpmu_perfdata_has_times(const struct gpmu_perfdata_time_conv *conv)
{
	return conv->mult && conv->shift < 64;
}

/*
 * Time of a value of the counter, in ns, if gpmu_perfdata_has_times(). The formula is in the documentation of struct
 * perf_event_mmap_page in <linux/perf_event.h>.
 */
static inline uint64_t gpmu_perfdata_time_of(const struct gpmu_perfdata_time_conv *conv, uint64_t cycles)
{
	if (conv->is_short)
		cycles = conv->cycles + ((cycles - conv->cycles) & conv->mask);
	return conv->zero + (cycles >> conv->shift) * conv->mult +
	       (((cycles & ((1ULL << conv->shift) - 1)) * conv->mult) >> conv->shift);
}

/* Members that the file lacks are NULL or 0. */
struct gpmu_perfdata_info {
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_online;
	char **args;			/* perf's command line */
	size_t arg_count;
	struct gpmu_perfdata_node *nodes;
	size_t node_count;
	uint64_t memory_version;	/* of MEM_TOPOLOGY. Version 1 is read */
	uint64_t block_bytes;
	struct gpmu_perfdata_memory *memory;
	size_t memory_count;
	struct gpmu_perfdata_pmu *pmus;
	size_t pmu_count;
	struct gpmu_perfdata_cap *caps;
	size_t cap_count;
	struct gpmu_perfdata_build_id *build_ids;
	size_t build_id_count;
	struct gpmu_perfdata_time_conv time_conv;
	bool is_stat;			/* made by perf stat record (STAT) */
};

#endif /* GPMU_PERFDATA_INFO_API_H */
