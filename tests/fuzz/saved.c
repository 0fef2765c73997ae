// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any text is accepted as perf's output, or refused with a line, a position and a reason.
 * Accepted output has a machine and consistent rows.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu.h"
#include "saved/gpmu_saved.h"
#include "values/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct gpmu_catalog *catalog;

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static void check_rows(const struct gpmu_rows *rows)
{
	const struct gpmu_row *row;

	for (size_t i = 0; (row = gpmu_rows_at(rows, i)); i++) {
		must(row->name && *row->name && row->size == sizeof(*row));
		must((row->state == GPMU_STATE_OK) == !isnan(row->value));
		must(isnan(row->share) || (row->share >= 0 && row->share <= 1));
		must(row->running <= row->enabled || !row->enabled);
	}
}

static struct gpmu_plan *make_plan(const struct gpmu_machine *machine)
{
	struct gpmu_plan *plan = gpmu_plan_new(machine, catalog, NULL, NULL);

	must(plan && !gpmu_plan_add_metrics(plan, "GraceMemBW,GracePcieReadBW", NULL));
	must(!gpmu_plan_add_events(plan, "page-faults,duration_time,cycles:u,task-clock", NULL));
	must(!gpmu_plan_make(plan, NULL));
	return plan;
}

static void show(struct gpmu_saved *saved, struct gpmu_machine **machine, struct gpmu_plan **plan)
{
	struct gpmu_rows others = { 0 };
	const struct gpmu_rows *rows;
	struct gpmu_error error = { .size = sizeof(error) };

	if (!*machine) {
		*machine = gpmu_saved_machine(saved, "tests", &error);
		if (!*machine) {
			must(errno == EINVAL);
			return;
		}
		*plan = make_plan(*machine);
	}
	must(!gpmu_saved_rows(saved, *plan, &rows));
	check_rows(rows);
	must(!gpmu_saved_others(saved, NULL, &others));
	check_rows(&others);
	free(others.list);
}

static void refused(const struct gpmu_error *error, size_t length)
{
	must(error->offset <= length && !strncmp(error->text, "line ", 5));
	for (const char *c = error->text; *c; c++)
		must(*c >= ' ' && *c <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct gpmu_saved_options options = { .size = sizeof(options), .system = size % 2 };
	struct gpmu_saved *saved = gpmu_saved_new(&options);
	const char *cursor = (const char *)data, *end = cursor + size;
	struct gpmu_machine *machine = NULL;
	struct gpmu_plan *plan = NULL;
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = 0;

	if (!catalog)
		catalog = gpmu_catalog_new(NULL, NULL);
	must(saved && catalog);
	while (cursor < end && ret >= 0) {
		const char *newline = memchr(cursor, '\n', (size_t)(end - cursor));
		size_t length = newline ? (size_t)(newline + 1 - cursor) : (size_t)(end - cursor);

		ret = gpmu_saved_line(saved, cursor, length, &error);
		if (ret < 0)
			refused(&error, length);
		else if (ret)
			show(saved, &machine, &plan);
		cursor += length;
	}
	if (gpmu_saved_end(saved) == 1)
		show(saved, &machine, &plan);
	gpmu_saved_free(saved);
	gpmu_plan_free(plan);
	gpmu_machine_free(machine);
	return 0;
}
