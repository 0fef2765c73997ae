/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fake machines with a catalog, and plans for them */
#ifndef GPMU_TESTS_PLAN_H
#define GPMU_TESTS_PLAN_H

#include <errno.h>
#include <stdlib.h>

#include "sysroot.h"
#include "gpmu.h"
#include "plan/plan.h"
#include "tap.h"

struct fixture {
	struct sysroot root;
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
};

/* Reads the machine again, which the test may have changed. */
__attribute__((unused))
static void fixture_look(struct fixture *fixture)
{
	struct gpmu_error error = { .size = sizeof(error) };

	gpmu_machine_free(fixture->machine);
	fixture->machine = gpmu_machine_new(fixture->root.path, &error);
	if (!fixture->machine)
		sysroot_bail(error.text);
}

__attribute__((unused))
static void fixture_init(struct fixture *fixture, const char *name)
{
	struct gpmu_error error = { .size = sizeof(error) };

	sysroot_make(&fixture->root, name);
	fixture->machine = NULL;
	fixture_look(fixture);
	fixture->catalog = gpmu_catalog_new(NULL, &error);
	if (!fixture->catalog)
		sysroot_bail(error.text);
}

__attribute__((unused))
static void fixture_release(struct fixture *fixture)
{
	gpmu_catalog_free(fixture->catalog);
	gpmu_machine_free(fixture->machine);
	sysroot_release(&fixture->root);
}

/* Adds the JSON text as the file @name below the fixture's root. */
__attribute__((unused))
static void fixture_add(struct fixture *fixture, const char *name, const char *json)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char path[SYSROOT_PATH];

	sysroot_put(&fixture->root, name, json);
	sysroot_path(&fixture->root, path, "%s", name);
	if (gpmu_catalog_add(fixture->catalog, path, &error))
		sysroot_bail(error.text);
}

/* A plan of metrics and events, each a list or NULL; NULL on an error */
__attribute__((unused))
static struct gpmu_plan *plan_of(const struct fixture *fixture,
				 const struct gpmu_plan_options *options, const char *metrics,
				 const char *events)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan = gpmu_plan_new(fixture->machine, fixture->catalog, options, &error);

	if (!plan || (metrics && gpmu_plan_add_metrics(plan, metrics, &error)) ||
	    (events && gpmu_plan_add_events(plan, events, &error)) ||
	    gpmu_plan_make(plan, &error)) {
		diag("%s", error.text);
		gpmu_plan_free(plan);
		return NULL;
	}
	return plan;
}

/* Checks the text of a plan, and its warnings, one a line. */
__attribute__((unused))
static void is_plan(const struct fixture *fixture, const struct gpmu_plan_options *options,
		    const char *metrics, const char *events, const char *text,
		    const char *warnings, const char *what)
{
	struct gpmu_plan *plan = plan_of(fixture, options, metrics, events);
	char *got, lines[4096] = "";
	const char *warning;
	bool is_same;

	if (!ok(plan != NULL, "%s (the plan is made)", what))
		return;
	for (size_t i = 0; (warning = gpmu_plan_warning(plan, i)); i++)
		snprintf(lines + strlen(lines), sizeof(lines) - strlen(lines), "%s%s", i ? "\n"
		: "",
			 warning);
	got = gpmu_plan_text(plan);
	is_same = !strcmp(got, text) && !strcmp(lines, warnings);
	if (!ok(is_same, "%s", what))
		diag("got \"%s\"\n# with \"%s\"", got, lines);
	free(got);
	gpmu_plan_free(plan);
}

/* Checks that adding a list fails with this error and leaves the plan unchanged. */
__attribute__((unused))
static void is_refused(const struct fixture *fixture,
		       int (*add)(struct gpmu_plan *, const char *, struct gpmu_error *),
		       const char *list, int err, size_t offset, const char *text, const char *what)
{
	struct gpmu_plan *plan = gpmu_plan_new(fixture->machine, fixture->catalog, NULL, NULL);
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = add(plan, list, &error);
	bool is_same = ret == -err && error.offset == offset && !strcmp(error.text, text) &&
		       !plan->item_count && !plan->metric_count && !plan->event_count;

	if (!ok(is_same, "%s", what))
		diag("got %d, \"%s\" at %zu", ret, error.text, error.offset);
	gpmu_plan_free(plan);
}

#endif /* GPMU_TESTS_PLAN_H */
