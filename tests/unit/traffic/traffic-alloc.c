// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation fails in turn: making traffic, and adding its events to a plan. */
#include "alloc.h"
#include "traffic-test.h"

static struct gpmu_machine *machine;
static struct gpmu_catalog *catalog;

static int make(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_traffic *flow = gpmu_traffic_new(machine, GPMU_TRAFFIC_ANY, &error);
	int ret = flow ? 0 : -errno;

	if (ret && !*error.text)
		ret = 1;
	gpmu_traffic_free(flow);
	return ret;
}

static int plan(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_traffic *flow;
	struct gpmu_plan *plan;
	int left = alloc_left, ret;

	alloc_left = -1;
	flow = gpmu_traffic_new(machine, GPMU_TRAFFIC_ANY, NULL);
	plan = gpmu_plan_new(machine, catalog, NULL, NULL);
	alloc_left = left;
	ret = gpmu_traffic_plan(flow, plan, &error);
	left = alloc_left;
	alloc_left = -1;
	gpmu_plan_free(plan);
	gpmu_traffic_free(flow);
	alloc_left = left;
	return ret;
}

static void update(void)
{
	struct traffic t;

	traffic_init(&t, "superchip", GPMU_TRAFFIC_ANY, NULL);
	alloc_left = 0;
	traffic_update(&t, SEC);
	ok(alloc_left == 0, "traffic: an update allocates nothing");
	alloc_left = -1;
	traffic_release(&t);
}

int main(void)
{
	struct sysroot root;

	sysroot_make(&root, "gh4");
	machine = gpmu_machine_new(root.path, NULL);
	sysroot_release(&root);
	catalog = gpmu_catalog_new(NULL, NULL);
	ok(gpmu_catalog_metric(catalog, 0), "traffic: the built-in catalog is loaded");
	alloc_fail_each(make, 100, "traffic: making that of four sockets");
	alloc_fail_each(plan, 100, "traffic: adding its events to a plan");
	update();
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return done_testing();
}
