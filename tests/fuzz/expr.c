// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any text is accepted as an expression that can be evaluated, or refused with a
 * position and a reason.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/gpmu_expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static double literal(const char *name, void *user)
{
	(void)user;
	return name[0] == 'x' ? NAN : (double)strlen(name);
}

static int answer(const char *name, void *user)
{
	(void)user;
	return (int)strlen(name) % 3 - 1;
}

static void evaluate(const struct gpmu_expr *expr)
{
	static const double numbers[] = { 0, 1, -1, 0.5, 1e300, INFINITY, NAN, 3 };
	size_t n = gpmu_expr_id_count(expr);
	struct gpmu_expr_value *values = calloc(n + 1, sizeof(*values));
	double first, second;

	must(values != NULL);
	for (size_t i = 0; i < n; i++) {
		must(gpmu_expr_id(expr, i)[0]);
		must(i == 0 || strcmp(gpmu_expr_id(expr, i), gpmu_expr_id(expr, i - 1)));
		values[i] = (struct gpmu_expr_value){ numbers[i % 8], 1, numbers[i % 5] };
	}
	must(!gpmu_expr_id(expr, n));
	first = gpmu_expr_eval(expr, values);
	second = gpmu_expr_eval(expr, values);
	must(first == second || (isnan(first) && isnan(second)));
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct gpmu_expr_env env = {
		.size = sizeof(env), .parameter = 3, .literal = literal, .has_event = answer,
		.cpuid_matches = answer,
	};
	struct gpmu_error error = { .size = sizeof(error), .offset = SIZE_MAX };
	char *text = malloc(size + 1);
	struct gpmu_expr *expr;

	must(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	expr = gpmu_expr_new(text, &env, &error);
	if (expr) {
		must(error.offset == SIZE_MAX);
		evaluate(expr);
		gpmu_expr_free(expr);
	} else {
		must(errno == EINVAL || errno == E2BIG);
		must(error.offset <= strlen(text) && error.text[0] && !strchr(error.text, '\n'));
	}
	free(text);
	return 0;
}
