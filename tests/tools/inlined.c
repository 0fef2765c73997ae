// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * inlined ROUNDS: a program to sample, which is built with debug information. The compiler inlines two levels of functions into
 * worker(), and one into main().
 */
#include <stdlib.h>

#define STEPS	100000

static volatile unsigned int sink;

__attribute__((noinline)) void worker(unsigned int steps);

__attribute__((always_inline))
static inline void innermost(unsigned int steps)
{
	for (unsigned int i = 0; i < steps; i++)
		sink += i * 3;
}

__attribute__((always_inline))
static inline void middle(unsigned int steps)
{
	innermost(steps);
	for (unsigned int i = 0; i < steps; i++)
		sink ^= i * 7;
}

__attribute__((noinline))
void worker(unsigned int steps)
{
	for (unsigned int i = 0; i < steps; i++)
		sink -= i;
	middle(steps);
	/* This makes the call above no tail call. */
	sink++;
}

__attribute__((always_inline))
static inline void start(unsigned int steps)
{
	worker(steps);
	sink++;
}

int main(int argc, char **argv)
{
	for (unsigned long i = argc > 1 ? strtoul(argv[1], NULL, 10) : 1; i; i--)
		start(STEPS);
	return 0;
}
