// SPDX-License-Identifier: LGPL-2.1-or-later
/* marks [STEPS]: marks a region for "gpmu stat --regions", without any library. */
#include <stdlib.h>

#include <gpmu-mark.h>

static double solve(long steps)
{
	double sum = 0;

	for (long i = 1; i <= steps; i++)
		sum += 1.0 / (double)i;
	return sum;
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 20000000;
	double sum;

	gpmu_mark_begin("solve");
	sum = solve(steps);
	gpmu_mark_end("solve");
	return !(sum > 0);
}
