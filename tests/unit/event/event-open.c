// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * This machine's kernel opens the events that every kernel has, and they count what their names
 * say.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "event-test.h"

#define PAGES	64

static int open_event(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;

	return (int)syscall(SYS_perf_event_open, &copy, 0, -1, -1, 0);
}

/* Causes page faults, then computes for 5 ms. */
static void work(void)
{
	struct timespec begin, now;
	char *pages = mmap(NULL, PAGES * 4096ul, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		sysroot_bail("mmap");
	madvise(pages, PAGES * 4096ul, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
	munmap(pages, PAGES * 4096ul);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec < 5000000);
}

static void counts(const struct gpmu_machine *machine, const char *text, uint64_t min,
		   uint64_t max)
{
	struct gpmu_event *event = gpmu_event_new(machine, NULL, text, NULL);
	uint64_t count = 0;
	int fd;

	if (!event) {
		ok(false, "event: %s is encoded for this machine", text);
		return;
	}
	fd = open_event(gpmu_event_instance_attr(event, 0));
	gpmu_event_free(event);
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == ENOSYS)) {
		ok(true,
		   "event: %s is opened and counts # SKIP the kernel refuses to open it: "
		   "%s", text, strerror(errno));
		return;
	}
	if (!ok(fd >= 0, "event: the kernel opens %s", text))
		return;
	work();
	ok(read(fd, &count, sizeof(count)) == sizeof(count) && count >= min &&
	   count <= max, "event: %s counts at least %" PRIu64, text, min);
	diag("%" PRIu64, count);
	close(fd);
}

/* perf's names, and numbers of the software PMU */
static void opens(const struct gpmu_machine *machine, const char *text)
{
	struct gpmu_event *event = gpmu_event_new(machine, NULL, text, NULL);
	int fd = event ? open_event(gpmu_event_instance_attr(event, 0)) : -1;

	if (fd < 0 && event && (errno == EACCES || errno == EPERM || errno == ENOSYS))
		ok(true,
		   "event: the kernel opens %s # SKIP the kernel refuses to open it: "
		   "%s", text, strerror(errno));
	else
		ok(fd >= 0, "event: the kernel opens %s", text);
	if (fd >= 0)
		close(fd);
	gpmu_event_free(event);
}

static void tracepoint(const struct gpmu_machine *machine)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_event *event = gpmu_event_new(machine, NULL, "sched:sched_switch", &error);
	char path[] = "sys/kernel/tracing/events/sched/sched_switch/id", text[32];
	uint64_t id;

	if (gpmu_machine_read(machine, path, text, sizeof(text)) < 0) {
		ok(true, "event: sched:sched_switch is encoded # SKIP tracefs cannot be read");
	} else if (ok(event != NULL, "event: sched:sched_switch is encoded for this machine")) {
		id = strtoull(text, NULL, 10);
		is_u64(gpmu_event_instance_attr(event, 0)->config, id,
		       "event: the config of sched:sched_switch is its id in tracefs");
		opens(machine, "sched:sched_switch:k");
	}
	gpmu_event_free(event);
}

int main(void)
{
	static const char *const names[] = {
		"cpu-clock", "task-clock:u", "context-switches", "cpu-migrations", "minor-faults",
		"major-faults", "alignment-faults", "emulation-faults", "dummy", "cgroup-switches",
		"perf::PERF_COUNT_SW_CONTEXT_SWITCHES", "software/config=0x1/",
	};
	struct gpmu_machine *machine = gpmu_machine_new(NULL, NULL);

	if (!machine)
		sysroot_bail("this machine");
	counts(machine, "page-faults", PAGES, 100 * PAGES);
	counts(machine, "page-faults:u", PAGES, 100 * PAGES);
	counts(machine, "perf::PAGE-FAULTS", PAGES, 100 * PAGES);
	counts(machine, "task-clock", 500000, 10000000000ull);
	counts(machine, "dummy", 0, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		opens(machine, names[i]);
	tracepoint(machine);
	gpmu_machine_free(machine);
	return done_testing();
}
