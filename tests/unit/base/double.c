// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions in place of those of libm, compared with them */
#include <stdlib.h>

#include "base/array.h"
#include "base/gpmu_double.h"
#include "tap.h"

static const double numbers[] = {
	0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 3.5, 1e6, 1e15 + 0.5, 0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52, 0x1p53 + 2, 1e300, INFINITY, NAN,
};

/* Returns whether both have the same value, or are NaN. */
static bool is_same(double a, double b)
{
	return isnan(a) ? isnan(b) : !(a < b) && !(a > b) && !isnan(b);
}

static double number(size_t index)
{
	size_t length = ARRAY_SIZE(numbers);

	return index < length ? numbers[index] : -numbers[index - length];
}

int main(void)
{
	bool is_max = true, is_min = true;
	double a, b;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(numbers); i++) {
		a = number(i);
		ok(is_same(gpmu_double_round(a), nearbyint(a)), "double: %.17g is rounded as by nearbyint()", a);
		for (size_t j = 0; j < 2 * ARRAY_SIZE(numbers); j++) {
			b = number(j);
			is_max = is_max && is_same(gpmu_double_max(a, b), fmax(a, b));
			is_min = is_min && is_same(gpmu_double_min(a, b), fmin(a, b));
		}
	}
	ok(is_max, "double: the maximum is that of fmax(), also with NaN");
	ok(is_min, "double: the minimum is that of fmin(), also with NaN");
	return done_testing();
}
