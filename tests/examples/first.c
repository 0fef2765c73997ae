// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * first [LIST [SOURCE]]: counts a region of a program. LIST has metrics and events, and SOURCE,
 * such as "model=steady.scenario", counts in place of the kernel.
 */
#include <stdio.h>

#include <gpmu.h>

static double solve(void)
{
	double sum = 0;

	for (int i = 1; i < 20000000; i++)
		sum += 1.0 / i;
	return sum;
}

int main(int argc, char **argv)
{
	const char *list = argc > 1 ? argv[1] : "task-clock,page-faults";
	const char *const source = argc > 2 ? argv[2] : NULL;
	const struct gpmu_options options = {
		.size = sizeof(options), .sources = &source, .source_count = argc > 2,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g = gpmu_open(list, &options, &error);
	double sum;

	if (!g) {
		fprintf(stderr, "first: %s\n", error.text);
		return 1;
	}
	gpmu_begin(g, "solve");
	sum = solve();
	gpmu_end(g, "solve");
	gpmu_print(g, stdout);
	gpmu_close(g);
	return !(sum > 0);
}
