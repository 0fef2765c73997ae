// SPDX-License-Identifier: LGPL-2.1-or-later
/* The number of read(2) calls per file matters, because a machine has hundreds of files. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpmu.h"
#include "machine/sysfs.h"
#include "lib/reads.h"
#include "sysroot.h"
#include "tap.h"

#define CPUS	"sys/devices/system/cpu/"
#define NODES	"sys/devices/system/node/"
#define BIG	10000

static uint64_t reads_of_machine(const struct sysroot *root, int want, const char *what)
{
	uint64_t before = reads(), after;
	struct gpmu_machine *machine = gpmu_machine_new(root->path, NULL);

	after = reads();
	ok(machine && gpmu_node_package(gpmu_machine_node(machine, 0)) == want,
	   "machine: with %s the package is %d", what, want);
	gpmu_machine_free(machine);
	return after - before;
}

static void packages(void)
{
	uint64_t each, first;
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, NODES "node0/cpulist", "0-3\n");
	for (int i = 0; i < 4; i++) {
		char path[96];

		snprintf(path, sizeof(path), CPUS "cpu%d/topology/physical_package_id", i);
		sysroot_put(&root, path, i < 3 ? "36\n" : "37\n");
	}
	reads_of_machine(&root, -1, "CPUs of two packages");
	sysroot_put(&root, CPUS "cpu0/topology/package_cpus_list", "0-2\n");
	each = reads_of_machine(&root, -1, "CPUs of two packages, known from the first CPU");
	sysroot_put(&root, CPUS "cpu3/topology/physical_package_id", "36\n");
	reads_of_machine(&root, 36, "CPUs of one package");
	sysroot_put(&root, CPUS "cpu0/topology/package_cpus_list", "0-7\n");
	first = reads_of_machine(&root, 36, "CPUs of one package, known from the first CPU");
	is_u64(first, each - 3, "machine: the packages of the other three CPUs are not read");
	sysroot_release(&root);
}

int main(void)
{
	static char text[BIG + 1], buffer[2 * BIG];
	struct sysroot root;
	uint64_t before;
	int fd, len;

	if (!reads()) {
		printf("ok %u - machine: a file takes few read(2) calls "
		       "# SKIP this kernel does not count system calls\n", ++tap_run);
		return done_testing();
	}
	memset(text, 'x', BIG);
	sysroot_init(&root);
	sysroot_put(&root, "small", "12\n");
	sysroot_put(&root, "big", text);
	fd = open(root.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	before = reads();
	len = sysfs_read(fd, "small", buffer, sizeof(buffer));
	is_u64(reads() - before, 1, "machine: a small file takes one read(2)");
	ok(len == 3 && !strcmp(buffer, "12\n"), "machine: a small file is read whole");
	before = reads();
	len = sysfs_read(fd, "big", buffer, sizeof(buffer));
	is_u64(reads() - before, 2,
	       "machine: a file larger than the first buffer takes two read(2)");
	ok(len == BIG && !strcmp(buffer, text),
	   "machine: a file larger than the first buffer is read whole");
	close(fd);
	fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	before = reads();
	len = sysfs_read(fd, "comm", buffer, sizeof(buffer));
	ok(reads() - before == 2 && len > 0,
	   "machine: a file of /proc is read to its end by two read(2)");
	close(fd);
	sysroot_release(&root);
	packages();
	return done_testing();
}
