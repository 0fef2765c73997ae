/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans made by hand, and a session's operations on their groups */
#ifndef GPMU_TESTS_SOURCE_TEST_H
#define GPMU_TESTS_SOURCE_TEST_H

#include <errno.h>
#include <stdlib.h>

#include "gpmu.h"
#include "machine/node.h"
#include "machine/pmu.h"
#include "count/counter/backend.h"
#include "plugin/source_object.h"
#include "tap.h"

#define MS	1000000ull	/* in ns */
#define SEC	1000000000ull
#define T0	5000000123ull	/* the time of enable */

#define TEST_GROUPS	8
#define TEST_SLOTS	64

struct test_plan {
	struct gpmu_plan plan;
	struct gpmu_group groups[TEST_GROUPS];
	struct plan_slot slots[TEST_SLOTS];
	struct event_instance instances[TEST_SLOTS];
	struct gpmu_counts *counts;
	struct source_group *open[TEST_GROUPS];
};

__attribute__((unused))
static void test_bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* "cmem_rd_data" or, with a filter, "rd_bytes_loc:0x100" */
static void test_event(struct event_instance *instance, const struct gpmu_pmu *pmu, char *event)
{
	char *filter = strchr(event, ':');
	const char *text;

	if (filter)
		*filter++ = '\0';
	text = gpmu_pmu_event(pmu, event);
	if (!text)
		test_bail(event);
	*instance = (struct event_instance){ .pmu = pmu };
	instance->attr.config = strtoull(text + strlen("event="), NULL, 16);
	instance->attr.config1 = filter ? strtoull(filter, NULL, 16) : 0;
	instance->is_cycle_counter = instance->attr.config == 0x100000000;
}

/* Adds a group of events, which are separated by blanks. */
__attribute__((unused))
static void test_group(struct test_plan *test, const struct gpmu_machine *machine,
		       const char *name, const char *events)
{
	const struct gpmu_pmu *pmu = gpmu_machine_find_pmu(machine, name);
	struct gpmu_plan *plan = &test->plan;
	struct gpmu_group *group = &test->groups[plan->group_count];
	char text[512], *save = NULL;

	if (!pmu)
		test_bail(name);
	plan->groups = test->groups;
	plan->slots = test->slots;
	*group = (struct gpmu_group){ .pmu = pmu, .first = plan->slot_count };
	snprintf(text, sizeof(text), "%s", events);
	for (char *event = strtok_r(text, " ", &save); event; event = strtok_r(NULL, " ", &save)) {
		test_event(&test->instances[plan->slot_count], pmu, event);
		test->slots[plan->slot_count] = (struct plan_slot){
			.instance = &test->instances[plan->slot_count], .scale = 1,
			.group = plan->group_count };
		plan->slot_count++;
		group->length++;
	}
	plan->group_count++;
}

/* Opens all groups; returns the first error. */
__attribute__((unused))
static int test_open(struct test_plan *test, struct gpmu_source *source, struct gpmu_error *error)
{
	const struct source_selection selection = { .is_system_wide = true };
	int ret = 0;

	test->counts = counts_new(test->plan.slot_count);
	if (!test->counts)
		return -ENOMEM;
	for (size_t i = 0; i < test->plan.group_count && !ret; i++)
		ret = source_plugin.open(source, &test->plan, i, &selection, test->counts,
					 &test->open[i], error);
	return ret;
}

__attribute__((unused))
static int test_enable(struct test_plan *test, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < test->plan.group_count && !ret; i++)
		ret = source_plugin.enable(test->open[i], time);
	return ret;
}

__attribute__((unused))
static int test_disable(struct test_plan *test, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < test->plan.group_count && !ret; i++)
		ret = source_plugin.disable(test->open[i], time);
	return ret;
}

__attribute__((unused))
static int test_read(struct test_plan *test, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < test->plan.group_count && !ret; i++)
		ret = source_plugin.read(test->open[i], time, test->counts);
	return ret;
}

/* Closes the open groups; the plan can be opened again. */
__attribute__((unused))
static void test_close(struct test_plan *test)
{
	for (size_t i = 0; i < test->plan.group_count; i++) {
		if (test->open[i])
			source_plugin.close(test->open[i]);
		test->open[i] = NULL;
	}
	counts_free(test->counts);
	test->counts = NULL;
}

/* Returns the count of a slot, or zeros if it has none. */
__attribute__((unused))
static struct count test_count(const struct test_plan *test, size_t slot)
{
	const struct counts_slot *counts = &test->counts->slots[slot];

	return counts->length == 1 ? counts->counts[0] : (struct count){ .state = counts->state };
}

#endif /* GPMU_TESTS_SOURCE_TEST_H */
