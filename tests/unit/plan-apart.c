// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events that were given one by one are read at once where nothing else tells that. */
#include "plan-test.h"

#define S0	"nvidia_scf_pmu_0/"
#define THREE	S0 "cmem_rd_data/," S0 "cmem_wr_data/," S0 "cmem_rd_access/"

/* How many groups there are, and that the text has each event by itself */
static void is_groups(const struct fixture *fixture, const char *metrics, const char *events,
		      size_t groups, const char *what)
{
	struct gpmu_plan *plan = plan_of(fixture, NULL, metrics, events);
	char *text = plan ? gpmu_plan_text(plan) : NULL;

	ok(text != NULL, "a plan of %s", events);
	if (text) {
		is_u64(gpmu_plan_groups(plan), groups, what);
		ok(metrics || !strchr(text, '{') == !strchr(events, '{'), "its text has %s",
		   strchr(events, '{') ? "the braces that were given" : "no braces");
	}
	free(text);
	gpmu_plan_free(plan);
}

static void software(const struct fixture *fixture)
{
	is_groups(fixture, NULL, "page-faults,task-clock,page-faults", 1,
		  "software's events are one group, one that was given twice too");
	is_groups(fixture, NULL, "page-faults,task-clock:D,cpu-clock:e,dummy", 3,
		  "one that is pinned or exclusive is counted by itself");
	is_groups(fixture, NULL, "page-faults,{task-clock,cpu-clock},dummy", 2,
		  "braces are a group of their own");
	is_groups(fixture, NULL, "page-faults,duration_time,user_time,dummy", 3,
		  "what libgpmu counts itself is by itself");
	is_plan(fixture, NULL, NULL, "page-faults," S0 "cmem_rd_data/,dummy:u",
		"page-faults,dummy:u," S0 "cmem_rd_data/", "", "the text is in the groups' order");
}

static void uncore(const struct fixture *fixture)
{
	is_groups(fixture, NULL, THREE, 1, "events that fit their PMU's six counters");
	is_groups(fixture, NULL, THREE "," THREE, 1, "so do six of them");
	is_groups(fixture, NULL, THREE "," THREE "," S0 "gmem_rd_data/", 7,
		  "seven do not, so each has its turn");
	is_groups(fixture, "GraceMemBW", THREE, 3,
		  "beside a metric that leaves room for them, of which each socket has a group");
	is_groups(fixture, "GraceMemBW", THREE "," S0 "gmem_rd_data/," S0 "gmem_wr_data/", 7,
		  "beside one that leaves too little");
}

/* Whether all groups, or none, are counted all the time */
static void is_always(const struct fixture *fixture, const struct gpmu_plan_options *options,
		      const char *metrics, const char *events, bool always, const char *what)
{
	struct gpmu_plan *plan = plan_of(fixture, options, metrics, events);
	bool all = plan != NULL;

	for (size_t i = 0; plan && i < plan->n_groups; i++)
		all = all && plan->groups[i].always == always;
	ok(all, "%s", what);
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
		  "software is always counted");
	is_always(ours, NULL, "GraceMemBW", THREE, true, "so are groups that a PMU has room for together");
	is_always(ours, NULL, NULL, THREE ",{" THREE "}," S0 "gmem_rd_data/", false,
		  "those that it has not take turns");
	is_always(ours, NULL, NULL, "instructions", false, "a core's counters may have other users");
	is_always(ours, NULL, NULL, "{instructions,task-clock}", false, "also beside software");
	is_always(ours, NULL, NULL, "{task-clock,instructions}", false, "which may come first");
	is_always(unknown, NULL, NULL, THREE, false, "how many there are is not known");
	is_always(unknown, &asks, NULL, THREE "," THREE, true, "unless the kernel tells that they fit");
	is_always(unknown, &asks, NULL, THREE "," THREE "," S0 "gmem_rd_data/", false, "or that they do not");
}

int main(void)
{
	struct fixture ours, unknown;

	fixture_init(&ours, "superchip-ours");
	fixture_init(&unknown, "superchip");
	software(&ours);
	uncore(&ours);
	is_groups(&unknown, NULL, THREE, 3, "how many counters there are is not known");
	always(&ours, &unknown);
	fixture_release(&unknown);
	fixture_release(&ours);
	return done_testing();
}
