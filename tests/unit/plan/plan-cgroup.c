// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plans of the tasks of cgroups, whose hierarchy is found below the root directory. */
#include "alloc.h"
#include "plan-test.h"

#define V2	"none /sys/fs/cgroup\\040two cgroup2 rw 0 0\n"

static void mounts(struct fixture *fixture, const char *text)
{
	sysroot_put(&fixture->root, "proc/mounts", text);
}

static struct gpmu_plan *new_plan(const struct fixture *fixture)
{
	const struct gpmu_plan_options options = { .size = sizeof(options), .system_wide = 1 };

	return gpmu_plan_new(fixture->machine, fixture->catalog, &options, NULL);
}

static void is_error(const struct fixture *fixture, const char *name, int err, const char *text,
		     const char *what)
{
	struct gpmu_plan *plan = new_plan(fixture);
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = gpmu_plan_set_cgroup(plan, name, &error);

	if (!ok(ret == -err && !strcmp(error.text, text), "%s", what))
		diag("got %d, \"%s\"", ret, error.text);
	gpmu_plan_free(plan);
}

static void finds(struct fixture *fixture)
{
	struct gpmu_plan *plan;

	is_error(fixture, "a", ENODEV, "cgroup a: no hierarchy of cgroups is mounted: "
		 "mount -t cgroup2 none /sys/fs/cgroup",
		 "cgroup: a machine without /proc/mounts has none, and the error has the remedy");
	mounts(fixture, "none /proc proc rw 0 0\nnone /c cgroup rw,cpu 0 0\nshort\n");
	is_error(fixture, "a", ENODEV, "cgroup a: no hierarchy of cgroups is mounted: "
		 "mount -t cgroup2 none /sys/fs/cgroup",
		 "cgroup: a v1 hierarchy without perf_event is not used");
	mounts(fixture, V2);
	is_error(fixture, "a", ENOENT, "no cgroup a in /sys/fs/cgroup two",
		 "cgroup: a missing mount point is reported with the name of the cgroup");
	sysroot_put(&fixture->root, "sys/fs/cgroup two/app/x/cgroup.procs", "");
	sysroot_put(&fixture->root, "sys/fs/cgroup two/file", "");
	is_error(fixture, "nope", ENOENT, "no cgroup nope in /sys/fs/cgroup two",
		 "cgroup: an unknown cgroup is reported with its hierarchy");
	is_error(fixture, "file", ENOTDIR, "no cgroup file in /sys/fs/cgroup two",
		 "cgroup: a file of the hierarchy is no cgroup");
	is_error(fixture, "app/x", 0, "", "cgroup: a path in a v2 hierarchy with a blank is found");
	is_error(fixture, "/app", 0, "", "cgroup: a name can begin with a slash");
	is_error(fixture, "/", 0, "", "cgroup: / is the root of the hierarchy");
	mounts(fixture, V2 "none /v1 cgroup rw,perf_event 0 0\n");
	is_error(fixture, "app", ENOENT, "no cgroup app in /v1",
		 "cgroup: a v1 hierarchy with perf_event is preferred to v2");
	mounts(fixture, V2);
	plan = new_plan(fixture);
	ok(!gpmu_plan_make(plan, NULL) && gpmu_plan_set_cgroup(plan, "app", NULL) == -EBUSY,
	   "cgroup: a plan that has been made refuses a cgroup");
	gpmu_plan_free(plan);
}

static const char *cgroup_of(const struct gpmu_plan *plan, size_t group)
{
	const struct event_cgroup *cgroup = plan->slots[plan->groups[group].first].instance->cgroup;

	return cgroup ? cgroup->name : "-";
}

static void plans(struct fixture *fixture)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan = new_plan(fixture);
	bool is_apart = true;
	int ret = 0;

	for (int i = 0; i < 3 && !ret; i++) {
		ret = gpmu_plan_set_cgroup(plan, i ? "app" : "app/x", &error);
		if (!ret)
			ret = gpmu_plan_add_metrics(plan, "rate", &error);
		if (!ret && i < 2)
			ret = gpmu_plan_add_events(plan, "{cycles,task-clock}", &error);
	}
	if (!ret)
		ret = gpmu_plan_set_cgroup(plan, NULL, &error);
	if (!ret)
		ret = gpmu_plan_add_events(plan, "cycles", &error);
	ok(!ret && !gpmu_plan_make(plan, &error) && plan->cgroup_count == 2,
	   "plan: a cgroup that is set again is opened once");
	ok(plan->item_count == 7, "plan: a metric is added once for each cgroup");
	ok(plan->group_count == 5, "plan: events of two cgroups are in different groups");
	for (size_t i = 0; i < plan->group_count; i++)
		for (size_t j = 1; j < plan->groups[i].length; j++) {
			size_t first = plan->groups[i].first;

			is_apart = is_apart && plan->slots[first].instance->cgroup ==
					 plan->slots[first + j].instance->cgroup;
		}
	ok(is_apart, "plan: the events of a group are of one cgroup");
	ok(!strcmp(cgroup_of(plan, 0), "app/x") && !strcmp(cgroup_of(plan, 4), "-"),
	   "plan: events after the last cgroup count all tasks");
	gpmu_plan_free(plan);
}

static void refuses(struct fixture *fixture)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_session_options tasks = { .size = sizeof(tasks) };
	struct gpmu_plan *plan = new_plan(fixture);
	bool is_ok;

	is_ok = !gpmu_plan_set_cgroup(plan, "app", &error) &&
		!gpmu_plan_add_metrics(plan, "GraceMemBW", &error) &&
		!gpmu_plan_add_events(plan, "nvidia_scf_pmu/cycles/,user_time,page-faults", &error) &&
		!gpmu_plan_make(plan, &error);
	ok(is_ok, "plan: events that do not count tasks are no error in a cgroup");
	is_str(gpmu_plan_item_why(plan, 0), "its PMU counts the machine, not the tasks of a cgroup",
	       "plan: a metric of a PMU outside the cores is not supported in a cgroup");
	is_str(gpmu_plan_item_why(plan, 1), "its PMU counts the machine, not the tasks of a cgroup",
	       "plan: an event of a PMU outside the cores is not supported in a cgroup");
	is_str(gpmu_plan_item_why(plan, 2), "user_time and system_time are not counted by cgroup; cpu.stat of the cgroup has them",
	       "plan: user_time is not supported in a cgroup");
	ok(!gpmu_plan_item_why(plan, 3), "plan: a software event is supported in a cgroup");
	errno = 0;
	ok(!gpmu_session_new(plan, &tasks, &error) && errno == EINVAL,
	   "session: a plan of cgroups is refused for a target of tasks");
	gpmu_plan_free(plan);
}

static void out_of_memory(struct fixture *fixture)
{
	struct gpmu_plan *plan = new_plan(fixture);
	struct gpmu_error error = { .size = sizeof(error) };
	int n, ret = -ENOMEM;
	bool is_right = true;

	for (n = 0; n < 100 && ret; n++) {
		alloc_left = n;
		ret = gpmu_plan_set_cgroup(plan, "app", &error);
		is_right = is_right && (!ret || (ret == -ENOMEM && !plan->cgroup_count && !plan->cgroup));
	}
	alloc_left = -1;
	ok(is_right && !ret && n > 3, "plan: a failed allocation sets no cgroup");
	gpmu_plan_free(plan);
}

int main(void)
{
	struct fixture fixture;

	fixture_init(&fixture, "superchip-ours");
	fixture_add(&fixture, "rate.json", "[{\"MetricName\":\"rate\",\"MetricExpr\":\"page\\\\-faults / duration_time\"}]");
	finds(&fixture);
	plans(&fixture);
	refuses(&fixture);
	out_of_memory(&fixture);
	fixture_release(&fixture);
	return done_testing();
}
