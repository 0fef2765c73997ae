// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the machine's sockets, and whether they have GPUs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "traffic/traffic.h"
#include "machine/machine.h"

#define MAX_NODES	64	/* nodes that are checked */

static void add_socket(struct gpmu_traffic *traffic, int number)
{
	size_t i = 0, j;

	if (number < 0)
		return;
	while (i < traffic->socket_count && traffic->sockets[i] < number)
		i++;
	if ((i < traffic->socket_count && traffic->sockets[i] == number) ||
	    traffic->socket_count == TRAFFIC_MAX_SOCKETS)
		return;
	for (j = traffic->socket_count++; j > i; j--)
		traffic->sockets[j] = traffic->sockets[j - 1];
	traffic->sockets[i] = number;
}

static bool is_grace(const struct gpmu_pmu *pmu)
{
	return gpmu_pmu_kind(pmu) >= GPMU_PMU_SCF;
}

/* Returns whether the PMUs belong to the kernel only, not to a source. */
static bool find_sockets(struct gpmu_traffic *traffic)
{
	const struct gpmu_machine *machine = traffic->machine;
	const struct gpmu_pmu *pmu;
	const struct gpmu_node *node;
	bool has_own = true;
	size_t i;

	for (i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (is_grace(pmu)) {
			add_socket(traffic, gpmu_pmu_number(pmu));
			has_own = has_own && !gpmu_pmu_source(pmu);
		}
	/* A Grace whose PMUs are all missing is also a socket. */
	if (traffic->socket_count && has_own && gpmu_midr_is_neoverse_v2(gpmu_machine_midr(machine)))
		for (i = 0; (node = gpmu_machine_node(machine, i)); i++)
			add_socket(traffic, gpmu_node_number(node));
	return has_own;
}

static bool source_has_gpu(const struct gpmu_machine *machine)
{
	const struct gpmu_node *node;

	for (size_t i = 0; (node = gpmu_machine_node(machine, i)); i++)
		if (node->has_gpu)
			return true;
	return false;
}

/* A GPU on NVLink-C2C appears as NUMA nodes with memory but no CPUs. */
static bool has_gpu_node(const struct gpmu_machine *machine)
{
	char path[64], text[64];

	for (int node = 0; node < MAX_NODES; node++) {
		snprintf(path, sizeof(path), "sys/devices/system/node/node%d/cpulist", node);
		if (!gpmu_machine_read(machine, path, text, sizeof(text)) && !*text)
			return true;
	}
	return false;
}

int traffic_look(struct gpmu_traffic *traffic, enum gpmu_traffic_chip chip,
		 struct gpmu_error *error)
{
	bool has_own = find_sockets(traffic);

	if (!traffic->socket_count) {
		error_set(error, 0, "no PMU of NVIDIA Grace here; \"gpmu doctor\" reports why");
		return -ENODEV;
	}
	if (chip == GPMU_TRAFFIC_ANY)
		chip = traffic->socket_count == 2 &&
			!(has_own ? has_gpu_node(traffic->machine) : source_has_gpu(traffic->machine)) ?
			       GPMU_TRAFFIC_SUPERCHIP :
			       GPMU_TRAFFIC_HOPPER;
	switch (chip) {
	case GPMU_TRAFFIC_SUPERCHIP:
		traffic->chip = TRAFFIC_SUPERCHIP;
		break;
	case GPMU_TRAFFIC_HOPPER:
		traffic->chip = traffic->socket_count == 1 ? TRAFFIC_HOPPER : TRAFFIC_HOPPERS;
		break;
	default:
		error_set(error, 0, "expected a kind of Grace, found %d", (int)chip);
		return -EINVAL;
	}
	traffic->initiator_count = traffic->chip == TRAFFIC_SUPERCHIP ? TRAFFIC_PCIE + 1 :
								     TRAFFIC_INITIATORS;
	traffic->kind_count = traffic->chip == TRAFFIC_SUPERCHIP ? 1 : 2;
	return 0;
}
