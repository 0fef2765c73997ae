// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints a row as a sentence. */
#include <stdio.h>

#include <gpmu.h>

static void show(const struct gpmu_row *row)
{
	switch (row->state) {
	case GPMU_STATE_OK:
		printf("%s: %g %s%s\n", row->name, row->value,
		       row->unit ? row->unit : "",
		       row->share < 1 ? " (an estimate)" : "");
		break;
	case GPMU_STATE_IDLE:
		printf("%s: nothing happened\n", row->name);
		break;
	default:
		printf("%s: no value, %s\n", row->name,
		       row->why ? row->why : "it was not counted");
	}
}

int main(void)
{
	const struct gpmu_row row = {
		.size = sizeof(row),
		.name = "GraceMemBW",
		.value = 131.52,
		.unit = "GB/s",
		.share = 1,
	};

	show(&row);
	return 0;
}
