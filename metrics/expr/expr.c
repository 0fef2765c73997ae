// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "expr/expr_parse.h"

/* Bounds memory and time. Upstream's longest expression has 2,000 bytes. */
#define MAX_LENGTH	(1u << 20)

struct gpmu_expr *gpmu_expr_new(const char *text, const struct gpmu_expr_env *env,
				struct gpmu_error *error)
{
	struct gpmu_expr_env complete = { 0 };
	struct gpmu_expr *expr = NULL;
	int ret;

	if (env)
		sized_copy(&complete, sizeof(complete), env);
	if (strnlen(text, MAX_LENGTH + 1) > MAX_LENGTH) {
		ret = -E2BIG;
		error_set(error, MAX_LENGTH, "longer than %u bytes", MAX_LENGTH);
	} else {
		ret = expr_compile(text, &complete, error, &expr);
	}
	if (ret == -ENOMEM)
		error_no_memory(error);
	if (ret)
		errno = -ret;
	return expr;
}

size_t gpmu_expr_id_count(const struct gpmu_expr *expr)
{
	return expr->id_count;
}

const char *gpmu_expr_id(const struct gpmu_expr *expr, size_t index)
{
	return index < expr->id_count ? expr->ids[index] : NULL;
}
