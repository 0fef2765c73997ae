// SPDX-License-Identifier: LGPL-2.1-or-later
/* Two phases of a program; the second is in the first, too. */
#include <stdio.h>

#include <gpmu.h>

/* A newer libgpmu may have longer rows. */
static const struct gpmu_row *after(const struct gpmu_row *row)
{
	return (const struct gpmu_row *)((const char *)row + row->size);
}

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
	const struct gpmu_row *rows;
	const char *name;
	size_t n;
	int ret = gpmu_session_enable(session);

	for (int step = 0; !ret && step < steps; step++)
		phases(session);
	gpmu_session_disable(session);
	for (size_t i = 0; (name = gpmu_region_name(session, i)); i++) {
		ret = gpmu_region_rows(session, i, &rows, &n);
		for (; !ret && n; n--, rows = after(rows))
			printf("%s: %s %g\n", name, rows->name, rows->value);
	}
	return ret;
}
