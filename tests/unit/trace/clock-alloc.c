// SPDX-License-Identifier: LGPL-2.1-or-later
/* A clock makes one allocation, which fails. */
#include "alloc.h"
#include "trace/gpmu_clock.h"

static int make(void)
{
	struct gpmu_clock *clock;

	errno = 0;
	clock = gpmu_clock_new(NULL);
	if (!clock)
		return -errno;
	gpmu_clock_free(clock);
	return 0;
}

int main(void)
{
	alloc_fail_each(make, 1, "clock");
	return done_testing();
}
