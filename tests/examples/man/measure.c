// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counts a region of a program, in each of its threads. */
#include <pthread.h>
#include <stdio.h>

#include <gpmu.h>

static void *solve(void *g)
{
	double sum = 0;

	gpmu_begin(g, "solve");
	for (int i = 1; i < 1000000; i++)
		sum += 1.0 / i;
	gpmu_end(g, "solve");
	return sum > 0 ? g : NULL;
}

static void print_first_row(struct gpmu *g)
{
	const char *name = gpmu_region_at(g, 0);
	const struct gpmu_row *row = NULL;
	const struct gpmu_rows *rows;

	if (name && !gpmu_get_rows(g, name, &rows))
		row = gpmu_rows_at(rows, 0);
	if (row)
		printf("%s: %s %g in %llu visits\n", name, row->name,
		       row->value,
		       (unsigned long long)gpmu_visits(g, name));
}

int main(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g = gpmu_open("task-clock", NULL, &error);
	pthread_t thread;

	if (!g) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	if (!pthread_create(&thread, NULL, solve, g)) {
		solve(g);
		pthread_join(thread, NULL);
	}
	gpmu_print(g, stdout);
	print_first_row(g);
	gpmu_close(g);
	return 0;
}
