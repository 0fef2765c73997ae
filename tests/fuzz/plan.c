// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any list of metrics, and of events after a newline, makes a plan or is refused with a
 * position and a reason. A plan conforms to the documentation in the header.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../sysroot/sysroot.h"
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Metrics that use other metrics, and events of several PMUs */
static const char json[] = "["
	"{\"MetricName\":\"whole\",\"MetricExpr\":\"part / nvidia_pcie_pmu@rd_bytes_loc@\","
	"\"MetricThreshold\":\"whole > 1 & other > 2\"},"
	"{\"MetricName\":\"part\",\"MetricExpr\":\"l1d_cache + nvidia_scf_pmu@cycles@\"},"
	"{\"MetricName\":\"other\",\"MetricExpr\":\"stall\"}]";

static struct gpmu_machine *machine;
static struct gpmu_catalog *catalog;

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static void release(void)
{
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
}

/* The machine and catalog of the plans, made once */
static void init(void)
{
	char path[SYSROOT_PATH];
	struct sysroot root;

	sysroot_make(&root, "superchip-ours");
	sysroot_put(&root, "metrics.json", json);
	sysroot_path(&root, path, "metrics.json");
	machine = gpmu_machine_new(root.path, NULL);
	catalog = gpmu_catalog_new(path, NULL);
	sysroot_release(&root);
	must(machine && catalog);
	atexit(release);
}

static void check_metric(const struct gpmu_plan *plan, const struct plan_metric *metric)
{
	const struct gpmu_pmu *pmu;
	size_t i, j, k;

	if (plan->metrics[metric->root].why)
		return;
	for (i = 0; i < gpmu_expr_id_count(metric->expr); i++) {
		const struct plan_input *input = &metric->inputs[i];

		must(input->kind != PLAN_METRIC || input->metric < plan->metric_count);
		for (j = 0; input->kind == PLAN_SLOTS && j < input->length; j++) {
			must(input->slots[j] < plan->slot_count);
			pmu = plan->slots[input->slots[j]].instance->pmu;
			for (k = 0; k < j; k++)
				must(!pmu || plan->slots[input->slots[k]].instance->pmu != pmu);
		}
	}
}

static void check(const struct gpmu_plan *plan)
{
	char *text = gpmu_plan_text(plan);
	size_t i, j, first = 0;

	must(text != NULL);
	free(text);
	for (i = 0; i < gpmu_plan_group_count(plan); i++) {
		must(plan->groups[i].first == first && plan->groups[i].length);
		for (j = 0; gpmu_plan_group_event(plan, i, j); j++)
			must(plan->slots[first + j].group == i);
		must(j == plan->groups[i].length);
		first += j;
	}
	must(first == plan->slot_count);
	for (i = 0; i < plan->metric_count; i++)
		check_metric(plan, &plan->metrics[i]);
	for (i = 0; i < plan->item_count; i++)
		must(plan->items[i].index < (plan->items[i].kind == PLAN_ITEM_METRIC ?
					     plan->metric_count : plan->event_count));
}

static int add(int (*function)(struct gpmu_plan *, const char *, struct gpmu_error *),
	       struct gpmu_plan *plan, const char *list)
{
	struct gpmu_error error = { .size = sizeof(error), .offset = SIZE_MAX, .text = "" };
	size_t metrics = plan->metric_count, events = plan->event_count, items = plan->item_count;
	int ret = function(plan, list, &error);

	if (!ret)
		return 0;
	must(ret < 0 && error.text[0] && error.offset <= strlen(list));
	must(plan->metric_count == metrics && plan->event_count == events && plan->item_count == items);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *metrics = malloc(size + 1), *events;
	struct gpmu_plan *plan;

	if (!machine)
		init();
	plan = gpmu_plan_new(machine, catalog, NULL, NULL);
	must(metrics && plan);
	memcpy(metrics, data, size);
	metrics[size] = '\0';
	events = strchr(metrics, '\n');
	if (events)
		*events++ = '\0';
	add(gpmu_plan_add_metrics, plan, metrics);
	if (events)
		add(gpmu_plan_add_events, plan, events);
	must(!gpmu_plan_make(plan, NULL));
	check(plan);
	gpmu_plan_free(plan);
	free(metrics);
	return 0;
}
