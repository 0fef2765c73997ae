/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the table of "make bench", one per comparison; rules.mk prints its head */
#ifndef GPMU_BENCH_H
#define GPMU_BENCH_H

#include <stdio.h>

/*
 * @ours and @theirs: measured values, or promised ones, as text. @ratio: our cost relative
 * to theirs. @goal: the upper limit of @ratio, 0 if there is none.
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

/* A row for a comparison that could not be measured, with the reason */
__attribute__((unused))
static void bench_none(const char *what, const char *why)
{
	printf("%-58s %s\n", what, why);
	fflush(stdout);
}

#endif /* GPMU_BENCH_H */
