// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the conversion of this machine's clock from an event's page with and without cap_user_time_zero. */
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "event/event_fd.h"
#include "import/import_clock.h"
#include "tap.h"

static struct perf_event_mmap_page page = { .time_shift = 10, .time_mult = 1024, .time_zero = 5 };

int __wrap_event_fd_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);
int __wrap_event_fd_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	(void)group;
	return 1000;		/* no file descriptor: close(2) fails */
}

void *__real_mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
	return fd == 1000 ? &page : __real_mmap(address, size, prot, flags, fd, offset);
}

int __real_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size)
{
	return address == &page ? 0 : __real_munmap(address, size);
}

int main(void)
{
	struct import_now now = { .conv = { .mult = 0 } };

	import_clock_read(&now);
	ok(!now.conv.mult && !now.pair.before, "import clock: a page without cap_user_time_zero has no conversion of the clock");
	page.cap_user_time_zero = 1;
	import_clock_read(&now);
	ok(now.conv.mult == 1024 && now.conv.shift == 10 && now.conv.zero == 5 && now.pair.before,
	   "import clock: a page with cap_user_time_zero has the conversion of the clock");
	return done_testing();
}
