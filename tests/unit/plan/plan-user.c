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
		"armv8_pmuv3_0/cpu_cycles/k,armv8_pmuv3_0/cpu_cycles/u,armv8_pmuv3_0/cpu_cycles/uk,"
		"instructions:Iu,instructions:Du", "",
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

static bool is_restricted;
static int asked;

bool __wrap_event_fd_user_only(void);

bool __wrap_event_fd_user_only(void)
{
	asked++;
	return is_restricted;
}

/* Plans an event with user_only -1, on this machine or a fake one. */
static const char *as_allowed(const struct gpmu_machine *machine, bool wants_restriction)
{
	static const struct gpmu_plan_options allowed = { .size = sizeof(allowed), .user_only = -1 };
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	struct gpmu_plan *plan;
	static char name[32];

	is_restricted = wants_restriction;
	asked = 0;
	plan = gpmu_plan_new(machine, catalog, &allowed, NULL);
	name[0] = '\0';
	if (plan && !gpmu_plan_add_events(plan, "task-clock", NULL))
		snprintf(name, sizeof(name), "%s", gpmu_plan_item(plan, 0));
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	return name;
}

static void allowed(const struct fixture *ours)
{
	struct gpmu_machine *here = gpmu_machine_new(NULL, NULL);

	is_str(as_allowed(here, true), "task-clock:u",
	       "plan, user only -1: events get the modifier u if the kernel allows no more");
	is_str(as_allowed(here, false), "task-clock",
	       "plan, user only -1: events get no modifier if the kernel allows the rest");
	is_u64((uint64_t)asked, 1, "plan, user only -1: the kernel is asked once for a plan");
	is_str(as_allowed(ours->machine, true), "task-clock",
	       "plan, user only -1: events of another machine get no modifier");
	is_u64((uint64_t)asked, 0,
	       "plan, user only -1: this kernel is not asked about another machine");
	gpmu_machine_free(here);
}

int main(void)
{
	struct fixture ours;

	fixture_init(&ours, "superchip-ours");
	events(&ours);
	metrics(&ours);
	allowed(&ours);
	fixture_release(&ours);
	return done_testing();
}
