/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NUMA nodes that have CPUs. */
#ifndef GPMU_NODE_H
#define GPMU_NODE_H

#include <stdbool.h>

#include "gpmu.h"
#include "machine/sysfs.h"

struct gpmu_node {
	int number;
	int package;	/* -1: unknown */
	bool has_gpu;	/* a source has a GPU on its socket's NVLink-C2C */
	struct cpus cpus;
};

struct nodes {
	struct gpmu_node *list;	/* sorted by number */
	size_t len;
	unsigned short *of_cpu;	/* for each CPU below CPUS_MAX: index in list + 1, or 0 */
};

/*
 * Reads nodes into an empty struct; there may be none. Returns errors as functions of sysfs.h do; the caller releases the nodes in
 * any case.
 */
int nodes_read(struct nodes *nodes, const struct sysfs_dir *root);
void nodes_release(struct nodes *nodes);

/*
 * Replaces the list by one that is sorted by number and contains all present nodes; frees
 * the old array.
 */
void nodes_replace(struct nodes *nodes, struct gpmu_node *list, size_t len);

/* Node that contains all these CPUs, or NULL */
const struct gpmu_node *nodes_find(const struct nodes *nodes, const struct cpus *cpus);

#endif /* GPMU_NODE_H */
