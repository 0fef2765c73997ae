// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the rows of a region as sentences. */
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

static void show_region(struct gpmu *g, const char *region)
{
	const struct gpmu_rows *rows;
	const struct gpmu_row *row;

	if (gpmu_get_rows(g, region, &rows))
		return;
	for (size_t i = 0; (row = gpmu_rows_at(rows, i)); i++)
		show(row);
}

int main(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g = gpmu_open("task-clock:u", NULL, &error);

	if (!g) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	gpmu_begin(g, "work");
	gpmu_end(g, "work");
	show_region(g, "work");
	gpmu_close(g);
	return 0;
}
