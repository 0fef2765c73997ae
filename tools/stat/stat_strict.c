// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "stat/stat_strict.h"

#define MAX_REASONS	20	/* that are printed */

void strict_add(struct strict *strict, char *reason)
{
	for (size_t i = 0; i < strict->length; i++)
		if (!strcmp(strict->list[i], reason)) {
			free(reason);
			return;
		}
	if (strict->length == MAX_REASONS) {
		strict->has_more = true;
		free(reason);
		return;
	}
	strict->list = need_memory(reallocarray(strict->list, strict->length + 1,
						 sizeof(*strict->list)));
	strict->list[strict->length++] = reason;
}

/* " of node 1" */
static void place_of(const struct gpmu_row *row, char *place, size_t size)
{
	*place = '\0';
	if (row->scope == GPMU_SCOPE_CPU)
		snprintf(place, size, " of CPU %d", row->cpu);
	else if (row->scope == GPMU_SCOPE_THREAD)
		snprintf(place, size, " of thread %d", row->tid);
	else if (row->scope == GPMU_SCOPE_SOCKET)
		snprintf(place, size, " of socket %d", row->package);
	else if (row->scope == GPMU_SCOPE_DIE)
		snprintf(place, size, " of S%d-D%d", row->package, row->die);
	else if (row->scope == GPMU_SCOPE_CORE)
		snprintf(place, size, " of S%d-D%d-C%d", row->package, row->die, row->core);
	else if (row->node >= 0)
		snprintf(place, size, " of node %d", row->node);
}

void strict_note(struct strict *strict, const struct gpmu_row *row, unsigned int runs)
{
	static const char *const states[] = {
		[GPMU_STATE_NOT_COUNTED] = "not counted", [GPMU_STATE_NOT_SUPPORTED] = "not supported",
	};
	char place[48];

	place_of(row, place, sizeof(place));
	if (row->state == GPMU_STATE_NOT_COUNTED || row->state == GPMU_STATE_NOT_SUPPORTED)
		strict_add(strict, print_text("%s%s: %s%s%s", row->name, place, states[row->state],
					    row->why ? ": " : "", row->why ? row->why : ""));
	else if (row->share < 1)
		strict_add(strict, print_text("%s%s: multiplexed", row->name, place));
	else if (row->runs < runs && row->state == GPMU_STATE_OK)
		strict_add(strict, print_text("%s%s: missing in some of the runs", row->name, place));
}

bool strict_report(const struct strict *strict)
{
	for (size_t i = 0; i < strict->length; i++)
		say("--strict: %s", strict->list[i]);
	if (strict->has_more)
		say("--strict: further values are missing or multiplexed");
	return !strict->length;
}

void strict_release(struct strict *strict)
{
	for (size_t i = 0; i < strict->length; i++)
		free(strict->list[i]);
	free(strict->list);
}
