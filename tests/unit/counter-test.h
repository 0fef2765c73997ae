/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans made by hand, and what the tests of counter ask of the kernel. */
#ifndef GPMU_TESTS_COUNTER_H
#define GPMU_TESTS_COUNTER_H

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counts.h"
#include "gpmu.h"
#include "source.h"
#include "tap.h"

#define MAX_SLOTS	8

/* A plan of one group, and what is counted of it */
struct counter_test {
	struct event_instance instances[MAX_SLOTS];
	struct plan_slot slots[MAX_SLOTS];
	struct gpmu_group group;
	struct gpmu_plan plan;
	struct source_target target;
	struct gpmu_counts *counts;
	struct source_group *open;
	struct gpmu_error error;
};

/* User space alone, which most kernels let anybody count */
#define SOFTWARE(event, config_)						\
	{									\
		.name = (event),						\
		.attr = {							\
			.type = PERF_TYPE_SOFTWARE,				\
			.config = (config_),					\
			.exclude_kernel = 1,					\
		},								\
	}
#define PAGE_FAULTS		SOFTWARE("page-faults", PERF_COUNT_SW_PAGE_FAULTS)
#define TASK_CLOCK		SOFTWARE("task-clock", PERF_COUNT_SW_TASK_CLOCK)
#define CPU_CLOCK		SOFTWARE("cpu-clock", PERF_COUNT_SW_CPU_CLOCK)
#define CONTEXT_SWITCHES	SOFTWARE("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES)
#define DUMMY			SOFTWARE("dummy", PERF_COUNT_SW_DUMMY)

__attribute__((unused))
static void test_init(struct counter_test *test, const struct gpmu_machine *machine,
		      const struct gpmu_pmu *pmu, const struct event_instance *instances, size_t n)
{
	memset(test, 0, sizeof(*test));
	for (size_t i = 0; i < n; i++) {
		test->instances[i] = instances[i];
		test->instances[i].pmu = pmu;
		test->slots[i].instance = &test->instances[i];
		test->slots[i].scale = 1;
	}
	test->group = (struct gpmu_group){ .pmu = pmu, .length = n };
	test->plan = (struct gpmu_plan){
		.machine = machine,
		.groups = &test->group,
		.n_groups = 1,
		.slots = test->slots,
		.n_slots = n,
	};
	test->counts = counts_new(n);
}

__attribute__((unused))
static void test_release(struct counter_test *test)
{
	if (test->open)
		test->open->ops->close(test->open);
	counts_free(test->counts);
}

__attribute__((unused))
static int test_open(struct counter_test *test)
{
	strcpy(test->error.text, "");
	return source_perf.open(NULL, &test->plan, 0, &test->target, test->counts, &test->open,
				&test->error);
}

__attribute__((unused))
static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

__attribute__((unused))
static int test_enable(struct counter_test *test)
{
	return test->open->ops->enable(test->open, now());
}

__attribute__((unused))
static int test_disable(struct counter_test *test)
{
	return test->open->ops->disable(test->open, now());
}

__attribute__((unused))
static int test_read(struct counter_test *test)
{
	return test->open->ops->read(test->open, now(), test->counts);
}

/* The count of a slot at its place @place; one that is not there is of no state */
__attribute__((unused))
static struct count test_count(const struct counter_test *test, size_t slot, size_t place)
{
	static const struct count none = { 0, 0, 0, (enum count_state)-1 };

	if (place >= test->counts->slots[slot].length)
		return none;
	return test->counts->slots[slot].counts[place];
}

__attribute__((unused))
static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

__attribute__((unused))
static void touch_pages(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	/* One page at a time, whatever transparent huge pages are set to */
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * size] = 1;
	munmap(memory, pages * size);
}

/* Whether this kernel lets this process count its own page faults in user space */
__attribute__((unused))
static bool kernel_counts(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1,
	};
	long fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

__attribute__((unused))
static void skip(const char *what, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_run, what, why);
}

/* For main(): true if the kernel lets it do nothing */
__attribute__((unused))
static bool skip_all(void)
{
	if (kernel_counts())
		return false;
	printf("1..0 # SKIP this kernel does not let this user count events\n");
	return true;
}

#endif /* GPMU_TESTS_COUNTER_H */
