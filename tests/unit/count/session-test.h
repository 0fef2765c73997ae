/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sessions on this machine, or on a fake machine with a source */
#ifndef GPMU_TESTS_SESSION_H
#define GPMU_TESTS_SESSION_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "sysroot.h"
#include "gpmu.h"
#include "count/gpmu_region.h"
#include "plugin/source-paths.h"
#include "tap.h"
#include "values/rows.h"

#define MS  1000000ull /* in ns */
#define SEC 1000000000ull

struct test {
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
	struct gpmu_source *source;
	struct gpmu_plan *plan;
	struct gpmu_session *session;
	struct gpmu_error error;
	/* of the last call */
	const struct gpmu_rows *rows;
};

static void test_bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/*
 * @fixture: a machine of tests/sysroot; NULL: this machine. @source: a source to add, or NULL.
 * @metrics, @events: lists, or NULL.
 */
__attribute__((unused)) static void test_plan(struct test *test, const char *fixture,
					      const char *source, const char *metrics,
					      const char *events)
{
	const struct gpmu_plan_options options = { .size = sizeof(options), .system_wide = 1 };
	struct sysroot root;

	memset(test, 0, sizeof(*test));
	test->error.size = sizeof(test->error);
	if (fixture)
		sysroot_make(&root, fixture);
	test->machine = gpmu_machine_new(fixture ? root.path : NULL, &test->error);
	if (fixture)
		sysroot_release(&root);
	test->catalog = gpmu_catalog_new(NULL, &test->error);
	if (!test->machine || !test->catalog)
		test_bail(test->error.text);
	if (source) {
		test->source = gpmu_source_new(source, &test->error);
		if (!test->source ||
		    gpmu_machine_add_source(test->machine, test->source, &test->error))
			test_bail(test->error.text);
	}
	test->plan = gpmu_plan_new(test->machine, test->catalog, &options, &test->error);
	if (!test->plan || (metrics && gpmu_plan_add_metrics(test->plan, metrics, &test->error)) ||
	    (events && gpmu_plan_add_events(test->plan, events, &test->error)) ||
	    gpmu_plan_make(test->plan, &test->error))
		test_bail(test->error.text);
}

/* Returns 0 or the errno of gpmu_session_new(). */
__attribute__((unused)) static int test_session(struct test *test,
						const struct gpmu_session_options *options)
{
	test->error.text[0] = '\0';
	test->session = gpmu_session_new(test->plan, options, &test->error);
	return test->session ? 0 : errno;
}

__attribute__((unused)) static void test_start(struct test *test,
					       const struct gpmu_session_options *options)
{
	if (test_session(test, options))
		test_bail(test->error.text);
	if (gpmu_session_enable(test->session))
		test_bail("not enabled");
}

__attribute__((unused)) static void test_stop(struct test *test)
{
	gpmu_session_free(test->session);
	test->session = NULL;
}

__attribute__((unused)) static void test_release(struct test *test)
{
	test_stop(test);
	gpmu_plan_free(test->plan);
	gpmu_catalog_free(test->catalog);
	gpmu_machine_free(test->machine);
	gpmu_source_put(test->source);
}

/* Returns 0, or the error of gpmu_session_next(); -ENODATA: there is no interval. */
__attribute__((unused)) static int test_interval(struct test *test)
{
	int ret = gpmu_session_next(test->session, &test->rows);

	return ret == 1 ? 0 : ret ? ret : -ENODATA;
}

__attribute__((unused)) static int test_total(struct test *test)
{
	return gpmu_session_total(test->session, &test->rows);
}

/* Returns a row of the last call; an absent row has no state. */
__attribute__((unused)) static const struct gpmu_row *row(const struct test *test, size_t index)
{
	static const struct gpmu_row none = { .name = "none", .state = (enum gpmu_state) - 1 };

	return index < test->rows->length ? &test->rows->list[index] : &none;
}

__attribute__((unused)) static bool is_raw(const struct test *test, size_t index, uint64_t want,
					   const char *what)
{
	const struct gpmu_row *r = row(test, index);
	bool has_passed = ok(r->raw == want && r->state == GPMU_STATE_OK, "%s", what);

	if (!has_passed)
		diag("%s: got %" PRIu64 ", state %d (%s), want %" PRIu64, r->name, r->raw,
		     (int)r->state, r->why ? r->why : "", want);
	return has_passed;
}

__attribute__((unused)) static bool is_state(const struct test *test, size_t index,
					     enum gpmu_state state, const char *why,
					     const char *what)
{
	const struct gpmu_row *r = row(test, index);
	bool has_passed = ok(r->state == state && isnan(r->value) && r->why && strstr(r->why, why), "%s",
			     what);

	if (!has_passed)
		diag("%s: state %d (%s), value %g", r->name, (int)r->state, r->why ? r->why : "",
		     r->value);
	return has_passed;
}

__attribute__((unused)) static bool close_to(double got, double want, double relative)
{
	return fabs(got - want) <= fabs(want) * relative;
}

#endif /* GPMU_TESTS_SESSION_H */
