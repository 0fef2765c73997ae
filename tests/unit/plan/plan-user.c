// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plans for users who may count user space only */
#include "plan-test.h"

#define S0	"nvidia_scf_pmu_0/"
#define S1	"nvidia_scf_pmu_1/"

static const struct gpmu_plan_options options = { .size = sizeof(options), .user_only = 1 };

/* The names of the plan's items, separated by blanks, are @names. */
static void is_items(const struct fixture *fixture, const char *metrics, const char *events,
		     const char *names, const char *what)
{
	struct gpmu_plan *plan = plan_of(fixture, &options, metrics, events);
	char text[512] = "";
	const char *item;

	for (size_t i = 0; plan && (item = gpmu_plan_item(plan, i)); i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 item);
	is_str(text, names, what);
	gpmu_plan_free(plan);
}

static void events(const struct fixture *ours)
{
	is_plan(ours, &options, NULL, "{task-clock,page-faults},inst_retired,r1a8,"
		"sched:sched_switch,armv8_pmuv3_0/event=0x8/,software/config=1/",
		"{task-clock:u,page-faults:u},inst_retired:u,r1a8:u,sched:sched_switch:u,"
		"armv8_pmuv3_0/event=0x8/u,software/config=1/u", "",
		"plan, user only: events of tasks get the modifier u");
	is_plan(ours, &options, NULL, "cycles:k,cycles:u,cycles:uk,instructions:I,instructions:D",
		"cycles:k,cycles:u,cycles:uk,instructions:Iu,instructions:Du", "",
		"plan, user only: events whose modifiers name a privilege level keep them");
	is_plan(ours, &options, NULL, "duration_time,user_time," S0 "cmem_rd_data/",
		"duration_time,user_time," S0 "cmem_rd_data/", "",
		"plan, user only: tool events and uncore events get no modifier");
	is_items(ours, NULL, "task-clock,cycles:k,user_time," S0 "cmem_rd_data/",
		 "task-clock:u cycles:k user_time " S0 "cmem_rd_data/",
		 "plan, user only: the names of events carry the modifier u");
}

static void metrics(const struct fixture *ours)
{
	is_plan(ours, &options, "ipc", "inst_retired", "{CPU_CYCLES:u,INST_RETIRED:u},"
		"inst_retired:u", "armv8_pmuv3: its number of counters is unknown, so each metric has "
		"its own groups, which are assumed to fit; a driver with caps/counters, or "
		"permission to open events, makes the number known",
		"plan, user only: the events of metrics get the modifier u");
	is_items(ours, "ipc,GraceMemBW,ipc,ipc:k", NULL, "ipc:u GraceMemBW ipc:k",
		 "plan, user only: a metric's name carries the modifier u and a metric requested "
		 "twice is one item");
	is_plan(ours, &options, "GraceMemReadBW", NULL,
		"duration_time," S0 "cmem_rd_data/," S1 "cmem_rd_data/", "",
		"plan, user only: metrics of uncore PMUs get no modifier");
}

int main(void)
{
	struct fixture ours;

	fixture_init(&ours, "superchip-ours");
	events(&ours);
	metrics(&ours);
	fixture_release(&ours);
	return done_testing();
}
