/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parser of metric expressions. */
#ifndef GPMU_EXPR_PARSE_H
#define GPMU_EXPR_PARSE_H

#include "expr/expr.h"

/*
 * Compiles @text as gpmu_expr_new() does; all of @env must be set. Returns 0, -EINVAL,
 * -E2BIG or -ENOMEM.
 */
int expr_compile(const char *text, const struct gpmu_expr_env *env, struct gpmu_error *error,
		 struct gpmu_expr **expr);

#endif /* GPMU_EXPR_PARSE_H */
