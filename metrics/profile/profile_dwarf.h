/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inlined functions and lines by address, from DWARF */
#ifndef GPMU_PROFILE_DWARF_H
#define GPMU_PROFILE_DWARF_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "base/vector.h"
#include "profile/profile_range.h"

#define PROFILE_INLINED_MAX	64	/* inlined functions of an address; inner ones beyond this number are omitted */

/* An inlined function; @name is borrowed from the DWARF */
struct profile_inlined {
	const char *name;			/* linkage name if there is one */
	struct profile_inlined *caller;		/* the inlined function that it was inlined into; NULL: a function with a symbol */
	uint32_t depth;				/* number of its callers */
	uint32_t text;				/* for users of this header: number of the shown name, plus 1; 0 at first */
};

struct profile_span;
struct profile_unit;

/* The segments of addresses, see profile_dwarf.c */
struct profile_segments {
	struct profile_segment *list;
	size_t n;
};

/* A zeroed struct has no units. */
struct profile_dwarf {
	VECTOR(struct profile_unit) units;	/* see profile_dwarf.c */
	struct profile_span *spans;	/* their addresses */
	struct profile_segments segments;	/* of spans */
	uint64_t first;			/* lowest address of code */
	const char *path;		/* of the file with the debug information, borrowed; NULL: not known */
};

/*
 * Finds the compilation units. @path: of the file with the debug information, borrowed; NULL: not known. Returns 0 or -ENOMEM; @dwarf
 * is to be released in both cases.
 */
int profile_dwarf_read(struct profile_dwarf *dwarf, Dwarf *from, const char *path);
/*
 * Sets the innermost inlined function at an address, valid until the release, or NULL. Reduces @range to the addresses
 * that have the same one. The tree of a compilation unit is read at the first address in it. Returns 0 or -ENOMEM.
 */
int profile_dwarf_inlined(struct profile_dwarf *dwarf, uint64_t address, struct profile_range *range,
			  struct profile_inlined **inlined);
/* Sets the line of an address. Returns its source file, borrowed, or NULL. */
const char *profile_dwarf_line(const struct profile_dwarf *dwarf, uint64_t address, int *line);
void profile_dwarf_release(struct profile_dwarf *dwarf);

#endif /* GPMU_PROFILE_DWARF_H */
