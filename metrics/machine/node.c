// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "machine/node.h"

/*
 * Number of CPUs whose package must be read: one if the first CPU's package contains all
 * of the node's CPUs, else all. Linux before 5.3 does not list a package's CPUs.
 */
static int cpus_to_read(const struct gpmu_node *node, const struct sysfs_dir *cpus, size_t *n)
{
	struct cpus package;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "cpu%d/topology/package_cpus_list", cpus_first(&node->cpus));
	ret = sysfs_cpus(cpus, path, &package);
	*n = !ret && cpus_are_within(&node->cpus, &package) ? 1 : node->cpus.len;
	cpus_release(&package);
	return sysfs_optional(ret);
}

/* Sets the package that contains all CPUs of the node, else -1. */
static int read_package(struct gpmu_node *node, const struct sysfs_dir *cpus)
{
	char path[64];
	int64_t package, first = -1;
	size_t n;
	int ret = cpus_to_read(node, cpus, &n);

	node->package = -1;
	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "cpu%d/topology/physical_package_id",
			 node->cpus.ids[i]);
		ret = sysfs_number(cpus, path, -1, INT_MAX, &package);
		if (ret)
			return sysfs_optional(ret);
		if (i && package != first)
			return 0;
		first = package;
	}
	node->package = (int)first;
	return 0;
}

/* Records the node of each CPU. Fails on a CPU in two nodes, which would be counted twice. */
static int claim_cpus(struct nodes *nodes, const struct cpus *cpus, const struct sysfs_dir *dir, const char *name)
{
	if (!nodes->of_cpu)
		nodes->of_cpu = calloc(CPUS_MAX, sizeof(*nodes->of_cpu));
	if (!nodes->of_cpu)
		return -ENOMEM;
	for (size_t i = 0; i < cpus->len; i++)
		if (nodes->of_cpu[cpus->ids[i]])
			return sysfs_warn(dir, name, "expected CPUs of no other node, found %d",
					  cpus->ids[i]);
	for (size_t i = 0; i < cpus->len; i++)
		nodes->of_cpu[cpus->ids[i]] = (unsigned short)(nodes->len + 1);
	return 0;
}

/* The nodes that are being read, and the folder of the CPUs */
struct reading {
	struct nodes *nodes;
	struct sysfs_dir cpus;
};

/* Adds a node; one without CPUs is memory only, such as a GPU's. */
static int add_node(void *user, const struct sysfs_dir *dir, const struct sysfs_names *names, size_t index)
{
	const char *name = names->names[index];
	struct reading *reading = user;
	struct gpmu_node *added, node = { 0 };
	struct sysfs_dir folder;
	int64_t number;
	int ret;

	if (strncmp(name, "node", 4) || !sysfs_parse_number(name + 4, 0, INT_MAX, &number))
		return 0;
	ret = sysfs_open(&folder, dir, name);
	if (!ret) {
		ret = sysfs_cpus(&folder, "cpulist", &node.cpus);
		sysfs_close(&folder);
	}
	if (!ret)
		ret = claim_cpus(reading->nodes, &node.cpus, dir, name);
	added = ret || !node.cpus.len ? NULL : vector_append(reading->nodes->list, reading->nodes->len);
	if (!added) {
		ret = ret || !node.cpus.len ? ret : -ENOMEM;
		cpus_release(&node.cpus);
		return sysfs_optional(ret);
	}
	*added = node;
	added->number = (int)number;
	return read_package(added, &reading->cpus);
}

int nodes_read(struct nodes *nodes, const struct sysfs_dir *root)
{
	struct reading reading = { .nodes = nodes };
	int ret = sysfs_open(&reading.cpus, root, "sys/devices/system/cpu");

	if (!ret) {
		ret = sysfs_each(root, "sys/devices/system/node", add_node, &reading);
		sysfs_close(&reading.cpus);
	}
	return sysfs_optional(ret);
}

void nodes_release(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->len; i++)
		cpus_release(&nodes->list[i].cpus);
	free(nodes->list);
	free(nodes->of_cpu);
	*nodes = (struct nodes){ 0 };
}

void nodes_replace(struct nodes *nodes, struct gpmu_node *list, size_t len)
{
	free(nodes->list);
	nodes->list = list;
	nodes->len = len;
	for (size_t i = 0; i < len; i++)
		for (size_t j = 0; j < list[i].cpus.len; j++)
			nodes->of_cpu[list[i].cpus.ids[j]] = (unsigned short)(i + 1);
}

const struct gpmu_node *nodes_find(const struct nodes *nodes, const struct cpus *cpus)
{
	const struct gpmu_node *node;

	if (!nodes->of_cpu || !cpus->len || !nodes->of_cpu[cpus_first(cpus)])
		return NULL;
	node = &nodes->list[nodes->of_cpu[cpus_first(cpus)] - 1];
	return cpus_are_within(cpus, &node->cpus) ? node : NULL;
}

int gpmu_node_number(const struct gpmu_node *node)
{
	return node->number;
}

int gpmu_node_package(const struct gpmu_node *node)
{
	return node->package;
}

size_t gpmu_node_cpus(const struct gpmu_node *node, const int **cpus)
{
	if (cpus)
		*cpus = node->cpus.ids;
	return node->cpus.len;
}
