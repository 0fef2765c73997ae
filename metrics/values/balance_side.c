// SPDX-License-Identifier: LGPL-2.1-or-later
/* Selects the rows of a side and adds them up. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/balance.h"

/*
 * Returns whether the name is "PMU/EVENT/" or "PMU_N/EVENT/"; with a filter it is only a part of
 * the traffic
 */
static bool is_event(const struct balance_term *term, const char *name)
{
	size_t event;

	/* Most names differ in the first character. */
	if (!term->pmu || *name != *term->pmu || strncmp(name, term->pmu, strlen(term->pmu)))
		return false;
	name += strlen(term->pmu);
	if (*name == '_' && isdigit((unsigned char)name[1]))
		name += 1 + strspn(name + 1, "0123456789");
	event = strlen(term->event);
	return *name == '/' && !strncmp(name + 1, term->event, event) && !strcmp(name + 1 + event, "/");
}

/* Returns whether the row is the term's, as a metric or as an event. */
static bool is_of(const struct balance_term *term, const struct gpmu_row *row, bool is_metric)
{
	if (!row->name || !row->metric != !is_metric)
		return false;
	if (!is_metric)
		return is_event(term, row->name);
	return term->metric && !strcmp(row->name, term->metric) && row->unit &&
	       !strcmp(row->unit, "GB/s");
}

/* Returns whether the element is used; elements after the last term of a side are zeroed. */
static bool is_term(const struct balance_term *term)
{
	return term->metric || term->event;
}

bool balance_is_of(const struct balance_term *terms, const struct gpmu_row *row)
{
	for (size_t i = 0; i < BALANCE_TERMS && is_term(&terms[i]); i++)
		if (is_of(&terms[i], row, row->metric))
			return true;
	return false;
}

/* A row of the machine for a single PMU belongs to that PMU's node. */
int balance_node(const struct gpmu_row *row)
{
	const char *number = row->pmu ? strrchr(row->pmu, '_') : NULL;
	char *end;
	long node;

	if (row->node >= 0 || row->gpu || !number || strstr(row->pmu, "_inst_"))
		return row->node;
	node = strtol(++number, &end, 10);
	return isdigit((unsigned char)*number) && !*end && node <= INT_MAX ? (int)node : -1;
}

static bool is_at(const struct gpmu_row *row, const struct balance_place *place)
{
	return (place->node < 0 || balance_node(row) == place->node) &&
	       (place->gpu < 0 || row->gpu_number == place->gpu);
}

/*
 * Returns whether another row includes this one: the user requested the same twice, or requested
 * the total and a part of it
 */
static bool is_counted(const struct balance_term *term, const struct gpmu_rows *rows,
		       size_t index)
{
	const struct gpmu_row *row = &rows->list[index];

	for (size_t i = 0; i < rows->length; i++) {
		const struct gpmu_row *other = &rows->list[i];

		if (i == index || !is_of(term, other, row->metric) ||
		    other->gpu_number != row->gpu_number)
			continue;
		if (balance_node(other) == balance_node(row) ? i < index :
		    !row->gpu && balance_node(other) < 0)
			return true;
	}
	return false;
}

static double rate_of(const struct balance_term *term, const struct gpmu_row *row)
{
	if (row->state == GPMU_STATE_IDLE)
		return 0;
	if (row->metric)
		return row->value * 1e9;
	return row->enabled ? row->value * term->bytes * 1e9 / (double)row->enabled : NAN;
}

/*
 * Sets the reason why the sum is missing. The first one stays, but "not counted" replaces
 * "not supported".
 */
static void set_state(struct balance_side *side, enum gpmu_state state, const char *why)
{
	if (state == side->state || state == GPMU_STATE_OK || side->state == GPMU_STATE_NOT_COUNTED)
		return;
	side->state = state;
	side->why = why;
}

static void add_row(struct balance_side *side, const struct balance_term *term,
		    const struct gpmu_row *row)
{
	double rate = row->state <= GPMU_STATE_IDLE ? rate_of(term, row) : NAN;

	side->is_present = true;
	if (!isnan(rate)) {
		side->rate += rate;
		side->share = row->share < side->share ? row->share : side->share;
	} else if (row->state == GPMU_STATE_NOT_SUPPORTED) {
		set_state(side, GPMU_STATE_NOT_SUPPORTED, row->why);
	} else {
		set_state(side, GPMU_STATE_NOT_COUNTED, row->why ? row->why : "a counter did not run");
	}
}

static void add_rows(struct balance_side *side, const struct balance_term *term,
		     const struct gpmu_rows *rows, const struct balance_place *place, bool is_metric)
{
	for (size_t i = 0; i < rows->length; i++) {
		const struct gpmu_row *row = &rows->list[i];

		if (is_of(term, row, is_metric) && is_at(row, place) && !is_counted(term, rows, i))
			add_row(side, term, row);
	}
}

static void name_term(struct balance_side *side, const char *label)
{
	size_t length = strlen(side->terms);

	if (label)
		snprintf(side->terms + length, sizeof(side->terms) - length, "%s%s", length ? " + " : "",
			 label);
}

/* Adds a term's sum; false if the side is unknown without it. */
static bool add_term(struct balance_side *side, const struct balance_term *term,
		     const struct balance_side *sum)
{
	if (!sum->is_present || (sum->state == GPMU_STATE_NOT_SUPPORTED && !term->is_needed))
		return sum->is_present || !term->is_needed;
	side->is_present = true;
	name_term(side, term->label);
	set_state(side, sum->state, sum->why);
	side->rate += sum->rate;
	side->share = sum->share < side->share ? sum->share : side->share;
	return true;
}

void balance_add_up(const struct balance_term *terms, const struct gpmu_rows *rows,
		    const struct balance_place *place, struct balance_side *side)
{
	*side = (struct balance_side){ .share = 1 };
	for (size_t i = 0; i < BALANCE_TERMS && is_term(&terms[i]); i++) {
		struct balance_side sum = { .share = 1 };

		add_rows(&sum, &terms[i], rows, place, true);
		if (!sum.is_present)
			add_rows(&sum, &terms[i], rows, place, false);
		if (!add_term(side, &terms[i], &sum)) {
			side->is_present = false;
			return;
		}
	}
}
