// SPDX-License-Identifier: LGPL-2.1-or-later
/* regions [LIST]: counts the phases of a program and prints a table of regions and counters. It needs -lm, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpmu.h>

#define ELEMENTS	(1u << 20)
#define STEPS		10

/* The first phase touches its pages for the first time; later phases reuse them. */
static double work(struct gpmu *g)
{
	double *values, sum = 0;

	gpmu_begin(g, "fill");
	values = malloc(ELEMENTS * sizeof(*values));
	for (unsigned int i = 0; values && i < ELEMENTS; i++)
		values[i] = i;
	gpmu_end(g, "fill");
	for (unsigned int step = 0; values && step < STEPS; step++) {
		gpmu_begin(g, "step");
		for (unsigned int i = 0; i < ELEMENTS; i++)
			values[i] = sqrt(values[i]);
		gpmu_begin(g, "sum");
		for (unsigned int i = 0; i < ELEMENTS; i++)
			sum += values[i];
		gpmu_end(g, "sum");
		gpmu_end(g, "step");
	}
	free(values);
	return sum;
}

int main(int argc, char **argv)
{
	const char *list = argc > 1 ? argv[1] : "page-faults:u,task-clock:u";
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g = gpmu_open(list, NULL, &error);
	double sum;
	int ret;

	if (!g) {
		fprintf(stderr, "regions: %s\n", error.text);
		return 1;
	}
	sum = work(g);
	ret = gpmu_print(g, stdout) || !isfinite(sum);
	gpmu_close(g);
	return ret;
}
