// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opening of perf events on a simulated kernel. Linked with --wrap for syscall. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/event_fd.h"
#include "tap.h"

static struct {
	int error;		/* opens fail with this errno, */
	int failures;		/* as many; -1: all */
	int kernel_error;	/* opens of events that count the kernel fail */
	int opens;
	int pid, cpu, group;	/* of the last open */
	unsigned long flags;
	struct perf_event_attr attr;
} kernel;

long __wrap_syscall(long number, ...);

static long refuse(int err)
{
	errno = err;
	return -1;
}

long __wrap_syscall(long number, ...)
{
	va_list args;

	if (number != SYS_perf_event_open)
		return refuse(ENOSYS);
	va_start(args, number);
	kernel.attr = *va_arg(args, const struct perf_event_attr *);
	kernel.pid = va_arg(args, int);
	kernel.cpu = va_arg(args, int);
	kernel.group = va_arg(args, int);
	kernel.flags = va_arg(args, unsigned long);
	va_end(args);
	kernel.opens++;
	if (kernel.failures && kernel.failures--)
		return refuse(kernel.error);
	if (kernel.kernel_error && !kernel.attr.exclude_kernel)
		return refuse(kernel.kernel_error);
	return dup(0);
}

static void reset(int error, int failures)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.error = error;
	kernel.failures = failures;
}

static int open_one(void)
{
	const struct perf_event_attr attr = { .size = sizeof(attr), .config = 42 };
	int fd = event_fd_open(&attr, 11, 3, 7);

	if (fd >= 0)
		close(fd);
	return fd;
}

static void opens(void)
{
	reset(0, 0);
	ok(open_one() >= 0 && kernel.opens == 1 && kernel.pid == 11 && kernel.cpu == 3 &&
		   kernel.group == 7 && kernel.attr.config == 42,
	   "event fd: the kernel gets the attributes, the task, the CPU and the group");
	is_u64(kernel.flags, PERF_FLAG_FD_CLOEXEC,
	       "event fd: the kernel sets the close-on-exec flag of the descriptor");
	reset(0, 0);
	close(event_fd_open_cgroup(&(struct perf_event_attr){ 0 }, 11, 3, 7));
	ok(kernel.pid == 11 && kernel.cpu == 3 && kernel.group == 7 &&
		   kernel.flags == (PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP),
	   "event fd: the kernel gets a cgroup as the target");
	reset(ENOENT, 1);
	ok(open_one() == -ENOENT && kernel.opens == 1,
	   "event fd: a refused open returns its errno and is not repeated");
	reset(EINTR, 5);
	ok(open_one() >= 0 && kernel.opens == 6,
	   "event fd: an open that a signal interrupts is repeated");
	reset(EINTR, -1);
	ok(open_one() == -EINTR && kernel.opens == 100,
	   "event fd: an open that is interrupted 100 times is -EINTR");
}

static void limits(void)
{
	struct rlimit limit, now;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max - 1;
	setrlimit(RLIMIT_NOFILE, &limit);
	reset(EMFILE, 1);
	ok(open_one() >= 0 && kernel.opens == 2,
	   "event fd: an open without a free descriptor is repeated with a higher limit");
	getrlimit(RLIMIT_NOFILE, &now);
	is_u64(now.rlim_cur, limit.rlim_max,
	       "event fd: the soft limit of open files is raised to the hard limit");
	reset(EMFILE, -1);
	ok(open_one() == -EMFILE && kernel.opens == 1,
	   "event fd: an open beyond the hard limit is -EMFILE");
}

static void rights(void)
{
	reset(0, 0);
	ok(!event_fd_user_only(), "event fd: a process that may count the kernel is not restricted");
	kernel.kernel_error = EACCES;
	ok(event_fd_user_only() && kernel.pid == 0 && kernel.cpu == -1 && kernel.attr.exclude_hv,
	   "event fd: a process that may count user space only is restricted to it");
	reset(EACCES, -1);
	ok(!event_fd_user_only(),
	   "event fd: a process that may count nothing is not restricted to user space");
	reset(ENOSYS, -1);
	ok(!event_fd_user_only(),
	   "event fd: without perf events nothing is restricted to user space");
}

int main(void)
{
	opens();
	limits();
	rights();
	return done_testing();
}
