/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A simulated kernel on a Superchip. Linked with --wrap for syscall, ioctl, read and mmap; the
 * descriptors of events are opened on /dev/null.
 */
#ifndef GPMU_TESTS_COUNTER_FAKE_H
#define GPMU_TESTS_COUNTER_FAKE_H

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "sysroot.h"
#include "counter-test.h"

#define MAX_EVENTS	64
#define REFUSED		0x0bad	/* a config that the kernel refuses */

static struct fake_event {
	struct perf_event_attr attr;
	int fd, pid, cpu, leader;	/* leader: index in events[] */
	bool is_enabled;
	struct perf_event_mmap_page *page;	/* its mapping; NULL: none */
	bool is_cgroup;			/* pid is the descriptor of a cgroup */
} events[MAX_EVENTS];
static int event_count;
static int inherited;	/* opens of all tests that are not close-on-exec */

/* How the kernel behaves */
static struct {
	int error, error_cpu;		/* every open fails, on this CPU or on all (-1) */
	int config_error;		/* opens of config REFUSED fail */
	int config_cpu;			/* except on this CPU (-1: on no CPU) */
	int counters, full_error;	/* events per group, and the errno beyond */
	int full_cpu;			/* applies to this CPU, -1: to all */
	int interrupts;			/* opens that fail with EINTR */
	int opens;			/* number of opens */
	ssize_t read_size;		/* >0: size of a read; <0: -errno */
	bool has_ended;
	int late;			/* reads that fail because a task is being created */
	int read_cpu;			/* reads of this CPU fail; -1: of all */
	uint64_t enabled, running;
	int ioctl_error;
	int mmap_error;
	int reads;			/* number of reads of events */
	int term_error;			/* opens with a term beside config fail */
	struct perf_event_mmap_page page;	/* content of each mapping */
} kernel;

static void kernel_reset(void)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.error_cpu = kernel.config_cpu = kernel.full_cpu = kernel.read_cpu = -1;
	kernel.counters = 100;
	kernel.enabled = kernel.running = 1000;
	event_count = 0;
}

static struct fake_event *find(int fd)
{
	struct stat stat;

	/* A closed descriptor may have been reused for a file of the machine. */
	if (fstat(fd, &stat) || !S_ISCHR(stat.st_mode))
		return NULL;
	for (int i = event_count; i-- > 0;)
		if (events[i].fd == fd)
			return &events[i];
	return NULL;
}

static int members(int leader)
{
	int n = 0;

	for (int i = 0; i < event_count; i++)
		n += events[i].leader == leader;
	return n;
}

static long refuse(int err)
{
	errno = err;
	return -1;
}

static long fake_open(const struct perf_event_attr *attr, int pid, int cpu, int group)
{
	struct fake_event *leader = group >= 0 ? find(group) : NULL;
	struct fake_event *event = &events[event_count];

	kernel.opens++;
	if (kernel.interrupts > 0 && kernel.interrupts--)
		return refuse(EINTR);
	if (kernel.error && (kernel.error_cpu < 0 || kernel.error_cpu == cpu))
		return refuse(kernel.error);
	if (attr->config == REFUSED && kernel.config_error &&
	    (kernel.config_cpu < 0 || kernel.config_cpu != cpu))
		return refuse(kernel.config_error);
	if (kernel.term_error && (attr->config1 || attr->config2))
		return refuse(kernel.term_error);
	if (leader && members(leader->leader) >= kernel.counters &&
	    (kernel.full_cpu < 0 || kernel.full_cpu == cpu))
		return refuse(kernel.full_error);
	if (event_count == MAX_EVENTS)
		return refuse(ENOMEM);
	*event = (struct fake_event){ *attr, open("/dev/null", O_RDONLY), pid, cpu, event_count,
				      !attr->disabled, NULL, false };
	if (leader)
		event->leader = leader->leader;
	event_count++;
	return event->fd;
}

long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);

long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	unsigned long flags;
	int pid, cpu, group, fd;
	va_list args;

	if (number != __NR_perf_event_open)
		return refuse(ENOSYS);
	va_start(args, number);
	attr = va_arg(args, const struct perf_event_attr *);
	pid = va_arg(args, int);
	cpu = va_arg(args, int);
	group = va_arg(args, int);
	flags = va_arg(args, unsigned long);
	va_end(args);
	inherited += !(flags & PERF_FLAG_FD_CLOEXEC);
	fd = (int)fake_open(attr, pid, cpu, group);
	if (fd >= 0)
		find(fd)->is_cgroup = flags & PERF_FLAG_PID_CGROUP;
	return fd;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct fake_event *event = find(fd);

	if (!event || kernel.ioctl_error)
		return (int)refuse(event ? kernel.ioctl_error : EBADF);
	event->is_enabled = request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_REFRESH;
	return 0;
}

/* The mapping of an event is anonymous memory, which a child of fork() does not have. */
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	struct fake_event *event = fd < 0 ? NULL : find(fd);

	if (!event)
		return __real_mmap(address, size, protection, flags, fd, offset);
	if (kernel.mmap_error) {
		errno = kernel.mmap_error;
		return MAP_FAILED;
	}
	event->page = __real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
	madvise(event->page, size, MADV_DONTFORK);
	*event->page = kernel.page;
	return event->page;
}

/* An event counts its config, multiplied by its CPU + 1. */
ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	struct fake_event *event = find(fd);
	uint64_t *values = buffer;
	size_t n = 0;

	if (!event)
		return __real_read(fd, buffer, size);
	kernel.reads++;
	if (kernel.read_cpu < 0 || kernel.read_cpu == event->cpu) {
		if (kernel.has_ended)
			return 0;
		if (kernel.read_size < 0)
			return refuse((int)-kernel.read_size);
		if (kernel.late > 0 && kernel.late--)
			return refuse(ECHILD);
	}
	for (int i = 0; i < event_count; i++)
		if (events[i].leader == event->leader && (3 + n + 1) * 8 <= size)
			values[3 + n++] = events[i].attr.config * (uint64_t)(event->cpu + 1);
	values[0] = n;
	values[1] = kernel.enabled;
	values[2] = kernel.running;
	if (kernel.read_size > 0 && (kernel.read_cpu < 0 || kernel.read_cpu == event->cpu)) {
		values[0] = 1;
		return kernel.read_size;
	}
	return (ssize_t)((3 + n) * 8);
}

static struct gpmu_machine *machine;

static const struct event_instance core[] = {
	{ .name = "cycles", .attr = { .type = 8, .config = 1 } },
	{ .name = "refused", .attr = { .type = 8, .config = REFUSED } },
	{ .name = "stalls", .attr = { .type = 8, .config = 3 } },
};

static void init(struct counter_test *test, const char *pmu, const struct event_instance *list,
		 size_t n)
{
	kernel_reset();
	test_init(test, machine, gpmu_machine_find_pmu(machine, pmu), list, n);
	test->selection.is_system_wide = true;
}

static struct sysroot fake_root;

static bool fake_begin(void)
{
	sysroot_make(&fake_root, "superchip");
	sysroot_put(&fake_root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	machine = gpmu_machine_new(fake_root.path, NULL);
	return ok(machine, "counter: the fake machine is read");
}

static void fake_end(void)
{
	is_u64((uint64_t)inherited, 0, "counter: the kernel opens all events close-on-exec");
	gpmu_machine_free(machine);
	sysroot_release(&fake_root);
}

#endif /* GPMU_TESTS_COUNTER_FAKE_H */
