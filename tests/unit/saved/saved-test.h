/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of perf stat and rows of it */
#ifndef GPMU_TESTS_SAVED_TEST_H
#define GPMU_TESTS_SAVED_TEST_H

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpmu.h"
#include "tap.h"
#include "saved/gpmu_saved.h"
#include "values/rows.h"

struct saved_test {
	struct gpmu_saved *saved;
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
	struct gpmu_plan *plan;
	const struct gpmu_rows *rows;
	struct gpmu_rows others;
	struct gpmu_error error;
	int ret;		/* result of the last line */
};

__attribute__((unused))
static void saved_test_init(struct saved_test *t, int system, int per_node)
{
	const struct gpmu_saved_options options = {
		.size = sizeof(options), .system = system, .per_node = per_node,
	};

	*t = (struct saved_test){
		.saved = gpmu_saved_new(&options), .error = { .size = sizeof(t->error) },
	};
	t->catalog = gpmu_catalog_new(NULL, NULL);
	if (!t->saved || !t->catalog)
		abort();
}

__attribute__((unused))
static void saved_test_release(struct saved_test *t)
{
	gpmu_saved_free(t->saved);
	free(t->others.list);
	gpmu_plan_free(t->plan);
	gpmu_catalog_free(t->catalog);
	gpmu_machine_free(t->machine);
}

/*
 * Reads lines with their newlines, of which the last may have none. Returns the sum of
 * gpmu_saved_line()'s results, or its error.
 */
__attribute__((unused))
static int saved_test_lines(struct saved_test *t, const char *text)
{
	int tables = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		length += text[length] == '\n';
		t->ret = gpmu_saved_line(t->saved, text, length, &t->error);
		if (t->ret < 0)
			return t->ret;
		tables += t->ret;
		text += length;
	}
	return tables;
}

/* Makes the rows of gpmu_saved_others(). */
__attribute__((unused))
static int saved_test_others(struct saved_test *t)
{
	gpmu_rows_clear(&t->others);
	t->rows = &t->others;
	return gpmu_saved_others(t->saved, NULL, &t->others);
}

/* Reads up to the first complete table; true: there is more of the file. */
__attribute__((unused))
static bool saved_test_read(struct saved_test *t, FILE *file)
{
	char line[1024];

	while (fgets(line, sizeof(line), file)) {
		t->ret = gpmu_saved_line(t->saved, line, strlen(line), &t->error);
		if (t->ret)
			return t->ret > 0;
	}
	return false;
}

/* Plans metrics and events, either of which may be NULL, on the machine of the output. */
__attribute__((unused))
static void saved_test_plan(struct saved_test *t, const char *root, const char *metrics,
			    const char *events)
{
	t->machine = gpmu_saved_machine(t->saved, root, &t->error);
	if (!t->machine)
		abort();
	t->plan = gpmu_plan_new(t->machine, t->catalog, NULL, &t->error);
	if (!t->plan || (metrics && gpmu_plan_add_metrics(t->plan, metrics, &t->error)) ||
	    (events && gpmu_plan_add_events(t->plan, events, &t->error)) ||
	    gpmu_plan_make(t->plan, &t->error)) {
		diag("%s", t->error.text);
		abort();
	}
}

__attribute__((unused))
static bool saved_test_rows(struct saved_test *t)
{
	return !gpmu_saved_rows(t->saved, t->plan, &t->rows);
}

/* Reads all of an output without intervals. */
__attribute__((unused))
static bool saved_test_all(struct saved_test *t, const char *text, const char *root,
			   const char *metrics, const char *events)
{
	if (saved_test_lines(t, text) || gpmu_saved_end(t->saved) != 1)
		return false;
	saved_test_plan(t, root, metrics, events);
	return saved_test_rows(t);
}

__attribute__((unused))
static bool is_near(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fabs(want);
}

/* Row @index has this value; NaN: it is not counted. */
__attribute__((unused))
static bool is_row(const struct saved_test *t, size_t index, const char *name, double value,
		   const char *what)
{
	const struct gpmu_row *row = gpmu_rows_at(t->rows, index);
	bool is_fine = row && !strcmp(row->name, name) &&
		       (isnan(value) ? row->state == GPMU_STATE_NOT_COUNTED && isnan(row->value) :
				    row->state == GPMU_STATE_OK && is_near(row->value, value));

	if (!ok(is_fine, "%s", what) && row)
		diag("%s is %.12g, state %d, %s", row->name, row->value, row->state,
		     row->why ? row->why : "");
	return is_fine;
}

#endif /* GPMU_TESTS_SAVED_TEST_H */
