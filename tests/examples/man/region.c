// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counts two phases of a program; the second is nested in the first. */
#include <stdio.h>

#include <gpmu.h>

static void phases(struct gpmu_session *session)
{
	gpmu_region_begin(session, "step");
	/* ... */
	gpmu_region_begin(session, "exchange");
	/* ... */
	gpmu_region_end(session, "exchange");
	gpmu_region_end(session, "step");
}

int run(struct gpmu_session *session, int steps)
{
	int ret = gpmu_session_enable(session);

	for (int step = 0; !ret && step < steps; step++)
		phases(session);
	gpmu_session_disable(session);
	return ret ? ret : gpmu_regions_print(session, stderr);
}
