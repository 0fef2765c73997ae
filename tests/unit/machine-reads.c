// SPDX-License-Identifier: LGPL-2.1-or-later
/* How many read system calls a file takes: a machine has hundreds that are looked at. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine_sysfs.h"
#include "reads.h"
#include "sysroot.h"
#include "tap.h"

#define BIG	10000

int main(void)
{
	static char text[BIG + 1], buffer[2 * BIG];
	struct sysroot root;
	uint64_t before;
	int fd, len;

	if (!reads()) {
		printf("ok %u - reads # SKIP this kernel does not count system calls\n", ++tap_run);
		return done_testing();
	}
	memset(text, 'x', BIG);
	sysroot_init(&root);
	sysroot_put(&root, "small", "12\n");
	sysroot_put(&root, "big", text);
	fd = open(root.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	before = reads();
	len = sysfs_read(fd, "small", buffer, sizeof(buffer));
	is_u64(reads() - before, 1, "a small file is read at once");
	ok(len == 3 && !strcmp(buffer, "12\n"), "it has all of it");
	before = reads();
	len = sysfs_read(fd, "big", buffer, sizeof(buffer));
	is_u64(reads() - before, 2, "a big one to its end");
	ok(len == BIG && !strcmp(buffer, text), "it has all of it");
	close(fd);
	fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	before = reads();
	len = sysfs_read(fd, "comm", buffer, sizeof(buffer));
	ok(reads() - before == 2 && len > 0, "one of proc to its end");
	close(fd);
	sysroot_release(&root);
	return done_testing();
}
