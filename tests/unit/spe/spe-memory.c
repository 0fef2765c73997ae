// SPDX-License-Identifier: LGPL-2.1-or-later
/* Memory by node, from sysfs */
#include <errno.h>

#include "gpmu.h"
#include "spe/gpmu_spe.h"
#include "sysroot.h"
#include "tap.h"

#define BLOCKS	"sys/devices/system/memory/"
#define NODES	"sys/devices/system/node/"

static struct sysroot root;

#define MIDR	"sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

/* A Grace Hopper: blocks of 512 MiB; node 1 is the GPU's memory */
static void make_root(void)
{
	sysroot_init(&root);
	sysroot_put(&root, "sys/devices/system/cpu/online", "0-71\n");
	sysroot_put(&root, MIDR, "0x00000000410fd4f0\n");
	sysroot_put(&root, BLOCKS "block_size_bytes", "20000000\n");
	sysroot_put(&root, NODES "online", "0-1\n");
	sysroot_put(&root, NODES "node0/cpulist", "0-71\n");
	sysroot_put(&root, NODES "node1/cpulist", "\n");
	for (unsigned int i = 4; i < 20; i++) {
		char name[64];

		snprintf(name, sizeof(name), NODES "node0/memory%u/online", i);
		sysroot_put(&root, name, "1\n");
		snprintf(name, sizeof(name), NODES "node1/memory%u/online", 65536 + i);
		sysroot_put(&root, name, "1\n");
	}
	sysroot_put(&root, NODES "node0/memory_failure/total", "0\n");
}

static int read_memory(struct gpmu_spe_memory *memory)
{
	struct gpmu_machine *machine = gpmu_machine_open(root.path, NULL);
	int ret = machine ? gpmu_spe_memory_read(memory, machine) : -errno;

	gpmu_machine_free(machine);
	return ret;
}

static bool is_range(const struct gpmu_spe_range *range, uint64_t first, uint64_t end, int node,
		     enum gpmu_spe_memory_kind kind)
{
	return range->begin == first << 29 && range->end == end << 29 && range->node == node && range->kind == kind;
}

static void refused(const char *name, const char *text, const char *what)
{
	struct gpmu_spe_memory memory = { 0 };

	make_root();
	sysroot_put(&root, name, text);
	ok(read_memory(&memory) == -EBADMSG && !memory.count && !memory.ranges, "spe: %s is refused", what);
	sysroot_release(&root);
}

int main(void)
{
	struct gpmu_spe_memory memory = { 0 };

	make_root();
	ok(!read_memory(&memory) && memory.count == 2 &&
	   is_range(&memory.ranges[0], 4, 20, 0, GPMU_SPE_MEMORY_CPU),
	   "spe: the memory blocks of a node with CPUs are CPU memory");
	ok(memory.count == 2 && is_range(&memory.ranges[1], 65540, 65556, 1, GPMU_SPE_MEMORY_GPU),
	   "spe: on Neoverse V2, the memory blocks of a node without CPUs are GPU memory");
	gpmu_spe_memory_release(&memory);
	sysroot_put(&root, MIDR, "0x00000000413fd0c1\n");
	ok(!read_memory(&memory) && memory.count == 2 && is_range(&memory.ranges[1], 65540, 65556, 1, GPMU_SPE_MEMORY_BARE),
	   "spe: on Neoverse N1, the memory blocks of a node without CPUs are not GPU memory");
	gpmu_spe_memory_release(&memory);
	sysroot_remove(&root, BLOCKS);
	ok(!read_memory(&memory) && !memory.count, "spe: a kernel without memory blocks has no ranges");
	sysroot_release(&root);

	refused(BLOCKS "block_size_bytes", "0\n", "a block size of 0");
	refused(BLOCKS "block_size_bytes", "12x\n", "a block size that is not a number");
	refused(BLOCKS "block_size_bytes", "20000000000000000\n", "a block size above 64 bits");
	refused(NODES "node1/cpulist", "x\n", "a malformed list of a node's CPUs");
	refused(NODES "node1/memory4/online", "1\n", "a memory block of two nodes");
	refused(NODES "node1/memory9223372036854775807/online", "1\n", "a memory block beyond 64 bits");
	return done_testing();
}
