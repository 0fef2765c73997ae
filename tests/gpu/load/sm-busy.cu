// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps all or a share of the multiprocessors busy with multiplications and additions, without memory accesses. */
#include "sm.h"

#define ROUNDS 400000	/* some 15 ms */

static __global__ void busy(float *out, float x, int rounds)
{
	float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;

	for (int i = 0; i < rounds; i++) {
		a = a * x + 1;
		b = b * x + 1;
		c = c * x + 1;
		d = d * x + 1;
		e = e * x + 1;
		f = f * x + 1;
		g = g * x + 1;
		h = h * x + 1;
	}
	a += b + c + d + e + f + g + h;
	if (a == 12345.678f)
		*out = a;
}

static void once(struct load *load, void *arg)
{
	const struct sm *sm = (const struct sm *)arg;

	(void)load;
	for (int i = 0; i < SM_KERNELS; i++)
		busy<<<sm->blocks, SM_THREADS, sm->shared>>>(sm->out, 0.999f, ROUNDS);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("sm-busy", " [--share 0..1]", argc, argv);
	struct sm sm = sm_new(&load, (const void *)busy);

	load_run(&load, once, &sm);
	sm_print(&load, &sm, 0);
	return 0;
}
