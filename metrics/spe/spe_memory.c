// SPDX-License-Identifier: LGPL-2.1-or-later
/* Physical memory by node, and the home of a record's data in it */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "machine/machine.h"
#include "spe/gpmu_spe.h"

#define MEMORY	"sys/devices/system/memory"
#define NODES	"sys/devices/system/node"

/* Index of the first range that ends after @address */
static size_t find(const struct gpmu_spe_memory *memory, uint64_t address)
{
	size_t low = 0, step;

	/* Without a branch on the address, as those of samples are random. */
	for (size_t left = memory->count; left; left -= step) {
		step = (left + 1) / 2;
		low += memory->ranges[low + step - 1].end <= address ? step : 0;
	}
	return low;
}

static bool joins(const struct gpmu_spe_range *range, const struct gpmu_spe_range *next)
{
	return range->end == next->begin && range->node == next->node && range->kind == next->kind;
}

int gpmu_spe_memory_add(struct gpmu_spe_memory *memory, const struct gpmu_spe_range *range)
{
	size_t index = find(memory, range->begin);
	struct gpmu_spe_range *ranges = memory->ranges;

	if (range->begin >= range->end || (index < memory->count && ranges[index].begin < range->end))
		return -EINVAL;
	if (index && joins(&ranges[index - 1], range)) {
		ranges[index - 1].end = range->end;
	} else {
		if (!vector_append(memory->ranges, memory->count))
			return -ENOMEM;
		ranges = memory->ranges;
		memmove(&ranges[index + 1], &ranges[index], (memory->count - index - 1) * sizeof(*ranges));
		ranges[index++] = *range;
	}
	if (index < memory->count && joins(&ranges[index - 1], &ranges[index])) {
		ranges[index - 1].end = ranges[index].end;
		memory->count--;
		memmove(&ranges[index], &ranges[index + 1], (memory->count - index) * sizeof(*ranges));
	}
	return 0;
}

void gpmu_spe_memory_release(struct gpmu_spe_memory *memory)
{
	free(memory->ranges);
	*memory = (struct gpmu_spe_memory){ 0 };
}

/* "8000000": hexadecimal without a prefix */
static int read_block_size(const struct sysfs_dir *folder, uint64_t *size)
{
	const char *text;
	char *end;
	int ret = sysfs_text(folder, "block_size_bytes", &text);

	if (ret)
		return ret;
	errno = 0;
	*size = strtoull(text, &end, 16);
	if (errno || *end || !*size)
		return sysfs_warn(folder, "block_size_bytes", "expected a hexadecimal number above 0");
	return 0;
}

/* memoryN in a node's folder is block N. */
static int add_block(struct gpmu_spe_memory *memory, const struct sysfs_dir *folder, const char *name,
		     uint64_t size, struct gpmu_spe_range range)
{
	int64_t number;
	int ret;

	if (strncmp(name, "memory", 6) || !sysfs_parse_number(name + 6, 0, INT64_MAX, &number))
		return 0;
	if (__builtin_mul_overflow((uint64_t)number, size, &range.begin) ||
	    __builtin_add_overflow(range.begin, size, &range.end))
		return sysfs_warn(folder, name, "expected an address below 2^64");
	ret = gpmu_spe_memory_add(memory, &range);
	return ret == -EINVAL ? sysfs_warn(folder, name, "expected memory of no other node") : ret;
}

enum gpmu_spe_memory_kind gpmu_spe_memory_kind_of(int has_cpus, uint64_t midr)
{
	if (has_cpus)
		return GPMU_SPE_MEMORY_CPU;
	return gpmu_midr_is_neoverse_v2(midr) ? GPMU_SPE_MEMORY_GPU : GPMU_SPE_MEMORY_BARE;
}

static int add_node(struct gpmu_spe_memory *memory, const struct sysfs_dir *nodes, const char *name,
		    uint64_t size, uint64_t midr)
{
	struct gpmu_spe_range range = { 0 };
	struct sysfs_names names = { 0 };
	struct sysfs_dir folder;
	struct cpus cpus;
	int64_t number;
	int ret;

	if (strncmp(name, "node", 4) || !sysfs_parse_number(name + 4, 0, INT_MAX, &number))
		return 0;
	ret = sysfs_open(&folder, nodes, name);
	if (ret)
		return ret;
	ret = sysfs_needed(&folder, "cpulist", sysfs_cpus(&folder, "cpulist", &cpus));
	if (ret)
		goto close;
	range.node = (int)number;
	range.kind = gpmu_spe_memory_kind_of(cpus.len != 0, midr);
	cpus_release(&cpus);
	ret = sysfs_list(&folder, &names);
	for (size_t i = 0; i < names.len && !ret; i++)
		ret = add_block(memory, &folder, names.names[i], size, range);
	sysfs_names_release(&names);
close:
	sysfs_close(&folder);
	return ret;
}

static int read_nodes(struct gpmu_spe_memory *memory, const struct sysfs_dir *root, uint64_t size, uint64_t midr)
{
	struct sysfs_names names = { 0 };
	struct sysfs_dir nodes;
	int ret = sysfs_open(&nodes, root, NODES);

	if (ret)
		return ret;
	ret = sysfs_list(&nodes, &names);
	for (size_t i = 0; i < names.len && !ret; i++)
		ret = add_node(memory, &nodes, names.names[i], size, midr);
	sysfs_names_release(&names);
	sysfs_close(&nodes);
	return ret;
}

int gpmu_spe_memory_read(struct gpmu_spe_memory *memory, const struct gpmu_machine *machine)
{
	struct warnings warnings = { 0 };
	struct sysfs sysfs = { .warnings = &warnings, .text = malloc(SYSFS_MAX_TEXT + 1) };
	struct sysfs_dir root = { .sysfs = &sysfs, .fd = machine->fd }, folder;
	uint64_t size = 0;
	int ret;

	*memory = (struct gpmu_spe_memory){ 0 };
	if (!sysfs.text)
		return -ENOMEM;
	/* The machine may not have read its CPUs yet. */
	ret = machine_need_counters(machine, NULL);
	if (!ret)
		ret = sysfs_open(&folder, &root, MEMORY);
	if (!ret) {
		ret = read_block_size(&folder, &size);
		sysfs_close(&folder);
	}
	if (!ret)
		ret = read_nodes(memory, &root, size, machine->midr);
	free(sysfs.text);
	warnings_release(&warnings);
	if (ret)
		gpmu_spe_memory_release(memory);
	return ret == -ENOENT ? 0 : ret;
}

static const char *const home_names[GPMU_SPE_HOMES] = {
	[GPMU_SPE_HOME_NONE] = "none",
	[GPMU_SPE_HOME_ABSENT] = "not recorded",
	[GPMU_SPE_HOME_UNKNOWN] = "not known",
	[GPMU_SPE_HOME_OUTSIDE] = "no node",
	[GPMU_SPE_HOME_CPU] = "CPU memory",
	[GPMU_SPE_HOME_LOCAL] = "local CPU memory",
	[GPMU_SPE_HOME_OTHER] = "other CPU memory",
	[GPMU_SPE_HOME_GPU] = "GPU memory",
	[GPMU_SPE_HOME_BARE] = "memory without CPUs",
};

static enum gpmu_spe_home_kind kind_of(const struct gpmu_spe_range *range, int node)
{
	if (range->kind != GPMU_SPE_MEMORY_CPU)
		return range->kind == GPMU_SPE_MEMORY_GPU ? GPMU_SPE_HOME_GPU : GPMU_SPE_HOME_BARE;
	if (node < 0)
		return GPMU_SPE_HOME_CPU;
	return range->node == node ? GPMU_SPE_HOME_LOCAL : GPMU_SPE_HOME_OTHER;
}

struct gpmu_spe_home gpmu_spe_home(const struct gpmu_spe_record *record, const struct gpmu_spe_memory *memory,
				   int node)
{
	const uint64_t address = gpmu_spe_physical(record->value[GPMU_SPE_PA]);
	struct gpmu_spe_home home = { .kind = GPMU_SPE_HOME_NONE, .node = -1 };
	size_t index = find(memory, address);

	if (gpmu_spe_has(record, GPMU_SPE_PA)) {
		home.kind = memory->count ? GPMU_SPE_HOME_OUTSIDE : GPMU_SPE_HOME_UNKNOWN;
		if (index < memory->count && memory->ranges[index].begin <= address) {
			home.kind = kind_of(&memory->ranges[index], node);
			home.node = memory->ranges[index].node;
		}
	} else if (gpmu_spe_is_memory(record)) {
		home.kind = GPMU_SPE_HOME_ABSENT;
	}
	home.name = home_names[home.kind];
	return home;
}
