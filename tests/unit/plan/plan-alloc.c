// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn. The operation then fails with ENOMEM, leaves the plan unchanged,
 * and leaks nothing.
 */
#include "alloc.h"
#include "plan-test.h"

/* One of each object that needs an allocation */
static const char json[] = "["
	"{\"MetricName\":\"whole\",\"MetricExpr\":\"part / inst_retired if "
	"has_event(inst_retired) else 1\",\"MetricThreshold\":\"whole > 1 & other > 2\"},"
	"{\"MetricName\":\"part\",\"MetricExpr\":\"l1d_cache + l1d_cache_refill\"},"
	"{\"MetricName\":\"other\",\"MetricExpr\":\"mem_access * #num_packages\"},"
	"{\"MetricName\":\"lacks\",\"MetricExpr\":\"no_such_event_at_all\"},"
	"{\"MetricName\":\"loop_a\",\"MetricExpr\":\"loop_b\"},"
	"{\"MetricName\":\"loop_b\",\"MetricExpr\":\"loop_a\"},"
	"{\"MetricName\":\"seven\",\"MetricExpr\":\"nvidia_scf_pmu@cmem_rd_data@ + "
	"nvidia_scf_pmu@cmem_wr_data@ + nvidia_scf_pmu@cmem_rd_access@ + "
	"nvidia_scf_pmu@cmem_wr_access@ + "
	"nvidia_scf_pmu@cmem_wb_access@ + nvidia_scf_pmu@gmem_rd_data@ + "
	"nvidia_scf_pmu@gmem_rd_access@\"}]";

struct result {
	int ret;
	char *text;
};

static const struct gpmu_plan_options *options;

static struct result run(const struct fixture *fixture, const char *metrics, const char *events,
			 bool *is_same, bool *is_explained)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan = gpmu_plan_new(fixture->machine, fixture->catalog, options, &error);
	struct result result = { .ret = -errno };

	if (!plan) {
		*is_explained = *is_explained && *error.text;
		return result;
	}
	result.ret = metrics ? gpmu_plan_add_metrics(plan, metrics, &error) : 0;
	*is_same = *is_same && (!result.ret || (!plan->item_count && !plan->metric_count && !plan->event_count));
	if (!result.ret && events)
		result.ret = gpmu_plan_add_events(plan, events, &error);
	if (!result.ret)
		result.ret = gpmu_plan_make(plan, &error);
	*is_explained = *is_explained && (!result.ret || *error.text);
	if (!result.ret) {
		errno = 0;
		result.text = gpmu_plan_text(plan);
		result.ret = result.text ? 0 : -errno;
	}
	gpmu_plan_free(plan);
	return result;
}

/* With all memory the result is @ret and a text that begins with @begin. */
static void each(const struct fixture *fixture, const char *metrics, const char *events, int ret,
		 const char *begin, int min)
{
	struct result result = { .ret = -ENOMEM };
	bool is_right = true, is_same = true, is_explained = true;
	int n;

	for (n = 0; n < 20000; n++) {
		alloc_left = n;
		errno = 0;
		result = run(fixture, metrics, events, &is_same, &is_explained);
		if (alloc_left >= 0)
			break;
		is_right = is_right && result.ret == -ENOMEM && !result.text;
		if (result.ret != -ENOMEM)
			diag("allocation %d: %d", n, result.ret);
		free(result.text);
	}
	alloc_left = -1;
	diag("%d allocations", n);
	ok(n > min && is_right, "plan: each failed allocation is ENOMEM (metrics \"%s\", events \"%s\")",
	   metrics ? metrics : "", events ? events : "");
	ok(is_explained, "plan: each failure has a text (metrics \"%s\", events \"%s\")",
	   metrics ? metrics : "", events ? events : "");
	ok(is_same, "plan: a failed allocation adds nothing (metrics \"%s\", events \"%s\")",
	   metrics ? metrics : "", events ? events : "");
	ok(result.ret == ret && (!begin || (result.text && !strncmp(result.text, begin,
									strlen(begin)))),
	   "plan: the result with all memory is as expected (metrics \"%s\", events \"%s\")",
	   metrics ? metrics : "", events ? events : "");
	free(result.text);
}

int main(void)
{
	struct fixture ours;

	fixture_init(&ours, "superchip-ours");
	fixture_add(&ours, "metrics.json", json);
	sysroot_put(&ours.root, "sys/bus/event_source/devices/nvidia_pcie_pmu_1/cpumask", "\n");
	fixture_look(&ours);
	each(&ours, "whole,lacks,seven,GracePcieReadBW/root_port=0x3/,grace_c2c0", NULL, 0,
	     "duration_time,{inst_retired,l1d_cache,l1d_cache_refill}", 300);
	each(&ours, "ipc:u", "{nvidia_scf_pmu/cycles/,nvidia_scf_pmu_0/event=cycles/},task-clock,"
		"no_pmu_0/x/",
	     -ENOENT, NULL, 20);
	each(&ours, NULL, "{nvidia_scf_pmu/cycles/,nvidia_scf_pmu_0/event=cycles/},"
		"nvidia_pcie_pmu/cycles/",
	     0, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/event=cycles/}", 20);
	each(&ours, NULL, "{sched:*,cs}", 0, "{sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,cs}",
	     20);
	each(&ours, NULL, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/event=cycles/}:W", 0,
	     "nvidia_scf_pmu_0/cycles/W,nvidia_scf_pmu_0/event=cycles/W", 20);
	each(&ours, "part,loop_a", NULL, -EINVAL, NULL, 10);
	each(&ours, "GraceMemBW/port=1/", NULL, -EINVAL, NULL, 10);
	each(&ours, "GracePcieBW/port=1/", NULL, -EINVAL, NULL, 10);
	each(&ours, "GraceMemBx", NULL, -ENOENT, NULL, 1);
	options = &(struct gpmu_plan_options){ .size = sizeof(*options), .user_only = 1 };
	each(&ours, "whole", "task-clock", 0, "{inst_retired:u,l1d_cache:u,l1d_cache_refill:u}",
	     20);
	fixture_release(&ours);
	return done_testing();
}
