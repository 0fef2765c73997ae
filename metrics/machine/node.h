/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NUMA nodes with CPUs. */
#ifndef GPMU_NODE_H
#define GPMU_NODE_H

#include "gpmu.h"
#include "machine/machine_sysfs.h"

struct gpmu_node {
	int number;
	int package;	/* or -1 */
	struct cpus cpus;
};

struct nodes {
	struct gpmu_node *list;	/* by number */
	size_t len;
	unsigned short *of_cpu;	/* of CPUS_MAX: index + 1 in the list, or 0 */
};

/* Returns as functions of machine_sysfs.h do; 0 also where there are none. */
int nodes_read(struct nodes *nodes, const struct sysfs_dir *root);
void nodes_release(struct nodes *nodes);

/* Takes another list, by number, in which are all of the nodes' own; frees their old one. */
void nodes_replace(struct nodes *nodes, struct gpmu_node *list, size_t len);

/* The node that all these CPUs are of, or NULL */
const struct gpmu_node *nodes_find(const struct nodes *nodes, const struct cpus *cpus);

#endif /* GPMU_NODE_H */
