// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * saved: the time of a line of perf's output in a table of many lines, beside that in a table of
 * few lines. The ratio is 1 if the time of a table grows as its number of lines does. Then the time
 * after the last line, which gpmu perf stat takes to end after SIGTERM. Its limit is 0.2 s.
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
#define LINES_READ	400000	/* before SIGTERM */
#define LIMIT	200	/* ms */
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

static void print(const struct gpmu_rows *rows)
{
	const struct gpmu_sink_options options = { .size = sizeof(options) };
	FILE *file = fopen("/dev/null", "w");
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_SUMMARY, file, &options, NULL);

	if (!file || !sink || gpmu_sink_rows(sink, rows))
		exit(2);
	gpmu_sink_free(sink);
	fclose(file);
}

/* Time in ns from the lines to the text of their rows. @last: set to the part after the last line */
static double measure(const char *format, unsigned int lines, double *last)
{
	const struct gpmu_saved_options options = { .size = sizeof(options), .system = 1 };
	struct gpmu_saved *saved = gpmu_saved_new(&options);
	struct gpmu_rows *rows = gpmu_rows_new();
	double begin = cpu_ns(), end;
	char line[128];

	for (unsigned int i = 0; saved && i < lines; i++) {
		int length = snprintf(line, sizeof(line), format, i, i % 1000, 1000000 + i);

		if (gpmu_saved_line(saved, line, (size_t)length, NULL) < 0)
			exit(2);
	}
	end = cpu_ns();
	if (!saved || !rows || gpmu_saved_end(saved) != 1 || gpmu_saved_others(saved, NULL, rows))
		exit(2);
	print(rows);
	gpmu_rows_free(rows);
	gpmu_saved_free(saved);
	*last = cpu_ns() - end;
	return cpu_ns() - begin;
}

/* Returns the least time per line in ns. @last: set to the least time in ms after the last line */
static double fastest(const char *format, unsigned int lines, double *last)
{
	double ns = INFINITY, end;

	*last = INFINITY;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ns = fmin(ns, measure(format, lines, &end) / lines);
		*last = fmin(*last, end / 1e6);
	}
	return ns;
}

static void print_last(void)
{
	char ours[32], theirs[32];
	double last;

	fastest(outputs[0].format, LINES_READ, &last);
	snprintf(ours, sizeof(ours), "%.0f ms", last);
	snprintf(theirs, sizeof(theirs), "%d ms", LIMIT);
	bench_row("after the last of 400,000 lines of perf's output", ours, theirs, last / LIMIT, 1);
}

int main(void)
{
	/* Later rounds reuse the memory of the first round, instead of new pages of the kernel. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		double last, few = fastest(outputs[i].format, FEW, &last);
		double many = fastest(outputs[i].format, MANY, &last);
		char ours[32], theirs[32];

		snprintf(ours, sizeof(ours), "%.0f ns/line", many);
		snprintf(theirs, sizeof(theirs), "%.0f ns/line", few);
		bench_row(outputs[i].what, ours, theirs, many / few, 2);
	}
	print_last();
	return 0;
}
