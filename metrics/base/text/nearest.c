// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_nearest.h"
#include "base/text/text.h"

#define MAX_LENGTH	64

/* Levenshtein distance: characters to insert, delete or replace, ignoring case */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t row[MAX_LENGTH + 1], diagonal, above, best;

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			above = row[j];
			best = diagonal + (text_lower(a[i - 1]) != text_lower(b[j - 1]));
			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diagonal = above;
		}
	}
	return row[b_length];
}

void gpmu_nearest_init(struct nearest *nearest, const char *wanted)
{
	/* Up to a third of the letters may differ. */
	*nearest = (struct nearest){ .wanted = wanted, .distance = strlen(wanted) / 3 + 1 };
}

void gpmu_nearest_try(struct nearest *nearest, const char *name)
{
	size_t wanted = strlen(nearest->wanted), length, apart;

	if (!name || wanted > MAX_LENGTH)
		return;
	length = strlen(name);
	apart = length > wanted ? length - wanted : wanted - length;
	if (length > MAX_LENGTH || apart >= nearest->distance)
		return;
	apart = distance(nearest->wanted, wanted, name, length);
	if (apart < nearest->distance) {
		nearest->distance = apart;
		nearest->name = name;
	}
}
