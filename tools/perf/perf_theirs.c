// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message.h"
#include "perf/perf_theirs.h"

void perf_theirs_add(struct perf_theirs *theirs, const char *item, size_t length)
{
	char *name = need_memory(strndup(item, length));

	name[strcspn(name, "/:")] = '\0';
	theirs->names = need_memory(reallocarray(theirs->names, theirs->n + 1,
						 sizeof(*theirs->names)));
	theirs->names[theirs->n++] = name;
}

/* Returns whether -M names the metric; marks it as printed. */
static bool take(struct perf_theirs *theirs, const char *name)
{
	bool is_taken = false;

	/* perf ignores the case of names, and prints them in its own case. */
	for (size_t i = 0; i < theirs->n; i++) {
		if (!theirs->names[i] || strcasecmp(theirs->names[i], name))
			continue;
		free(theirs->names[i]);
		theirs->names[i] = NULL;
		is_taken = true;
	}
	return is_taken;
}

void perf_theirs_rows(struct perf_theirs *theirs, const struct gpmu_rows *rows, size_t first)
{
	const struct gpmu_row *row;

	/* Metrics that perf attaches to events, such as "CPUs utilized", have blanks. */
	for (size_t i = first; (row = gpmu_rows_at(rows, i)); i++)
		if (row->metric && !take(theirs, row->name) && !strchr(row->name, ' '))
			theirs->has_unasked = true;
}

void perf_theirs_warn(const struct perf_theirs *theirs)
{
	/* The other metrics may be those of a group, whose name perf does not print. */
	if (theirs->has_unasked)
		return;
	for (size_t i = 0; i < theirs->n; i++)
		if (theirs->names[i])
			warn("metric %s was passed to perf, which has not printed it",
			     theirs->names[i]);
}

void perf_theirs_release(struct perf_theirs *theirs)
{
	for (size_t i = 0; i < theirs->n; i++)
		free(theirs->names[i]);
	free(theirs->names);
}
