// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scheduling of the command, where that of the whole machine is not permitted. The kernel is
 * faked: the records in its rings, and the permitted size of them.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gpmu.h"
#include "record/ring/record_ring.h"
#include "tap.h"
#include "trace.pb-c.h"

#define PAGE	((size_t)sysconf(_SC_PAGESIZE))
#define MANY	(512u << 10)	/* bytes of a ring if locked memory suffices */
#define NOBODY	4194305		/* beyond the kernel's largest pid, so that /proc has no name of it */
#define CPUS_MAX	1024
#define SHORT	24		/* a header and the count of a lost record */
#define LONG	600		/* bytes, more than any record of today's kernels */
#define DAMAGED	8		/* records of damaged() and endless() */

static struct {
	int refuses;		/* errno for events of the command */
	size_t max;		/* bytes that one event may lock */
	size_t left;		/* bytes that all events may still lock */
	int offline;		/* pid whose event finds CPU 0 offline */
	struct {
		void *page;
		size_t size;
	} rings[CPUS_MAX];
	size_t mapped;		/* bytes of the command's first event */
	int fd;			/* memory of the ring, also read as counts; -1: none */
	bool is_old;		/* before Linux 6.0: without PERF_FORMAT_LOST */
	struct perf_event_mmap_page *page;
	struct perf_event_attr attr;
	unsigned int enabled;	/* events */
	int pid;			/* pid of the event */
	uid_t user;
	rlim_t locks;		/* limit of locked memory */
	char warning[256];
} kernel;

void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
long __wrap_syscall(long number, ...);
int __real_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_ioctl(int fd, unsigned long request, ...);
uid_t __wrap_geteuid(void);
int __real_getrlimit(__rlimit_resource_t resource, struct rlimit *limit);
int __wrap_getrlimit(__rlimit_resource_t resource, struct rlimit *limit);
void __wrap_log_line(int level, const char *fmt, ...);

static long open_event(const struct perf_event_attr *attr, int pid, int cpu)
{
	int fd;

	/* The machine's event */
	errno = EACCES;
	if (pid == -1)
		return -1;
	errno = kernel.is_old && attr->read_format ? EINVAL : kernel.refuses;
	if (pid == kernel.offline && !cpu)
		errno = ENODEV;
	if (errno)
		return -1;
	fd = memfd_create("ring", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)(PAGE + MANY)))
		return -1;
	if (kernel.fd < 0) {
		kernel.fd = fd;
		kernel.attr = *attr;
		kernel.pid = pid;
	}
	return fd;
}

/* Replaces calls of the library only; libc's own are not wrapped. */
long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	va_list args;
	int pid, cpu;

	va_start(args, number);
	attr = va_arg(args, const struct perf_event_attr *);
	pid = va_arg(args, int);
	cpu = va_arg(args, int);
	va_end(args);
	errno = ENOSYS;
	return number == SYS_perf_event_open ? open_event(attr, pid, cpu) : -1;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	kernel.enabled += request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

/* Exchanges an entry of the list of rings. Returns whether there was one. */
static bool note_ring(const void *before, void *page, size_t size)
{
	for (size_t i = 0; i < CPUS_MAX; i++) {
		if (kernel.rings[i].page != before)
			continue;
		kernel.rings[i].page = page;
		kernel.rings[i].size = size;
		return true;
	}
	return false;
}

static size_t count_rings(size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < CPUS_MAX; i++)
		n += kernel.rings[i].page && kernel.rings[i].size == size;
	return n;
}

int __wrap_munmap(void *address, size_t size)
{
	if (note_ring(address, NULL, 0))
		kernel.left += size;
	return __real_munmap(address, size);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *page;

	if (fd < 0 || flags != MAP_SHARED)
		return __real_mmap(address, size, protection, flags, fd, offset);
	errno = EPERM;
	if (size > kernel.max || size > kernel.left)
		return MAP_FAILED;
	page = __real_mmap(address, size, protection, flags, fd, offset);
	note_ring(NULL, page, size);
	kernel.left -= size;
	if (fd == kernel.fd) {
		kernel.page = page;
		kernel.mapped = size;
		/* The next records wrap around the ring's end. */
		kernel.page->data_head = kernel.page->data_tail = size - PAGE - 100;
	}
	return page;
}

int __wrap_getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	if (resource != RLIMIT_MEMLOCK)
		return __real_getrlimit(resource, limit);
	limit->rlim_cur = limit->rlim_max = kernel.locks;
	return 0;
}

uid_t __wrap_geteuid(void)
{
	return kernel.user;
}

__attribute__((format(printf, 2, 3)))
void __wrap_log_line(int level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (level == GPMU_LOG_WARNING)
		vsnprintf(kernel.warning, sizeof(kernel.warning), fmt, args);
	va_end(args);
}

/* --- records of the kernel --- */

static void bytes(uint64_t *head, const void *data, size_t size)
{
	char *ring = (char *)kernel.page + PAGE;
	size_t room = kernel.mapped - PAGE, offset = (size_t)*head % room;
	size_t first = size < room - offset ? size : room - offset;

	memcpy(ring + offset, data, first);
	memcpy(ring, (const char *)data + first, size - first);
	*head += size;
}

static void id(uint64_t *head, uint32_t tid, uint64_t time, uint32_t cpu)
{
	const uint32_t ids[] = { 5, tid }, cpus[] = { cpu, 0 };

	bytes(head, ids, sizeof(ids));
	bytes(head, &time, sizeof(time));
	bytes(head, cpus, sizeof(cpus));
}

static void change(uint64_t *head, uint32_t tid, uint64_t time, uint16_t misc)
{
	const struct perf_event_header header = { PERF_RECORD_SWITCH, misc, sizeof(header) + 24 };

	bytes(head, &header, sizeof(header));
	id(head, tid, time, 3);
}

/* The thread runs; the record has further members. */
static void longer(uint64_t *head, uint32_t tid, uint64_t time)
{
	const struct perf_event_header header = { PERF_RECORD_SWITCH, 0, sizeof(header) + LONG + 24 };

	bytes(head, &header, sizeof(header));
	bytes(head, (char[LONG]){ 0 }, LONG);
	id(head, tid, time, 3);
}

static void name(uint64_t *head, uint32_t tid, uint64_t time, const char *text, uint16_t misc)
{
	const struct perf_event_header header = { PERF_RECORD_COMM, misc, sizeof(header) + 16 + 24 };
	const uint32_t ids[] = { 5, tid };
	char comm[8] = "";

	snprintf(comm, sizeof(comm), "%s", text);
	bytes(head, &header, sizeof(header));
	bytes(head, ids, sizeof(ids));
	bytes(head, comm, sizeof(comm));
	id(head, tid, time, 3);
}

static void fork_or_exit(uint64_t *head, uint32_t type, uint32_t tid, uint32_t by, uint64_t time)
{
	const struct perf_event_header header = { type, 0, sizeof(header) + 24 + 24 };
	const uint32_t ids[] = { 5, 5, tid, by };

	bytes(head, &header, sizeof(header));
	bytes(head, ids, sizeof(ids));
	bytes(head, &time, sizeof(time));
	id(head, by, time, 3);
}

static void lost(uint64_t *head, uint64_t n)
{
	const struct perf_event_header header = { PERF_RECORD_LOST, 0, sizeof(header) + 16 + 24 };
	const uint64_t values[] = { 1, n };

	bytes(head, &header, sizeof(header));
	bytes(head, values, sizeof(values));
	id(head, 5, 0, 3);
}

/* Records whose bodies are shorter than their fixed part */
static void damaged(uint64_t *head)
{
	static const uint32_t types[] = { PERF_RECORD_SWITCH, PERF_RECORD_COMM, PERF_RECORD_FORK, PERF_RECORD_LOST };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct perf_event_header none = { types[i], 0, sizeof(none) };
		const struct perf_event_header few = { types[i], 0, SHORT };

		bytes(head, &none, sizeof(none));
		if (types[i] == PERF_RECORD_LOST)
			continue;
		bytes(head, &few, sizeof(few));
		bytes(head, (char[SHORT]){ 0 }, SHORT - sizeof(few));
	}
}

/* A record that is shorter than its header; what follows cannot be read. */
static void endless(uint64_t *head)
{
	const struct perf_event_header header = { PERF_RECORD_SWITCH, 0, sizeof(header) - 1 };

	bytes(head, &header, sizeof(header));
	change(head, 6, 0, 0);
}

/* A second of the command's records, around the end of the ring */
static void second(uint64_t begin)
{
	uint64_t head = kernel.page->data_head;

	name(&head, 5, begin, "app", PERF_RECORD_MISC_COMM_EXEC);
	change(&head, 5, begin + 1000, 0);
	fork_or_exit(&head, PERF_RECORD_FORK, 6, 5, begin + 2000);
	damaged(&head);
	change(&head, 5, begin + 3000, PERF_RECORD_MISC_SWITCH_OUT);
	lost(&head, 7);
	change(&head, 6, begin + 4000, 0);
	change(&head, 6, begin + 5000, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	longer(&head, 6, begin + 6000);
	name(&head, 6, begin + 6500, "worker", 0);
	fork_or_exit(&head, PERF_RECORD_EXIT, 6, 5, begin + 7000);
	endless(&head);
	__atomic_store_n(&kernel.page->data_head, head, __ATOMIC_RELEASE);
}

/*
 * Sets the second value of a read of the event; it lies in the mapped page where the library
 * does not look.
 */
static void counts_lost(uint64_t n)
{
	memcpy((char *)kernel.page + sizeof(n), &n, sizeof(n));
}

/* --- the recorded timeline --- */

static char path[] = "/tmp/gpmu-record-sched-XXXXXX";

static uint64_t clock_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct gpmu_recorder *recorder_of(pid_t pid)
{
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = path, .sched = 1,
	};
	struct gpmu_recorder *recorder = gpmu_recorder_new(&options, NULL);

	kernel.fd = -1;
	kernel.warning[0] = '\0';
	if (pid && recorder)
		gpmu_recorder_pid(recorder, pid);
	return recorder;
}

/*
 * Returns the switches as "3: 0(0)>5 app, 3: 5(1)>0": CPU, previous thread (state), next thread
 * and its name if recorded.
 */
static const char *shown(void)
{
	static char text[512];
	FILE *file = fopen(path, "re");
	GpmuPb__Trace *read;
	uint8_t data[16384];
	size_t length = file ? fread(data, 1, sizeof(data), file) : 0, pos = 0;

	if (file)
		fclose(file);
	read = gpmu_pb__trace__unpack(NULL, length, data);
	text[0] = '\0';
	for (size_t i = 0; read && i < read->n_packet; i++) {
		const GpmuPb__FtraceEventBundle *bundle = read->packet[i]->ftrace_events;
		const GpmuPb__SchedSwitch *change = bundle ? bundle->event[0]->sched_switch : NULL;

		if (change)
			pos += (size_t)snprintf(text + pos, sizeof(text) - pos, "%s%u: %d(%d)>%d%s%s", pos ? ", " : "",
						bundle->cpu, change->prev_pid, (int)change->prev_state,
						change->next_pid,
						change->next_comm ? " " : "",
						change->next_comm ? change->next_comm : "");
	}
	gpmu_pb__trace__free_unpacked(read, NULL);
	return text;
}

/* Returns whether the trace has this text. */
static bool trace_has(const char *text)
{
	FILE *file = fopen(path, "re");
	char data[16384];
	size_t length = file ? fread(data, 1, sizeof(data), file) : 0;

	if (file)
		fclose(file);
	return memmem(data, length, text, strlen(text));
}

static void own(void)
{
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };
	struct gpmu_recorder *recorder = recorder_of(NOBODY);

	ok(recorder && !gpmu_recorder_start(recorder, NULL, NULL, NULL),
	   "record sched: the command's scheduling is recorded if the machine's is refused");
	ok(kernel.pid == NOBODY && kernel.attr.context_switch && kernel.attr.inherit && kernel.attr.exclude_kernel &&
	   kernel.attr.sample_id_all,
	   "record sched: the command's event is opened unprivileged, inherited and without the kernel");
	ok(!strncmp(kernel.warning, "scheduling is recorded for the command's own threads only: scheduling of the whole "
		    "machine requires ", 100),
	   "record sched: a warning states the restriction to the command and its remedy");
	gpmu_recorder_enable(recorder);
	second(clock_now());
	ok(!gpmu_recorder_stop(recorder, NULL), "record sched: the recording stops without an error");
	is_str(shown(), "3: 0(0)>5 app, 3: 5(1)>0, 3: 0(0)>6 app, 3: 6(256)>0, 3: 0(0)>6, 3: 6(16)>0",
	       "record sched: records that wrap around the ring's end are on the timeline");
	gpmu_recorder_get_stats(recorder, &stats);
	ok(stats.record_count == 9 && stats.lost_count == 7 + DAMAGED,
	   "record sched: records lost by the kernel and malformed records are counted");
	ok(trace_has("the kernel's ring was full") && trace_has("malformed records of the kernel"),
	   "record sched: the audit has lost and malformed records by reason");
	gpmu_recorder_free(recorder);
}

/* Counts records lost before the last one, with or without PERF_FORMAT_LOST. */
static uint64_t lost_in_all(bool is_old, uint64_t counted)
{
	struct gpmu_recorder *recorder = recorder_of(NOBODY);
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };

	kernel.is_old = is_old;
	gpmu_recorder_start(recorder, NULL, NULL, NULL);
	gpmu_recorder_enable(recorder);
	second(clock_now());
	counts_lost(counted);
	gpmu_recorder_stop(recorder, NULL);
	gpmu_recorder_get_stats(recorder, &stats);
	gpmu_recorder_free(recorder);
	kernel.is_old = false;
	return stats.lost_count - DAMAGED;
}

static void at_the_end(void)
{
	ok(lost_in_all(false, 11) == 11,
	   "record sched: records lost after the last one are counted, each once");
	ok(lost_in_all(false, 3) == 7,
	   "record sched: the lost records are at least those in PERF_RECORD_LOST");
	ok(lost_in_all(true, 11) == 7,
	   "record sched: before Linux 6.0 the lost records are those in PERF_RECORD_LOST");
}

/* The recording is stopped without having been enabled. */
static void late(void)
{
	struct gpmu_recorder *recorder = recorder_of(NOBODY);

	gpmu_recorder_start(recorder, NULL, NULL, NULL);
	second(clock_now() - 1000000);
	gpmu_recorder_stop(recorder, NULL);
	is_str(shown(), "", "record sched: a recording that is never enabled has no switches");
	gpmu_recorder_free(recorder);
}

static void rings(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_recorder *recorder = recorder_of(NOBODY);

	gpmu_recorder_start(recorder, NULL, NULL, NULL);
	ok(kernel.mapped == PAGE + MANY, "record sched: a ring of root has 512 KiB");
	ok(!kernel.attr.watermark && !kernel.attr.wakeup_events,
	   "record sched: the kernel wakes gpmu whenever half of a ring is full");
	gpmu_recorder_free(recorder);
	kernel.max = 5 * PAGE;
	recorder = recorder_of(NOBODY);
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL) && kernel.mapped == 5 * PAGE,
	   "record sched: a ring shrinks to the memory that may be locked");
	gpmu_recorder_free(recorder);
	kernel.max = PAGE;
	recorder = recorder_of(NOBODY);
	ok(gpmu_recorder_start(recorder, NULL, NULL, &error) == -ENOBUFS && strstr(error.text, "kernel.perf_event_mlock_kb"),
	   "record sched: without memory for a ring the error names kernel.perf_event_mlock_kb");
	gpmu_recorder_free(recorder);
	kernel.max = SIZE_MAX;
}

/* Returns the bytes of a ring. @locks: the limit of locked memory, divided by the CPUs */
static size_t ring_of(uid_t user, size_t locks, int ranks)
{
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = path, .threads = 1, .rank_count = ranks,
	};
	struct gpmu_recorder *recorder = gpmu_recorder_new(&options, NULL);

	kernel.user = user;
	kernel.locks = locks * (size_t)sysconf(_SC_NPROCESSORS_CONF);
	gpmu_recorder_pid(recorder, NOBODY);
	gpmu_recorder_start(recorder, NULL, NULL, NULL);
	gpmu_recorder_free(recorder);
	kernel.user = 0;
	return kernel.mapped - PAGE;
}

static void ring_sizes(void)
{
	is_u64(ring_of(0, 0, 2), 64 << 10, "record sched: a ring of a rank has 64 KiB, so that all ranks have one");
	is_u64(ring_of(1000, PAGE + MANY - 1, 0), 256 << 10,
	       "record sched: a ring of a user leaves half of the default limit of locked memory to the next recording");
	is_u64(ring_of(1000, PAGE + MANY, 0), MANY, "record sched: a ring has 512 KiB if the limit of locked memory allows it");
}

/* As many rings as on a large machine share the memory that one user may lock. */
static void shared(void)
{
	const size_t n = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	struct gpmu_recorder *recorder = recorder_of(NOBODY);

	kernel.left = n * 5 * PAGE + PAGE;
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL) && count_rings(5 * PAGE) == n,
	   "record sched: the rings of all CPUs share the memory that may be locked");
	gpmu_recorder_free(recorder);
	kernel.left = SIZE_MAX;
}

static size_t open_events(void)
{
	char name[64], to[32];
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t length;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		length = readlink(name, to, sizeof(to));
		n += length > 0 && !strncmp(to, "/memfd:ring", 11);
	}
	return n;
}

/* CPU 0 goes offline between the events of two threads. */
static void offline(void)
{
	const size_t n = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	struct gpmu_recorder *recorder = recorder_of(NOBODY);

	gpmu_recorder_pid(recorder, NOBODY + 1);
	kernel.offline = NOBODY + 1;
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL) && count_rings(PAGE + MANY) == n - 1 &&
	   open_events() == 2 * (n - 1),
	   "record sched: a CPU that goes offline while its events are opened has neither ring nor events");
	kernel.offline = 0;
	gpmu_recorder_free(recorder);
	ok(!count_rings(PAGE + MANY) && !open_events(), "record sched: all rings and events are released");
}

/* As by -p and -t of the same thread */
static void twice(void)
{
	const size_t n = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	struct gpmu_recorder *recorder = recorder_of(NOBODY);

	ok(!gpmu_recorder_pid(recorder, NOBODY) && !gpmu_recorder_start(recorder, NULL, NULL, NULL) && open_events() == n,
	   "record sched: a thread that is named twice is recorded once");
	gpmu_recorder_free(recorder);
}

static void aux_buffers(void)
{
	const size_t n = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	const struct perf_event_attr attr = { .size = sizeof(attr) };
	pid_t tid = NOBODY;
	const struct record_reader reader = { .tids = &tid, .tid_count = 1 };
	struct record_rings rings = { .aux_max = 4 * PAGE };

	kernel.fd = -1;
	kernel.enabled = 0;
	ok(!record_rings_open(&rings, &reader, &attr, PAGE) && count_rings(4 * PAGE) == n && kernel.attr.aux_watermark == PAGE / 2,
	   "record ring: the kernel wakes for each eighth of an AUX buffer");
	ok(!kernel.enabled, "record ring: events with an AUX buffer are not enabled when they are opened");
	record_ring_restart(rings.list, true);
	ok(kernel.enabled == 1, "record ring: a restart enables the events of a ring");
	record_rings_release(&rings);
	kernel.fd = -1;
	kernel.is_old = true;
	rings = (struct record_rings){ .aux_max = 4 * PAGE };
	ok(!record_rings_open(&rings, &reader, &attr, PAGE) && kernel.attr.aux_watermark == PAGE / 2,
	   "record ring: the kernel wakes for each eighth of an AUX buffer before Linux 6.0, too");
	record_rings_release(&rings);
	kernel.is_old = false;
}

/* Threads of the command that no option has asked for */
static void unasked(void)
{
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = path, .threads = 1,
	};
	struct gpmu_recorder *recorder = gpmu_recorder_new(&options, NULL);

	kernel.fd = -1;
	kernel.warning[0] = '\0';
	gpmu_recorder_pid(recorder, NOBODY);
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL) && kernel.pid == NOBODY && !kernel.warning[0],
	   "record sched: the command's threads are recorded without a warning if the options have threads");
	gpmu_recorder_free(recorder);
	kernel.refuses = EACCES;
	recorder = gpmu_recorder_new(&options, NULL);
	gpmu_recorder_pid(recorder, NOBODY);
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL) && !gpmu_recorder_stop(recorder, NULL),
	   "record sched: a kernel that refuses the threads' events does not make start fail");
	is_str(kernel.warning, "the command's threads are not recorded: scheduling of the command requires "
	       "CAP_PERFMON, or the sysctl kernel.perf_event_paranoid at 2 or less",
	       "record sched: a warning names the permission that the threads' events require");
	gpmu_recorder_free(recorder);
	kernel.refuses = EMFILE;
	recorder = gpmu_recorder_new(&options, NULL);
	gpmu_recorder_pid(recorder, NOBODY);
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL), "record sched: too few file descriptors do not make start fail");
	is_str(kernel.warning, "the command's threads are not recorded: scheduling of the command requires a file descriptor "
	       "for each CPU and each existing thread: raise ulimit -n",
	       "record sched: a warning names the file descriptors that the threads' events require");
	gpmu_recorder_free(recorder);
	kernel.refuses = 0;
}

static void refused(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_recorder *recorder = recorder_of(0);

	ok(gpmu_recorder_start(recorder, NULL, NULL, &error) && strstr(error.text, "scheduling of the whole machine requires ") &&
	   !kernel.warning[0],
	   "record sched: without a command the error is that of the machine's scheduling");
	gpmu_recorder_free(recorder);
	kernel.refuses = EACCES;
	recorder = recorder_of(NOBODY);
	ok(gpmu_recorder_start(recorder, NULL, NULL, &error) == -EACCES,
	   "record sched: a kernel that refuses the command's events makes start fail");
	is_str(error.text, "scheduling of the command requires CAP_PERFMON, or the sysctl "
	       "kernel.perf_event_paranoid at 2 or less",
	       "record sched: the error names CAP_PERFMON and kernel.perf_event_paranoid");
	gpmu_recorder_free(recorder);
	kernel.refuses = 0;
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	kernel.max = kernel.left = SIZE_MAX;
	own();
	at_the_end();
	late();
	rings();
	ring_sizes();
	shared();
	offline();
	twice();
	aux_buffers();
	unasked();
	refused();
	unlink(path);
	return done_testing();
}
