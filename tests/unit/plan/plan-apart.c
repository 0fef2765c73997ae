// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events listed one by one are read by one system call where this changes nothing else. */
#include "plan-test.h"

#define S0	"nvidia_scf_pmu_0/"
#define THREE	S0 "cmem_rd_data/," S0 "cmem_wr_data/," S0 "cmem_rd_access/"

/* The length of the first event or "{group}" of a list */
static size_t part_length(const char *list)
{
	return *list == '{' ? strcspn(list, "}") + 1 : strcspn(list, ",");
}

static bool has_part(const char *list, const char *part, size_t length)
{
	for (;; list++) {
		if (part_length(list) == length && !strncmp(list, part, length))
			return true;
		list += part_length(list);
		if (!*list)
			return false;
	}
}

/* Returns whether @list has each event and each group in braces of @events, as it is there. */
static bool has_parts(const char *list, const char *events)
{
	for (;; events++) {
		if (!has_part(list, events, part_length(events)))
			return false;
		events += part_length(events);
		if (!*events)
			return true;
	}
}

#define METRIC_GROUPS	2	/* of GraceMemBW, on two sockets */

static size_t braces(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '{';
	return count;
}

/* Checks the number of groups, and that the text has events as they were given. */
static void is_groups(const struct fixture *fixture, const char *metrics, const char *events,
		      size_t groups, const char *what)
{
	struct gpmu_plan *plan = plan_of(fixture, NULL, metrics, events);
	char *text = plan ? gpmu_plan_text(plan) : NULL;

	ok(text != NULL, "plan: a plan of %s is made", events);
	if (text) {
		is_u64(gpmu_plan_group_count(plan), groups, what);
		if (!ok(has_parts(text, events) &&
			braces(text) == braces(events) + (metrics ? METRIC_GROUPS : 0),
			"plan: the text has only the given braces around %s", events))
			diag("%s", text);
	}
	free(text);
	gpmu_plan_free(plan);
}

static void software(const struct fixture *fixture)
{
	is_groups(fixture, NULL, "page-faults,task-clock,page-faults", 1,
		  "plan: software events are one group, also with a duplicate");
	is_groups(fixture, NULL, "page-faults,task-clock:D,cpu-clock:e,dummy", 3,
		  "plan: pinned and exclusive software events have their own groups");
	is_groups(fixture, NULL, "page-faults,{task-clock,cpu-clock},dummy", 2,
		  "plan: events in braces have their own group");
	is_groups(fixture, NULL, "page-faults,duration_time,user_time,dummy", 3,
		  "plan: events of libgpmu itself have their own groups");
	is_plan(fixture, NULL, NULL, "page-faults," S0 "cmem_rd_data/,dummy:u",
		"page-faults,dummy:u," S0 "cmem_rd_data/", "",
		"plan: the text is in the order of the groups");
}

static void uncore(const struct fixture *fixture)
{
	is_groups(fixture, NULL, THREE, 1, "plan: three events that fit their PMU are one group");
	is_groups(fixture, NULL, THREE "," THREE, 1,
		  "plan: a duplicate of each event does not add to a group");
	is_groups(fixture, NULL, THREE "," THREE "," S0 "gmem_rd_data/", 7,
		  "plan: seven events for six counters have one group each");
	is_groups(fixture, "GraceMemBW", THREE, 3,
		  "plan: three events that fit beside a metric are one group");
	is_groups(fixture, "GraceMemBW", THREE "," S0 "gmem_rd_data/," S0 "gmem_wr_data/", 7,
		  "plan: events that do not fit beside a metric have one group each");
}

/* Checks whether all groups, or none, are counted without multiplexing. */
static void is_always(const struct fixture *fixture, const struct gpmu_plan_options *options,
		      const char *metrics, const char *events, bool is_expected, const char *what)
{
	struct gpmu_plan *plan = plan_of(fixture, options, metrics, events);
	bool is_right = plan && plan->group_count;

	for (size_t i = 0; plan && i < plan->group_count; i++)
		is_right = is_right && plan->groups[i].is_always == is_expected;
	ok(is_right, "%s", what);
	gpmu_plan_free(plan);
}

static int all_fit(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		   size_t length, void *user)
{
	(void)pmu, (void)attrs, (void)user;
	return length <= 6;
}

static void always(const struct fixture *ours, const struct fixture *unknown)
{
	static const struct gpmu_plan_options asks = { .size = sizeof(asks), .fits = all_fit };

	is_always(ours, NULL, NULL, "page-faults,{task-clock,cpu-clock},duration_time", true,
		  "plan: software events are always counted");
	is_always(ours, NULL, "GraceMemBW", THREE, true,
		  "plan: groups that fit a PMU together are always counted");
	is_always(ours, NULL, NULL, THREE ",{" THREE "}," S0 "gmem_rd_data/", false,
		  "plan: groups that do not fit a PMU together are multiplexed");
	is_always(ours, NULL, NULL, "instructions", false,
		  "plan: core events may be multiplexed with other users' events");
	is_always(ours, NULL, NULL, "{instructions,task-clock}", false,
		  "plan: core events in a software group may be multiplexed");
	is_always(ours, NULL, NULL, "{task-clock,instructions}", false,
		  "plan: core events after a software leader may be multiplexed");
	is_always(unknown, NULL, NULL, THREE, false,
		  "plan: groups on an unknown number of counters may be multiplexed");
	is_always(unknown, &asks, NULL, THREE "," THREE, true,
		  "plan: groups that the kernel accepts together are always counted");
	is_always(unknown, &asks, NULL, THREE "," THREE "," S0 "gmem_rd_data/", false,
		  "plan: groups that the kernel refuses together are multiplexed");
}

int main(void)
{
	struct fixture ours, unknown;

	fixture_init(&ours, "superchip-ours");
	fixture_init(&unknown, "superchip");
	software(&ours);
	uncore(&ours);
	is_groups(&unknown, NULL, THREE, 3,
		  "plan: events on an unknown number of counters have one group each");
	always(&ours, &unknown);
	fixture_release(&unknown);
	fixture_release(&ours);
	return done_testing();
}
