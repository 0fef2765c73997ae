// SPDX-License-Identifier: LGPL-2.1-or-later
/* The ranges of compilation units are read here, as not all compilers write .debug_aranges. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "profile/profile_dwarf.h"
#include "profile/profile_range.h"

/* Addresses of a compilation unit */
struct unit_range {
	uint64_t begin, end;
	uint32_t unit;
};

struct unit {
	Dwarf_Die die;
};

/* --- compilation units */

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *one = a, *two = b;

	return (one->begin > two->begin) - (one->begin < two->begin);
}

static int add_ranges(struct profile_dwarf *dwarf, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
		struct unit_range *range;

		if (begin >= end)
			continue;
		range = vector_add(&dwarf->ranges, sizeof(*range));
		if (!range)
			return -ENOMEM;
		*range = (struct unit_range){ .begin = begin, .end = end, .unit = unit };
	}
	return 0;
}

/* The ranges and lines of a unit are in its skeleton if the rest is in a file of its own. */
int profile_dwarf_read(struct profile_dwarf *dwarf, Dwarf *from)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (!dwarf_get_units(from, cu, &cu, NULL, &type, &die, NULL)) {
		struct unit *unit;

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		unit = vector_add(&dwarf->units, sizeof(*unit));
		if (!unit || add_ranges(dwarf, &die, (uint32_t)dwarf->units.n - 1))
			return -ENOMEM;
		unit->die = die;
	}
	if (dwarf->ranges.n)
		qsort(dwarf->ranges.data, dwarf->ranges.n, sizeof(struct unit_range), compare_ranges);
	return 0;
}

/* --- addresses */

/* The unit that has an address; NULL: none */
static struct unit *unit_at(const struct profile_dwarf *dwarf, uint64_t address, struct profile_range *range)
{
	const struct unit_range *ranges = dwarf->ranges.data;
	size_t from = 0, to = dwarf->ranges.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (ranges[middle].begin <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (from < dwarf->ranges.n)
		profile_range_limit(range, address, ranges[from].begin);
	if (!from)
		return NULL;
	profile_range_limit(range, address, ranges[from - 1].begin);
	profile_range_limit(range, address, ranges[from - 1].end);
	return address < ranges[from - 1].end ? (struct unit *)dwarf->units.data + ranges[from - 1].unit : NULL;
}

const char *profile_dwarf_line(const struct profile_dwarf *dwarf, uint64_t address, int *line)
{
	struct profile_range range = PROFILE_RANGE_ALL;
	struct unit *unit = unit_at(dwarf, address, &range);
	Dwarf_Line *found = unit ? dwarf_getsrc_die(&unit->die, address) : NULL;

	if (!found || dwarf_lineno(found, line))
		return NULL;
	return dwarf_linesrc(found, NULL, NULL);
}

void profile_dwarf_release(struct profile_dwarf *dwarf)
{
	vector_release(&dwarf->units);
	vector_release(&dwarf->ranges);
}
