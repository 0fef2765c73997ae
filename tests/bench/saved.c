// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * saved: the time of a line of perf's output in a table of many lines, beside that in a table of
 * few lines. The ratio is 1 if the time of a table grows as its number of lines does.
 */
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "gpmu.h"
#include "saved/gpmu_saved.h"
#include "values/gpmu_rows.h"

#define FEW	20000
#define MANY	200000
#define ROUNDS	3

/* Formats of a line, with its number, the number modulo 1000, and the time in ns. No line is duration_time. */
static const struct {
	const char *what, *format;
} outputs[] = {
	{ "perf's output, a line of each event", "S%1$u,1,7,,software/e%2$u/,%3$u,100.00,,\n" },
	{ "perf's output, a line of each thread", "a-%1$u,7,,page-faults,%3$u,100.00,,\n" },
	{ "perf's output, a line of each CPU, multiplexed", "CPU%1$u,7,,cycles,%3$u,50.00,,\n" },
};

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Time per line in ns, from the line to its row */
static double measure(const char *format, unsigned int lines)
{
	const struct gpmu_saved_options options = { .size = sizeof(options), .system = 1 };
	struct gpmu_saved *saved = gpmu_saved_new(&options);
	struct gpmu_rows *rows = gpmu_rows_new();
	double begin = cpu_ns();
	char line[128];

	for (unsigned int i = 0; saved && i < lines; i++) {
		int length = snprintf(line, sizeof(line), format, i, i % 1000, 1000000 + i);

		if (gpmu_saved_line(saved, line, (size_t)length, NULL) < 0)
			exit(2);
	}
	if (!saved || !rows || gpmu_saved_end(saved) != 1 || gpmu_saved_others(saved, NULL, rows))
		exit(2);
	gpmu_rows_free(rows);
	gpmu_saved_free(saved);
	return (cpu_ns() - begin) / lines;
}

static double fastest(const char *format, unsigned int lines)
{
	double ns = INFINITY;

	for (unsigned int i = 0; i < ROUNDS; i++)
		ns = fmin(ns, measure(format, lines));
	return ns;
}

int main(void)
{
	/* Later rounds reuse the memory of the first round, instead of new pages of the kernel. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		double few = fastest(outputs[i].format, FEW);
		double many = fastest(outputs[i].format, MANY);
		char ours[32], theirs[32];

		snprintf(ours, sizeof(ours), "%.0f ns/line", many);
		snprintf(theirs, sizeof(theirs), "%.0f ns/line", few);
		bench_row(outputs[i].what, ours, theirs, many / few, 2);
	}
	return 0;
}
