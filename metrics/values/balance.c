// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds the places for which both sides of an identity were counted, and makes a line for
 * each.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/gpmu_double.h"
#include "values/balance.h"
#include "base/vector.h"

/* 0.1 % of the slowest link, PCIe 5.0 x16, in one direction. An idle link carries polling and the driver's messages. */
#define IDLE_RATE	64e6

struct line {
	struct gpmu_balance_line line;
	char name[64];
	struct balance_side left, right;
};

struct gpmu_balance {
	struct line **lines;
	size_t length, room;	/* lines in use; lines allocated */
};

struct gpmu_balance *gpmu_balance_new(void)
{
	return calloc(1, sizeof(struct gpmu_balance));
}

void gpmu_balance_free(struct gpmu_balance *balance)
{
	if (!balance)
		return;
	for (size_t i = 0; i < balance->room; i++)
		free(balance->lines[i]);
	free(balance->lines);
	free(balance);
}

const struct gpmu_balance_line *gpmu_balance_line(const struct gpmu_balance *balance, size_t index)
{
	return index < balance->length ? &balance->lines[index]->line : NULL;
}

static struct line *next_line(struct gpmu_balance *balance)
{
	struct line **added;

	if (balance->length == balance->room) {
		added = vector_append(balance->lines, balance->room);
		if (!added)
			return NULL;
		*added = calloc(1, sizeof(**added));
		if (!*added) {
			balance->room--;
			return NULL;
		}
	}
	return balance->lines[balance->length];
}

/*
 * Names a place "GPU0", "GPUs of node 1" or "all GPUs". Returns the GPU's row if there is
 * only one, else NULL.
 */
static const struct gpmu_row *name_gpus(const struct balance_identity *identity,
					const struct gpmu_rows *rows,
					const struct balance_place *place, char *name, size_t size)
{
	const struct gpmu_row *previous = NULL;
	bool has_several = false;
	char gpus[32];

	for (size_t i = 0; i < rows->length; i++) {
		const struct gpmu_row *row = &rows->list[i];

		if (!row->gpu || !balance_is_of(identity->right, row) ||
		    (place->node >= 0 && row->node != place->node) ||
		    (place->gpu >= 0 && row->gpu_number != place->gpu))
			continue;
		has_several = has_several || (previous && previous->gpu_number != row->gpu_number);
		previous = row;
	}
	previous = has_several ? NULL : previous;
	if (previous)
		snprintf(gpus, sizeof(gpus), "GPU%d", previous->gpu_number);
	else if (place->node >= 0)
		snprintf(gpus, sizeof(gpus), "GPUs of node %d", place->node);
	else
		snprintf(gpus, sizeof(gpus), "all GPUs");
	snprintf(name, size, "%.*s%s", (int)strcspn(identity->name, "%"), identity->name, gpus);
	return previous;
}

/* Returns whether the link carries too little for a comparison. If the second side is a memory, the link is the first side. */
static bool is_idle(const struct gpmu_balance_line *line, const struct balance_side *left,
		    const struct balance_side *right)
{
	return left->rate < IDLE_RATE && (line->is_lower_bound || right->rate < IDLE_RATE);
}

static void subtract(struct gpmu_balance_line *line, const struct balance_side *left,
		     const struct balance_side *right)
{
	const struct balance_side *bad = left->state != GPMU_STATE_OK ? left : right;
	double larger = gpmu_double_max(left->rate, right->rate);

	line->state = bad->state;
	line->why = bad->why;
	line->share = gpmu_double_min(left->share, right->share);
	line->left = line->right = line->remainder = line->part = NAN;
	if (line->state != GPMU_STATE_OK)
		return;
	line->left = left->rate;
	line->right = right->rate;
	if (larger > 0 && is_idle(line, left, right))
		return;
	line->remainder = right->rate - left->rate;
	line->part = larger > 0 ? line->remainder / larger : 0;
}

/* Adds a line if both sides were counted. Returns 0 or -ENOMEM. */
static int add_line(struct gpmu_balance *balance, const struct balance_identity *identity,
		    const struct gpmu_rows *rows, const struct balance_place *place)
{
	struct line *line = next_line(balance);
	const struct gpmu_row *gpu;

	if (!line)
		return -ENOMEM;
	balance_add_up(identity->left, rows, place, &line->left);
	balance_add_up(identity->right, rows, place, &line->right);
	if (!line->left.is_present || !line->right.is_present)
		return 0;
	gpu = name_gpus(identity, rows, place, line->name, sizeof(line->name));
	line->line = (struct gpmu_balance_line){
		.size = sizeof(line->line),
		.name = line->name,
		.left_of = line->left.terms,
		.right_of = line->right.terms,
		.note = identity->note,
		.is_lower_bound = identity->is_per_gpu,
		.gpu = gpu ? gpu->gpu : NULL,
		.gpu_number = gpu ? gpu->gpu_number : -1,
		.node = gpu ? gpu->node : place->node,
	};
	subtract(&line->line, &line->left, &line->right);
	balance->length++;
	return 0;
}

/* Returns whether all rows of both sides have a node. */
static bool has_nodes(const struct balance_identity *identity, const struct gpmu_rows *rows)
{
	for (size_t i = 0; i < rows->length; i++) {
		const struct gpmu_row *row = &rows->list[i];

		if (balance_node(row) < 0 && (balance_is_of(identity->left, row) ||
					      balance_is_of(identity->right, row)))
			return false;
	}
	return true;
}

/*
 * Next number above @last of a GPU, or of a GPU's node, on the second side; -1 if there is
 * none
 */
static int next_number(const struct balance_identity *identity, const struct gpmu_rows *rows,
		       int last)
{
	int next = -1;

	for (size_t i = 0; i < rows->length; i++) {
		const struct gpmu_row *row = &rows->list[i];
		int number = identity->is_per_gpu ? row->gpu_number : row->node;

		if (row->gpu && balance_is_of(identity->right, row) && number > last &&
		    (next < 0 || number < next))
			next = number;
	}
	return next;
}

static int add_identity(struct gpmu_balance *balance, const struct balance_identity *identity,
			const struct gpmu_rows *rows)
{
	struct balance_place place = { .node = -1, .gpu = -1 };
	int number = -1, ret = 0;

	if (!identity->is_per_gpu && !has_nodes(identity, rows))
		return add_line(balance, identity, rows, &place);
	while (!ret && (number = next_number(identity, rows, number)) >= 0) {
		place.node = identity->is_per_gpu ? -1 : number;
		place.gpu = identity->is_per_gpu ? number : -1;
		ret = add_line(balance, identity, rows, &place);
	}
	return ret;
}

/* Returns whether a row belongs to the second side of an identity; without one there are no lines. */
static bool has_second_side(const struct gpmu_rows *rows)
{
	for (size_t i = 0; i < rows->length; i++)
		for (size_t k = 0; k < balance_n_identities; k++)
			if (balance_is_of(balance_identities[k].right, &rows->list[i]))
				return true;
	return false;
}

int gpmu_balance_update(struct gpmu_balance *balance, const struct gpmu_rows *rows)
{
	int ret = 0;

	balance->length = 0;
	if (!has_second_side(rows))
		return 0;
	for (size_t i = 0; i < balance_n_identities && !ret; i++)
		ret = add_identity(balance, &balance_identities[i], rows);
	if (ret)
		balance->length = 0;
	return ret;
}
