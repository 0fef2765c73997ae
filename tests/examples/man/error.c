// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shows the position of a syntax error in an expression. */
#include <stdio.h>

#include <gpmu.h>

int main(void)
{
	const char *text = "100 * (a + ) / b";
	struct gpmu_error error = { .text = "out of memory" };
	struct gpmu_expr *expr = gpmu_expr_new(text, NULL, &error);

	if (!expr)
		printf("%s\n%*s^ %s\n", text, (int)error.offset, "",
		       error.text);
	gpmu_expr_free(expr);
	return expr ? 1 : 0;
}
