/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* balance: the identities, balance_table.c, and the rows that their sides are made of. */
#ifndef GPMU_BALANCE_H
#define GPMU_BALANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpmu.h"

#define BALANCE_TERMS	5	/* of a side, at most */

/* A part of a side: rows of a metric, else those of an event */
struct balance_term {
	const char *label;	/* NULL: the same as that of the one before it */
	const char *metric;	/* in GB/s; or NULL */
	const char *pmu;	/* its name or its kind, "nvidia_scf_pmu"; or NULL */
	const char *event;
	double bytes;		/* of a count of the event */
	bool needed;		/* without it there is no side */
};

struct balance_identity {
	const char *name;	/* "%s" is the GPU, or GPUs */
	struct balance_term left[BALANCE_TERMS], right[BALANCE_TERMS];
	bool both_gpu;		/* the first side is the GPU's too: a line for each */
	const char *note;
};

extern const struct balance_identity balance_identities[];
extern const size_t balance_n_identities;

/* --- balance_side.c */

struct balance_rows {
	const struct gpmu_row *first;
	size_t length;
};

/* What is compared with each other: -1 is any */
struct balance_place {
	int node, gpu;
};

struct balance_side {
	bool there;		/* it has rows of all that it needs */
	enum gpmu_state state;	/* never GPMU_IDLE, which is 0 */
	double rate, share;	/* bytes a second; 0 to 1 */
	const char *why;
	char of[64];		/* labels, "C2C0 + C2C1" */
};

const struct gpmu_row *balance_row(const struct balance_rows *rows, size_t index);
/* Whether a row is one of a term's, of a side of an identity */
bool balance_is_of(const struct balance_term *terms, const struct gpmu_row *row);
/* Of which node its PMUs are, -1: of several, or not known */
int balance_node(const struct gpmu_row *row);
/* The sum of the terms' rows that are of a place */
void balance_add_up(const struct balance_term *terms, const struct balance_rows *rows,
		    const struct balance_place *place, struct balance_side *side);

#endif /* GPMU_BALANCE_H */
