/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPUs and the memory of the machine of a recording */
#ifndef GPMU_PROFILE_MACHINE_H
#define GPMU_PROFILE_MACHINE_H

#include <stdint.h>

#include "base/map.h"
#include "perfdata/gpmu_perfdata.h"
#include "spe/gpmu_spe.h"

/* Zeroed: nothing is known */
struct profile_machine {
	struct map nodes;	/* of CPUs */
	struct map midrs;	/* of CPUs that AUXTRACE_INFO names */
	uint64_t midr;		/* of other CPUs; 0: not known */
	uint64_t spe;		/* type of SPE's PMU */
	uint64_t unknown_version;	/* of AUXTRACE_INFO; 0: it is known */
	struct gpmu_spe_memory memory;
	char no_homes[96];	/* why memory is empty */
};

/* Takes nodes, memory and CPUs from the recording. Returns 0 or -ENOMEM. */
int profile_machine_read(struct profile_machine *machine, const struct gpmu_perfdata_info *info);
/* Takes an AUXTRACE_INFO of SPE, whose damage @perfdata reports after the last record. Returns 0 or -ENOMEM. */
int profile_machine_add_spe(struct profile_machine *machine, struct gpmu_perfdata *perfdata,
			    const struct gpmu_perfdata_record *record);
/* NUMA node of a CPU; -1: not known */
int profile_machine_node(const struct profile_machine *machine, uint32_t cpu);
/* MIDR_EL1 of a CPU; 0: not known */
uint64_t profile_machine_midr(const struct profile_machine *machine, uint32_t cpu);
void profile_machine_release(struct profile_machine *machine);

#endif /* GPMU_PROFILE_MACHINE_H */
