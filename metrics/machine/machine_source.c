// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Adds a source's PMUs, nodes and GPUs to a machine. Everything is allocated before the
 * machine changes, so a failure leaves it unchanged.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "machine/pci_address.h"
#include "plugin/source_object.h"

#define MAX_SHOWN	4096	/* limit for the PMUs of a source, and for its nodes */

struct addition {
	struct gpmu_pmu **pmus;		/* the source's PMUs, sorted by name */
	size_t len;
	struct gpmu_pmu **all;		/* empty array with room for the machine's and the source's PMUs */
	struct gpmu_node *nodes;	/* the machine's and the source's nodes, sorted by number */
	size_t nodes_len;
	struct gpus *gpus;		/* the machine's GPUs, then the source's */
};

static struct gpmu_node *find_node(const struct addition *add, int number)
{
	for (size_t i = 0; i < add->nodes_len; i++)
		if (add->nodes[i].number == number)
			return &add->nodes[i];
	return NULL;
}

static int compare_nodes(const void *a, const void *b)
{
	int first = ((const struct gpmu_node *)a)->number;
	int second = ((const struct gpmu_node *)b)->number;

	return (first > second) - (first < second);
}

/*
 * Collects the nodes of the machine and the source. Copies of the machine's nodes share
 * its CPU lists.
 */
static int read_nodes(struct addition *add, const struct gpmu_machine *machine,
		      const struct gpmu_source *source, struct gpmu_error *error)
{
	const struct gpmu_source_plugin *plugin = &source->plugin;
	const struct gpmu_source_node *table;
	size_t n = 0;

	while (plugin->node && n <= MAX_SHOWN && plugin->node(source->data, n))
		n++;
	if (n > MAX_SHOWN) {
		error_set(error, 0, "source %s: expected at most %d nodes", plugin->name, MAX_SHOWN);
		return -EINVAL;
	}
	add->nodes = calloc(machine->nodes.len + n + 1, sizeof(*add->nodes));
	if (!add->nodes)
		return -ENOMEM;
	if (machine->nodes.len)
		memcpy(add->nodes, machine->nodes.list, machine->nodes.len * sizeof(*add->nodes));
	add->nodes_len = machine->nodes.len;
	for (size_t i = 0; i < n; i++) {
		struct gpmu_source_node shown = { .number = -1, .package = -1 };
		struct gpmu_node *node;

		table = plugin->node(source->data, i);
		sized_copy(&shown, sizeof(shown), table);
		if (shown.number < 0 || shown.package < -1) {
			error_set(error, 0, "source %s: expected nodes from 0, found node %d, package %d",
				  plugin->name, shown.number, shown.package);
			return -EINVAL;
		}
		node = find_node(add, shown.number);
		if (!node) {
			node = &add->nodes[add->nodes_len++];
			*node = (struct gpmu_node){ .number = shown.number, .package = shown.package };
		}
		node->has_gpu = node->has_gpu || shown.gpu_count;
	}
	qsort(add->nodes, add->nodes_len, sizeof(*add->nodes), compare_nodes);
	return 0;
}

static int compare_pmus(const void *a, const void *b)
{
	return strverscmp((*(struct gpmu_pmu *const *)a)->name, (*(struct gpmu_pmu *const *)b)->name);
}

/* Finds the PMU's GPU. */
static int read_gpu(struct addition *add, struct gpmu_pmu *pmu, const struct gpmu_source_gpu *table,
		    struct gpmu_error *error)
{
	int ret = table ? gpus_add(add->gpus, table, &pmu->gpu) : 0;

	if (ret == -EINVAL)
		error_set(error, 0, "source %s, %s: its GPU has no UUID of printable characters",
			  pmu->source->plugin.name, pmu->name);
	return ret;
}

/* Reads numa_node of a PCI device; -1 if unknown */
static int read_pci_node(const struct gpmu_machine *machine, const char *address)
{
	char path[64], text[16], *end;
	long node;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/numa_node", address);
	if (gpmu_machine_read(machine, path, text, sizeof(text)) < 0)
		return -1;
	node = strtol(text, &end, 10);
	return end == text || *end || node > INT_MAX ? -1 : (int)node;
}

/*
 * Finds the node of a GPU's PCI device, or NULL. On a Grace Hopper this is the Grace's
 * node, not the node of the GPU's memory. If firmware does not give a Grace's node, the
 * socket's number is the node's number.
 */
static struct gpmu_node *find_gpu_node(const struct addition *add,
				       const struct gpmu_machine *machine,
				       const struct gpmu_gpu *gpu)
{
	struct pci_address address;
	int node, root_port;

	if (!gpu || !gpu->pci || !pci_address_parse(gpu->pci, strlen(gpu->pci), &address))
		return NULL;
	node = read_pci_node(machine, gpu->pci);
	if (node < 0 && machine->is_grace)
		pci_grace_place(&address, &node, &root_port);
	return node < 0 ? NULL : find_node(add, node);
}

static int read_pmu(struct addition *add, const struct gpmu_machine *machine,
		    struct gpmu_source *source, size_t index,
		    const struct gpmu_source_pmu *table, struct gpmu_error *error)
{
	const struct gpmu_source_gpu *gpu;
	struct gpmu_pmu *pmu;
	const char *why;
	int number, ret;

	ret = pmu_new_shown(&pmu, table, &number, &gpu, &why);
	if (ret) {
		error_set(error, 0, "source %s, PMU %zu: it has %s", source->plugin.name, index,
			  ret == -EINVAL ? why : ERROR_NO_MEMORY);
		return ret;
	}
	add->pmus[add->len++] = pmu;
	pmu->source = source;
	pmu->source_index = index;
	ret = read_gpu(add, pmu, gpu, error);
	if (ret)
		return ret;
	if (number < 0) {
		pmu->node = find_gpu_node(add, machine, pmu->gpu);
		return 0;
	}
	pmu->node = find_node(add, number);
	if (pmu->node)
		return 0;
	error_set(error, 0, "source %s, %s: there is no node %d", source->plugin.name, pmu->name,
		  number);
	return -EINVAL;
}

static int read_pmus(struct addition *add, const struct gpmu_machine *machine,
		     struct gpmu_source *source, struct gpmu_error *error)
{
	const struct gpmu_source_plugin *plugin = &source->plugin;
	size_t n = 0;
	int ret = 0;

	while (n <= MAX_SHOWN && plugin->pmu(source->data, n))
		n++;
	if (n > MAX_SHOWN) {
		error_set(error, 0, "source %s: expected at most %d PMUs", plugin->name, MAX_SHOWN);
		return -EINVAL;
	}
	add->pmus = calloc(n + 1, sizeof(struct gpmu_pmu *));
	add->all = calloc(machine->pmus_len + n + 1, sizeof(struct gpmu_pmu *));
	if (!add->pmus || !add->all)
		return -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++)
		ret = read_pmu(add, machine, source, i, plugin->pmu(source->data, i), error);
	if (ret)
		return ret;
	qsort(add->pmus, add->len, sizeof(struct gpmu_pmu *), compare_pmus);
	for (size_t i = 1; i < add->len; i++) {
		if (!strcmp(add->pmus[i]->name, add->pmus[i - 1]->name)) {
			error_set(error, 0, "source %s: it has two PMUs %s", plugin->name,
				  add->pmus[i]->name);
			return -EINVAL;
		}
	}
	return 0;
}

static int add_reference(struct gpmu_machine *machine, struct gpmu_source *source)
{
	struct gpmu_source **added = vector_append(machine->sources, machine->sources_len);

	if (!added)
		return -ENOMEM;
	*added = source_get(source);
	return 0;
}

static void take_nodes(struct gpmu_machine *machine, struct addition *add)
{
	for (size_t i = 0; i < machine->pmus_len; i++)
		if (machine->pmus[i]->node)
			machine->pmus[i]->node = find_node(add, machine->pmus[i]->node->number);
	nodes_replace(&machine->nodes, add->nodes, add->nodes_len);
	add->nodes = NULL;
}

/* Merges the lists, both sorted by name. A source's PMU replaces the machine's PMU of the same name. */
static void take_pmus(struct gpmu_machine *machine, struct addition *add)
{
	size_t i = 0, j = 0, len = 0;

	while (i < machine->pmus_len || j < add->len) {
		int order = i == machine->pmus_len ? 1 : j == add->len ? -1 :
			    strverscmp(machine->pmus[i]->name, add->pmus[j]->name);

		if (order < 0) {
			add->all[len++] = machine->pmus[i++];
			continue;
		}
		if (!order)
			pmu_free(machine->pmus[i++]);
		add->all[len++] = add->pmus[j++];
	}
	free(machine->pmus);
	machine->pmus = add->all;
	machine->pmus_len = len;
	add->all = NULL;
	add->len = 0;
	machine_number_pcis(machine);
}

static void addition_release(struct addition *add)
{
	for (size_t i = 0; i < add->len; i++)
		pmu_free(add->pmus[i]);
	free(add->pmus);
	free(add->all);
	free(add->nodes);
}

int gpmu_machine_add_source(struct gpmu_machine *machine, struct gpmu_source *source,
			    struct gpmu_error *error)
{
	struct addition add = { .gpus = &machine->gpus };
	const size_t gpus = machine->gpus.len;
	int ret = machine_need_counters(machine, error);

	if (ret)
		return ret;
	pthread_mutex_lock(&source->lock);
	ret = read_nodes(&add, machine, source, error);
	if (!ret)
		ret = read_pmus(&add, machine, source, error);
	pthread_mutex_unlock(&source->lock);
	if (!ret)
		ret = add_reference(machine, source);
	if (!ret) {
		take_nodes(machine, &add);
		take_pmus(machine, &add);
	}
	if (ret == -ENOMEM)
		error_set(error, 0, "source %s: out of memory", source->plugin.name);
	if (ret)
		gpus_shorten(&machine->gpus, gpus);
	addition_release(&add);
	return ret;
}
