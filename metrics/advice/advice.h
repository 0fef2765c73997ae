/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules, and texts that grow. */
#ifndef GPMU_ADVICE_H
#define GPMU_ADVICE_H

#include <stdbool.h>

#include "advice/gpmu_advice.h"
#include "base/vector.h"

#define ADVICE_TEXT_MAX	160	/* bytes of an advice: gpmu report shows no more */

struct gpmu_advice {
	VECTOR(struct gpmu_advice_rule) rules;
};

extern const char advice_builtin[];	/* the bytes of rules.json, and a NUL */

/* Adds the rules of a JSON text. @path: for messages. Returns 0, -EINVAL or -ENOMEM with @error set. */
int advice_load(struct gpmu_advice *advice, const char *text, size_t size, const char *path, struct gpmu_error *error);
void advice_rule_release(struct gpmu_advice_rule *rule);

struct gpmu_expr;
/* Returns the names in an expression, separated by ", "; the caller frees it. NULL: out of memory */
char *advice_names(const struct gpmu_expr *expr);
/*
 * Appends to a text that is NULL or allocated, after ", " unless it is the first. On failure frees it. Returns 0 or
 * -ENOMEM.
 */
__attribute__((format(printf, 2, 3)))
int advice_append(char **text, const char *fmt, ...);

#endif /* GPMU_ADVICE_H */
