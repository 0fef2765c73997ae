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

int main(void)
{
	struct fixture ours, unknown;

	fixture_init(&ours, "superchip-ours");
	fixture_init(&unknown, "superchip");
	software(&ours);
	uncore(&ours);
	is_groups(&unknown, NULL, THREE, 3, "how many counters there are is not known");
	fixture_release(&unknown);
	fixture_release(&ours);
	return done_testing();
}
