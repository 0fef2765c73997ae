// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation fails in turn. gpmu_spe_memory_read() then fails with ENOMEM and leaks nothing. */
#include "alloc.h"
#include "gpmu.h"
#include "spe/gpmu_spe.h"
#include "sysroot.h"

static struct sysroot root;
static struct gpmu_machine *machine;

static int run(void)
{
	struct gpmu_spe_memory memory;
	int ret = gpmu_spe_memory_read(&memory, machine);

	if (!ret) {
		ret = memory.count != 2;
		gpmu_spe_memory_release(&memory);
	}
	return ret;
}

int main(void)
{
	sysroot_init(&root);
	sysroot_put(&root, "sys/devices/system/memory/block_size_bytes", "8000000\n");
	sysroot_put(&root, "sys/devices/system/node/node0/cpulist", "0-3\n");
	sysroot_put(&root, "sys/devices/system/node/node0/memory1/online", "1\n");
	sysroot_put(&root, "sys/devices/system/node/node1/cpulist", "\n");
	sysroot_put(&root, "sys/devices/system/node/node1/memory2/online", "1\n");
	machine = gpmu_machine_new(root.path, NULL);
	alloc_fail_each(run, 5, "spe memory");
	gpmu_machine_free(machine);
	sysroot_release(&root);
	return done_testing();
}
