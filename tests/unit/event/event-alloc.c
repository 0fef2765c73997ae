// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn, for one event of each kind. gpmu_event_new() then fails with
 * ENOMEM and leaks nothing.
 */
#include "alloc.h"
#include "event-test.h"
#include "event/event_list.h"

static struct fixture fixture;
static const char *text;

static int make_event(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_event *event;
	int ret;

	errno = 0;
	event = gpmu_event_new(fixture.machine, fixture.catalog, text, &error);
	if (!event) {
		ret = errno;
		return strcmp(error.text, "out of memory") ? 1 : -ret;
	}
	ret = *error.text || !gpmu_event_instance_name(event, 0);
	gpmu_event_free(event);
	return ret;
}

static int edit(void)
{
	char *edited = event_with_terms("p/a,b=1/u", "b=2,c");
	int ret = edited ? strcmp(edited, "p/a,b=2,c/u") : -errno;

	free(edited);
	return ret;
}

static int has_format(void)
{
	int ret = event_has_format(fixture.machine, "nvidia_pcie_pmu/cycles/", "root_port");

	return ret == 1 ? 0 : ret;
}

static int make_list(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct event_list list;
	int ret = event_list_init(&list, "{a,b,c,d,e,f,g,h,i}:u,j,k,l,m,n,o,p,q,r,s", &error);

	if (!ret)
		event_list_release(&list);
	else if (strcmp(error.text, "out of memory"))
		ret = 1;
	return ret;
}

int main(void)
{
	static const struct {
		const char *text;
		int allocations_min;
	} events[] = {
		{ "nvidia_scf_pmu/cmem_rd_data,name=x/", 10 },
		{ "nvidia_*_pmu_*/event=cycles/D", 10 },
		{ "cpu_cycles:u", 6 },
		{ "cycles:u", 4 },
		{ "cmem_rd_data", 8 },
		{ "L1-dcache-load-misses", 4 },
		{ "r11", 4 },
		{ "duration_time", 4 },
		{ "perf::CYCLES:u", 4 },
		{ "perf_raw::r11", 4 },
		{ "sched:sched_switch", 5 },
		{ "sched:sched_*", 9 },
		{ "*:*", 12 },
	};
	char what[96];

	/* Libraries allocate some memory once per process. */
	fixture_init(&fixture, "superchip");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		text = events[i].text;
		if (make_event())
			sysroot_bail(text);
		snprintf(what, sizeof(what), "event: %s", text);
		alloc_fail_each(make_event, events[i].allocations_min, what);
	}
	alloc_fail_each(edit, 5, "event: adding a filter");
	alloc_fail_each(has_format, 2, "event: looking up a format");
	alloc_fail_each(make_list, 20, "event: parsing a list");
	fixture_release(&fixture);
	fixture_init(&fixture, "laptop");
	text = "uncore_imc/data_reads/";
	alloc_fail_each(make_event, 8, "event: an event with a unit");
	fixture_release(&fixture);
	return done_testing();
}
