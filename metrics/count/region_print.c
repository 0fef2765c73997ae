// SPDX-License-Identifier: LGPL-2.1-or-later
/* A table of regions and counters for people */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "count/session.h"

static int widest_region(const struct gpmu_session *session)
{
	size_t widest = strlen("region"), length;
	const char *name;

	for (size_t i = 0; (name = gpmu_region_name(session, i)); i++) {
		length = strlen(name);
		widest = length > widest ? length : widest;
	}
	return (int)widest;
}

int region_print_place(char *text, size_t size, const struct gpmu_row *row)
{
	if (row->cpu >= 0)
		return snprintf(text, size, " of CPU %d", row->cpu);
	if (row->node >= 0)
		return snprintf(text, size, " of node %d", row->node);
	*text = '\0';
	return 0;
}

/* Those of all regions are the same. */
static int widest_counter(const struct gpmu_row *rows, size_t n)
{
	int widest = (int)strlen("counter"), length;
	char place[REGION_PLACE];

	for (size_t i = 0; i < n; i++) {
		length = (int)strlen(rows[i].name) + region_print_place(place, sizeof(place), &rows[i]);
		widest = length > widest ? length : widest;
	}
	return widest;
}

void region_print_value(FILE *file, const struct gpmu_row *row)
{
	static const char *const states[] = {
		[GPMU_STATE_IDLE] = "idle", [GPMU_STATE_NOT_COUNTED] = "<not counted>",
		[GPMU_STATE_NOT_SUPPORTED] = "<not supported>",
	};

	const char *after = row->state == GPMU_STATE_OK ? row->unit : row->why;

	if (row->state != GPMU_STATE_OK)
		fputs(states[row->state], file);
	else if (!row->metric && row->value == rint(row->value) && row->value < 1e15)
		fprintf(file, "%.0f", row->value);
	else
		fprintf(file, "%.9g", row->value);
	fprintf(file, "%s%s\n", after ? " " : "", after ? after : "");
}

int gpmu_regions_print(struct gpmu_session *session, FILE *file)
{
	int region = widest_region(session), counter = 0, ret;
	const struct gpmu_row *rows;
	const char *name;
	char place[REGION_PLACE];
	size_t n;

	for (size_t i = 0; (name = gpmu_region_name(session, i)); i++) {
		ret = gpmu_region_rows(session, i, &rows, &n);
		if (ret)
			return ret;
		if (!i) {
			counter = widest_counter(rows, n);
			fprintf(file, "%-*s    visits       seconds  %-*s  value\n", region,
				"region", counter, "counter");
		}
		for (size_t k = 0; k < n; k++) {
			int used = region_print_place(place, sizeof(place), &rows[k]);

			fprintf(file, "%-*s%10" PRIu64 "%14.6f  %s%-*s  ", region, name,
				gpmu_region_visit_count(session, i),
				(double)rows[k].time_end / 1e9, rows[k].name,
				counter - (int)strlen(rows[k].name), used ? place : "");
			region_print_value(file, &rows[k]);
		}
	}
	errno = 0;
	return fflush(file) || ferror(file) ? (errno ? -errno : -EIO) : 0;
}
