// SPDX-License-Identifier: LGPL-2.1-or-later
/* mark: the cost of a mark of gpmu-mark.h in a program that runs alone, beside a goal of 20 ns. */
#include <time.h>

#include "bench.h"
#include "gpmu-mark.h"

#define ROUNDS	21
#define MARKS	1000000
#define GOAL	20.0	/* ns */

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Not inline, as the loop below would test the pointer only once. */
__attribute__((noinline)) static void visit(void)
{
	gpmu_mark_begin("the inner loop of it");
	__asm__ volatile("" : : : "memory");
	gpmu_mark_end("the inner loop of it");
}

int main(void)
{
	double min = 1e9;
	char ours[24];

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now_ns(), ns;

		for (int k = 0; k < MARKS / 2; k++)
			visit();
		ns = (now_ns() - begin) / MARKS;
		min = ns < min ? ns : min;
	}
	snprintf(ours, sizeof(ours), "%.2f ns", min);
	bench_row("a mark, in a program that runs alone", ours, "20 ns", min / GOAL, 1);
	return 0;
}
