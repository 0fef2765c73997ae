// SPDX-License-Identifier: LGPL-2.1-or-later
/* import-deep: a deep call stack without frame pointers, for recordings of perf */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sum;

__attribute__((noinline)) unsigned long deep_leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i * sum;
	return sum;
}

__attribute__((noinline)) unsigned long deep_middle(unsigned long n)
{
	return deep_leaf(n) + 1;
}

__attribute__((noinline)) unsigned long deep_outer(int depth, unsigned long n)
{
	return (depth ? deep_outer(depth - 1, n) : deep_middle(n)) + 2;
}

int main(int argc, char **argv)
{
	return argc < 2 || printf("%lu\n", deep_outer(4, strtoul(argv[1], NULL, 10))) < 0;
}
