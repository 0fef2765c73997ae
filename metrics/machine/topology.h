/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of a CPU's package, die and core, which perf's labels contain: S36-D0-C7 */
#ifndef GPMU_TOPOLOGY_H
#define GPMU_TOPOLOGY_H

#include "gpmu.h"

struct cpu_topology {
	int package;	/* -1: not known */
	int die;	/* 0 where the kernel shows none */
	int core;	/* the CPU's number where the kernel shows none */
};

/* Reads the numbers of a CPU. A node that a source describes has the package that it describes. */
struct cpu_topology topology_read(const struct gpmu_machine *machine, int cpu);

#endif /* GPMU_TOPOLOGY_H */
