/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values with instances, and their combination by an operator */
#ifndef GPMU_DERIVED_H
#define GPMU_DERIVED_H

#include "expr/expr.h"
#include "section/gpmu_derived.h"

struct gpmu_derived {
	struct gpmu_expr *expr;
};

/* Combines two values into @left, and frees what @right owns. Returns 0 or -ENOMEM. */
int derived_combine(enum expr_op op, struct gpmu_derived_value *left, struct gpmu_derived_value *right);

#endif /* GPMU_DERIVED_H */
