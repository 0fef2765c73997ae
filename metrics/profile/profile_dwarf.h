/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines by address, from DWARF */
#ifndef GPMU_PROFILE_DWARF_H
#define GPMU_PROFILE_DWARF_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "base/vector.h"

/* Zeroed: has no units */
struct profile_dwarf {
	struct vector units;		/* struct unit: see profile_dwarf.c */
	struct vector ranges;		/* struct unit_range, sorted */
};

/* Finds the compilation units. Returns 0 or -ENOMEM; to be released in both cases. */
int profile_dwarf_read(struct profile_dwarf *dwarf, Dwarf *from);
/* Sets the line of an address. Returns its source file, borrowed, or NULL. */
const char *profile_dwarf_line(const struct profile_dwarf *dwarf, uint64_t address, int *line);
void profile_dwarf_release(struct profile_dwarf *dwarf);

#endif /* GPMU_PROFILE_DWARF_H */
