/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hand-made plans of events that this machine's kernel counts */
#ifndef GPMU_TESTS_COUNTER_H
#define GPMU_TESTS_COUNTER_H

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "values/counts.h"
#include "gpmu.h"
#include "kernel-test.h"
#include "count/counter/backend.h"

#define MAX_SLOTS	8

/* A plan of one group, and its counts */
struct counter_test {
	struct event_instance instances[MAX_SLOTS];
	struct plan_slot slots[MAX_SLOTS];
	struct gpmu_group group;
	struct gpmu_plan plan;
	struct source_selection selection;
	struct gpmu_counts *counts;
	struct source_group *open;
	struct gpmu_error error;
};

/* User space only, which most kernels allow everybody to count */
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
	test->error.size = sizeof(test->error);
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
		.group_count = 1,
		.slots = test->slots,
		.slot_count = n,
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
	return source_perf.open(NULL, &test->plan, 0, &test->selection, test->counts, &test->open,
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
static int test_resume(struct counter_test *test)
{
	return test->open->ops->resume(test->open, now());
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

/* The count of a slot at its target number @target; an invalid state if there is none */
__attribute__((unused))
static struct count test_count(const struct counter_test *test, size_t slot, size_t target)
{
	static const struct count none = { 0, 0, 0, (enum count_state)-1 };

	if (target >= test->counts->slots[slot].length)
		return none;
	return test->counts->slots[slot].counts[target];
}

#endif /* GPMU_TESTS_COUNTER_H */
