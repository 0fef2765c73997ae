// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * AUXTRACE_INFO of SPE: perf 6.1 to 6.12 write two numbers, later versions a head whose second number is its length,
 * and for each CPU a magic number, the CPU, the number of parameters, and these. See Linux's
 * tools/perf/util/arm-spe.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cpus.h"
#include "base/vector.h"
#include "profile/profile_machine.h"

#define FIRST_SIZE	2	/* numbers of the first version */
#define VERSION		2	/* of a head */
#define MAGIC		0x1010101010101010ULL	/* of a CPU */

enum { HEAD_VERSION, HEAD_LENGTH, HEAD_PMU, HEAD_CPUS, HEAD_MIN };
enum { CPU_MAGIC, CPU_NUMBER, CPU_PARAMETERS, CPU_MIDR };

static int add_cpus(struct profile_machine *machine, const struct gpmu_perfdata_node *node)
{
	struct cpus cpus;
	int ret = cpus_parse(&cpus, node->cpus);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	for (size_t i = 0; i < cpus.len && !ret; i++)
		ret = map_set(&machine->nodes, (uint64_t)cpus.ids[i], node->node);
	cpus_release(&cpus);
	return ret;
}

/* Sets for the number of each node whether it has no CPUs. Returns 0 or -ENOMEM. */
static int find_bare(struct map *bare, const struct gpmu_perfdata_info *info)
{
	int ret = 0;

	for (size_t i = 0; i < info->node_count && !ret; i++)
		ret = map_set(bare, info->nodes[i].node, !info->nodes[i].cpus || !*info->nodes[i].cpus);
	return ret;
}

/* A node that NUMA_TOPOLOGY lacks is taken for one with CPUs. */
static bool has_cpus(const struct map *bare, uint64_t node)
{
	uint32_t is_bare;

	return !map_get(bare, node, &is_bare) || !is_bare;
}

static bool has_block(const struct gpmu_perfdata_memory *memory, uint64_t bit)
{
	return bit < memory->bits && memory->words[bit / 64] >> bit % 64 & 1;
}

/* Appends the ranges of a node, which have the kind of memory @kind, to @ranges. */
static int add_ranges(struct gpmu_spe_memory *ranges, const struct gpmu_perfdata_memory *memory, uint64_t bytes,
		      enum gpmu_spe_memory_kind kind)
{
	struct gpmu_spe_range *range;

	if (!bytes || memory->node > INT_MAX)
		return 0;
	for (uint64_t bit = 0, last; bit < memory->bits && bit < UINT64_MAX / bytes - 1; bit = last + 1) {
		for (last = bit; has_block(memory, last); last++)
			;
		if (last == bit || last >= UINT64_MAX / bytes)
			continue;
		range = vector_append(ranges->ranges, ranges->count);
		if (!range)
			return -ENOMEM;
		*range = (struct gpmu_spe_range){
			.begin = bit * bytes, .end = last * bytes, .node = (int)memory->node, .kind = kind };
	}
	return 0;
}

/* The ranges are added in the order of addresses: each of them is then the last one. A range that overlaps another is dropped. */
static int read_memory(struct profile_machine *machine, const struct gpmu_perfdata_info *info)
{
	struct gpmu_spe_memory ranges = { 0 };
	struct map bare = { 0 };
	int ret = find_bare(&bare, info);

	/* Without a list of nodes, the nodes that have CPUs are not known. */
	for (size_t i = 0; i < info->memory_count && info->node_count && !ret; i++)
		ret = add_ranges(&ranges, &info->memory[i], info->block_bytes,
				 gpmu_spe_memory_kind_of(has_cpus(&bare, info->memory[i].node), machine->midr));
	vector_sort_size(ranges.ranges, ranges.count, sizeof(*ranges.ranges), compare_first);
	for (size_t i = 0; i < ranges.count && ret != -ENOMEM; i++)
		ret = gpmu_spe_memory_add(&machine->memory, &ranges.ranges[i]);
	gpmu_spe_memory_release(&ranges);
	map_release(&bare);
	return ret == -ENOMEM ? ret : 0;
}

static void explain_homes(struct profile_machine *machine, const struct gpmu_perfdata_info *info)
{
	if (machine->memory.count)
		return;
	if (info->memory_version > 1)
		snprintf(machine->no_homes, sizeof(machine->no_homes), "version %llu of MEM_TOPOLOGY is not known",
			 (unsigned long long)info->memory_version);
	else
		snprintf(machine->no_homes, sizeof(machine->no_homes), "no list of %s could be read from the recording",
			 info->node_count ? "the nodes' memory blocks" : "NUMA nodes");
}

int profile_machine_read(struct profile_machine *machine, const struct gpmu_perfdata_info *info)
{
	int ret = 0;

	if (!machine->midr && info->cpuid && !strncmp(info->cpuid, "0x", 2))
		machine->midr = strtoull(info->cpuid, NULL, 16);
	for (size_t i = 0; i < info->node_count && !ret; i++)
		ret = info->nodes[i].cpus ? add_cpus(machine, &info->nodes[i]) : 0;
	if (!ret)
		ret = read_memory(machine, info);
	explain_homes(machine, info);
	return ret;
}

/* Adds the CPU whose numbers begin at @index. Returns the count of its numbers; 0 if they are malformed; or -ENOMEM. */
static ssize_t add_cpu(struct profile_machine *machine, const struct gpmu_perfdata_auxtrace_info *info, size_t index)
{
	const uint64_t *cpu = info->priv + index;

	if (info->count - index <= CPU_MIDR || cpu[CPU_MAGIC] != MAGIC || !cpu[CPU_PARAMETERS] ||
	    cpu[CPU_PARAMETERS] > info->count - index - CPU_MIDR)
		return 0;
	if (!machine->midr)
		machine->midr = cpu[CPU_MIDR];
	if (map_set(&machine->midrs, cpu[CPU_NUMBER], (uint32_t)cpu[CPU_MIDR]))
		return -ENOMEM;
	return (ssize_t)(CPU_MIDR + cpu[CPU_PARAMETERS]);
}

int profile_machine_add_spe(struct profile_machine *machine, struct gpmu_perfdata *perfdata,
			    const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_auxtrace_info *info = &record->auxtrace_info;
	const uint64_t *priv = info->priv;
	ssize_t size;
	size_t index;

	if (info->count <= FIRST_SIZE) {
		machine->spe = info->count ? priv[0] : 0;
		return 0;
	}
	machine->spe = priv[HEAD_PMU];
	machine->unknown_version = priv[HEAD_VERSION] != VERSION ? priv[HEAD_VERSION] : 0;
	if (info->count < HEAD_MIN || priv[HEAD_LENGTH] < HEAD_MIN || priv[HEAD_LENGTH] > info->count) {
		gpmu_perfdata_note_damage(perfdata, record->offset,
					  "expected AUXTRACE_INFO of SPE with a header that fits into the record");
		return 0;
	}
	index = (size_t)priv[HEAD_LENGTH];
	for (uint64_t i = 0; i < priv[HEAD_CPUS]; i++, index += (size_t)size) {
		size = add_cpu(machine, info, index);
		if (size < 0)
			return (int)size;
		if (!size) {
			gpmu_perfdata_note_damage(perfdata, record->offset,
						  "expected AUXTRACE_INFO of SPE with the magic number and "
						  "the parameters of each CPU");
			return 0;
		}
	}
	return 0;
}

int profile_machine_node(const struct profile_machine *machine, uint32_t cpu)
{
	uint32_t node;

	return map_get(&machine->nodes, cpu, &node) && node <= INT_MAX ? (int)node : -1;
}

uint64_t profile_machine_midr(const struct profile_machine *machine, uint32_t cpu)
{
	uint32_t midr;

	return map_get(&machine->midrs, cpu, &midr) ? midr : machine->midr;
}

void profile_machine_release(struct profile_machine *machine)
{
	map_release(&machine->nodes);
	map_release(&machine->midrs);
	gpmu_spe_memory_release(&machine->memory);
}
