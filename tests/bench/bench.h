/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of "make bench", whose head is in rules.mk: a row for each comparison */
#ifndef GPMU_BENCH_H
#define GPMU_BENCH_H

#include <stdio.h>

/*
 * @ours and @theirs: what was measured, or promised, as text. @ratio: what ours costs of
 * theirs; @goal: the most that it is to be, 0: none is set
 */
__attribute__((unused))
static void bench_row(const char *what, const char *ours, const char *theirs, double ratio,
		      double goal)
{
	printf("%-58s %14s %14s %7.3f", what, ours, theirs, ratio);
	if (goal > 0)
		printf(" %6.2f %s", goal, ratio <= goal ? "met" : "not met");
	putchar('\n');
	fflush(stdout);
}

/* What could not be measured, and why */
__attribute__((unused))
static void bench_none(const char *what, const char *why)
{
	printf("%-58s %s\n", what, why);
	fflush(stdout);
}

#endif /* GPMU_BENCH_H */
