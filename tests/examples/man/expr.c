// SPDX-License-Identifier: LGPL-2.1-or-later
/* Evaluates an expression of two counts. */
#include <stdio.h>
#include <string.h>

#include <gpmu.h>

int main(void)
{
	struct gpmu_expr *expr =
		gpmu_expr_new("instructions / cycles", NULL, NULL);
	struct gpmu_expr_value values[2];
	const char *name;

	if (!expr)
		return 1;
	for (size_t i = 0; (name = gpmu_expr_id(expr, i)); i++)
		values[i] = (struct gpmu_expr_value){
			.value = strcmp(name, "cycles") ? 3e9 : 2e9,
			.sources = 1,
			.lines = 1,
		};
	printf("%g\n", gpmu_expr_eval(expr, values));
	gpmu_expr_free(expr);
	return 0;
}
