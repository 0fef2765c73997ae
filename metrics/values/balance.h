/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identities of counters (balance_table.c) and the rows that make up their sides. */
#ifndef GPMU_BALANCE_H
#define GPMU_BALANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpmu.h"
#include "values/gpmu_balance.h"
#include "values/rows.h"

#define BALANCE_TERMS	5	/* maximum of terms on a side */

/* A term of a side: rows of a metric or, without these, of an event */
struct balance_term {
	const char *label;	/* NULL: same as the previous term's */
	const char *metric;	/* unit GB/s; NULL: none */
	const char *pmu;	/* full name or prefix, "nvidia_scf_pmu"; NULL: none */
	const char *event;
	double bytes;		/* bytes for each count of the event */
	bool is_needed;		/* without this term the side is unknown */
};

struct balance_identity {
	const char *name;	/* "%s" is replaced by the GPU or GPUs */
	struct balance_term left[BALANCE_TERMS], right[BALANCE_TERMS];
	bool is_per_gpu;	/* both sides are counted for each GPU: one line for each */
	const char *note;
};

extern const struct balance_identity balance_identities[];
extern const size_t balance_n_identities;

/* --- balance_side.c */

/* A node and a GPU to compare; -1 means any */
struct balance_place {
	int node, gpu;
};

struct balance_side {
	bool is_present;	/* all needed terms have rows */
	enum gpmu_state state;	/* never GPMU_STATE_IDLE; an idle side is 0 */
	double rate, share;	/* bytes per second; 0 to 1 */
	const char *why;
	char terms[64];		/* labels of the terms, "C2C0 + C2C1" */
};

/* Returns whether the row belongs to a term of an identity's side. */
bool balance_is_of(const struct balance_term *terms, const struct gpmu_row *row);
/* Node of the row's PMU; -1 if there are several or it is unknown */
int balance_node(const struct gpmu_row *row);
/* Adds up the terms' rows for a place. */
void balance_add_up(const struct balance_term *terms, const struct gpmu_rows *rows,
		    const struct balance_place *place, struct balance_side *side);

#endif /* GPMU_BALANCE_H */
