/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traffic of fake machines, and rows of counts made by hand */
#ifndef GPMU_TESTS_TRAFFIC_H
#define GPMU_TESTS_TRAFFIC_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "gpmu.h"
#include "values/rows.h"
#include "sysroot.h"
#include "tap.h"
#include "traffic/gpmu_traffic.h"

#define SEC	 1000000000ull /* in ns */
#define MAX_ROWS 512

struct traffic {
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
	struct gpmu_plan *plan;
	struct gpmu_traffic *flow;
	struct gpmu_error error;
	struct gpmu_row rows[MAX_ROWS];
	size_t n;
};

__attribute__((unused)) static void traffic_bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* Each event counts 0 in a second; cycles count 1 G. */
static void traffic_rows(struct traffic *t)
{
	const char *name;

	for (t->n = 0; (name = gpmu_plan_item(t->plan, t->n)); t->n++) {
		if (t->n == MAX_ROWS)
			traffic_bail("too many events");
		t->rows[t->n] = (struct gpmu_row){
			.size = sizeof(t->rows[0]),
			.time_end = SEC,
			.name = name,
			.node = -1,
			.package = -1,
			.cpu = -1,
			.pid = -1,
			.state = GPMU_STATE_OK,
			.share = 1,
			.enabled = SEC,
			.running = SEC,
			.counters = 1,
			.alert = -1,
			.runs = 1,
			.raw = strstr(name, "/cycles") ? SEC : 0,
		};
	}
}

/* @change, if not NULL, changes the fake machine's files first. */
__attribute__((unused)) static void traffic_init(struct traffic *t, const char *fixture,
						 enum gpmu_traffic_chip chip,
						 void (*change)(const struct sysroot *root))
{
	struct sysroot root;

	memset(t, 0, sizeof(*t));
	t->error.size = sizeof(t->error);
	sysroot_make(&root, fixture);
	if (change)
		change(&root);
	t->machine = gpmu_machine_new(root.path, &t->error);
	t->catalog = gpmu_catalog_new(NULL, &t->error);
	if (!t->machine || !t->catalog)
		traffic_bail(t->error.text);
	/* The fake machine's files are still there for gpmu_traffic_new(). */
	t->flow = gpmu_traffic_new(t->machine, chip, &t->error);
	sysroot_release(&root);
	if (!t->flow)
		return;
	t->plan = gpmu_plan_new(t->machine, t->catalog, NULL, &t->error);
	if (!t->plan || gpmu_traffic_plan(t->flow, t->plan, &t->error) ||
	    gpmu_plan_make(t->plan, &t->error))
		traffic_bail(t->error.text);
	traffic_rows(t);
}

__attribute__((unused)) static void traffic_release(struct traffic *t)
{
	gpmu_plan_free(t->plan);
	gpmu_traffic_free(t->flow);
	gpmu_catalog_free(t->catalog);
	gpmu_machine_free(t->machine);
}

/* Returns the row of an event, which must exist. */
__attribute__((unused)) static struct gpmu_row *traffic_row(struct traffic *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->rows[i].name, name))
			return &t->rows[i];
	traffic_bail(name);
	return NULL;
}

__attribute__((unused)) static bool traffic_has(const struct traffic *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->rows[i].name, name))
			return true;
	return false;
}

__attribute__((unused)) static void traffic_count(struct traffic *t, const char *name, uint64_t raw)
{
	traffic_row(t, name)->raw = raw;
}

/* Sets the time of all rows and updates. */
__attribute__((unused)) static void traffic_update(struct traffic *t, uint64_t ns)
{
	for (size_t i = 0; i < t->n; i++)
		t->rows[i].enabled = t->rows[i].running = ns;
	gpmu_traffic_update(t->flow, &(struct gpmu_rows){ t->rows, t->n });
}

/* By name, such as "CPU 0 -> CMEM 1" */
__attribute__((unused)) static const struct gpmu_traffic_line *traffic_cell(const struct traffic *t,
									    const char *name)
{
	const struct gpmu_traffic_line *cell;

	for (size_t i = 0; gpmu_traffic_source(t->flow, i); i++)
		for (size_t j = 0; (cell = gpmu_traffic_cell(t->flow, i, j)); j++)
			if (!strcmp(cell->name, name))
				return cell;
	traffic_bail(name);
	return NULL;
}

__attribute__((unused)) static const struct gpmu_traffic_line *traffic_sum(const struct traffic *t,
									   const char *name)
{
	const struct gpmu_traffic_line *sum;

	for (size_t i = 0; (sum = gpmu_traffic_sum(t->flow, i)); i++)
		if (!strcmp(sum->name, name))
			return sum;
	traffic_bail(name);
	return NULL;
}

__attribute__((unused)) static const struct gpmu_traffic_link *traffic_link(const struct traffic *t,
									    const char *name)
{
	const struct gpmu_traffic_link *link;

	for (size_t i = 0; (link = gpmu_traffic_link(t->flow, i)); i++)
		if (!strcmp(link->name, name))
			return link;
	traffic_bail(name);
	return NULL;
}

__attribute__((unused)) static const struct gpmu_traffic_peak *traffic_peak(const struct traffic *t,
									    const char *name)
{
	const struct gpmu_traffic_peak *peak;

	for (size_t i = 0; (peak = gpmu_traffic_peak(t->flow, i)); i++)
		if (!strcmp(peak->name, name))
			return peak;
	traffic_bail(name);
	return NULL;
}

__attribute__((unused)) static bool traffic_near(double got, double want)
{
	return fabs(got - want) <= fabs(want) * 1e-9;
}

__attribute__((unused)) static void show_value(const struct gpmu_traffic_value *value)
{
	diag("state %d, derived %d, bytes %.15g, rate %.15g, %.15g to %.15g, share %g, why %s",
	     (int)value->state, value->derived, value->bytes, value->rate, value->low, value->high,
	     value->share, value->why ? value->why : "-");
}

__attribute__((unused)) static void is_bytes(const struct gpmu_traffic_value *value, double bytes,
					     const char *what)
{
	if (!ok(value->state == GPMU_TRAFFIC_OK && value->bytes == bytes &&
			value->low == value->rate && value->high == value->rate && !value->why,
		"%s", what))
		show_value(value);
}

__attribute__((unused)) static void is_rate(const struct gpmu_traffic_value *value, double rate,
					    const char *what)
{
	if (!ok(value->state == GPMU_TRAFFIC_OK && traffic_near(value->rate, rate), "%s", what))
		show_value(value);
}

__attribute__((unused)) static void is_range(const struct gpmu_traffic_value *value, double low,
					     double high, const char *what)
{
	if (!ok(value->state == GPMU_TRAFFIC_RANGE && isnan(value->bytes) && isnan(value->rate) &&
			traffic_near(value->low, low) && traffic_near(value->high, high),
		"%s", what))
		show_value(value);
}

__attribute__((unused)) static void is_without(const struct gpmu_traffic_value *value,
					       enum gpmu_traffic_state state, const char *why,
					       const char *what)
{
	if (!ok(value->state == state && isnan(value->rate) && isnan(value->low) && value->why &&
			strstr(value->why, why),
		"%s", what))
		show_value(value);
}

#endif /* GPMU_TESTS_TRAFFIC_H */
