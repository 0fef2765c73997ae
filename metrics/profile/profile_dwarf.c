// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DWARF describes inlined calls as a tree of entries with ranges of addresses. A compilation unit's tree is walked once. Its ranges
 * become segments, each with its innermost function, so that an address is found by a binary search. So do the ranges of
 * compilation units, which are read here, as not all compilers write .debug_aranges.
 */
#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/elf/profile_elf.h"
#include "profile/profile_dwarf.h"

#define NONE		UINT32_MAX
#define DEPTH_MAX	256	/* of the tree; deeper entries are omitted */
#define UNITS_MAX	64	/* compilation units of an address; outer ones are omitted */
#define RANGES_MAX	(1 << 22)	/* of a file's units, and of a unit; later ones are omitted: entries of a damaged file may share a list */

/* Addresses of a unit or an inlined function */
struct profile_span {
	uint64_t begin, end;
	uint32_t owner;			/* its index */
	uint32_t below;			/* the span that it began in, which may end before it; NONE: none */
};

/* Addresses from @begin to the next segment */
struct profile_segment {
	uint64_t begin;
	uint32_t top;			/* of units: the span that began last; of functions: the innermost function; NONE: none */
};

struct profile_unit {
	Dwarf_Die die;			/* has the table of lines */
	bool is_read;			/* @functions and @segments are set */
	struct profile_inlined *functions;
	struct profile_segments segments;	/* of functions */
};

/* An inlined function while its unit is read */
struct entry {
	const char *name;
	uint32_t caller, depth;		/* @caller: its index, or NONE */
};

/* Spans while they are read */
struct spans {
	struct profile_span *list;
	size_t n;
	uint32_t read;			/* number of ranges, including the omitted ones */
	uint64_t first;			/* lowest address of code */
};

struct walk {
	VECTOR(struct entry) entries;
	struct spans spans;
	Dwarf *dwarf;			/* of the tree */
	const char *data;		/* its .debug_info */
	Dwarf_Off last, end;		/* offsets in it: of the last entry of the tree, and of the tree's end */
};

/* --- spans and segments */

/* Code that the linker removed is at an address below all other code, mostly 0, or at one of the last addresses. */
static bool is_code(const struct spans *spans, uint64_t begin, uint64_t end)
{
	return begin < end && begin >= spans->first;
}

/* Returns whether the linker has removed all ranges of an entry, whose addresses may then be those of other code. */
static bool is_removed(struct spans *spans, Dwarf_Die *die)
{
	Dwarf_Addr base, begin, end;
	bool has_ranges = false;
	ptrdiff_t offset = 0;

	while (spans->read < RANGES_MAX && (offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0) {
		if (is_code(spans, begin, end))
			return false;
		spans->read++;
		has_ranges = true;
	}
	return has_ranges;
}

/* Adds the ranges of an entry. */
static int add_spans(struct spans *spans, Dwarf_Die *die, uint32_t owner)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t offset = 0;

	while (spans->read < RANGES_MAX && (offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0) {
		const struct profile_span span = { .begin = begin, .end = end, .owner = owner, .below = NONE };

		spans->read++;
		if (is_code(spans, begin, end) && vector_push(spans, &span))
			return -ENOMEM;
	}
	return 0;
}

/* An outer span comes before those in it. A caller has a lower index than its callees. */
static int compare_spans(const void *a, const void *b)
{
	const struct profile_span *left = a, *right = b;

	return COMPARE(left->begin, right->begin)     ?:
		       COMPARE(right->end, left->end) ?:
							COMPARE(left->owner, right->owner);
}

static int begin_segment(struct profile_segments *segments, uint64_t begin, uint32_t top)
{
	if (!segments->n || segments->list[segments->n - 1].begin != begin)
		return vector_push(segments, &(struct profile_segment){ .begin = begin, .top = top });
	segments->list[segments->n - 1].top = top;
	return 0;
}

/* Ends the open spans whose end is at most @until. @open: indices of spans, innermost last */
static int end_spans(struct profile_segments *segments, const struct profile_span *spans, uint32_t *open, size_t *depth,
		     uint64_t until)
{
	while (*depth && spans[open[*depth - 1]].end <= until) {
		uint64_t end = spans[open[--*depth]].end;

		/* Outer spans may have ended before. */
		while (*depth && spans[open[*depth - 1]].end <= end)
			--*depth;
		if (begin_segment(segments, end, *depth ? open[*depth - 1] : NONE))
			return -ENOMEM;
	}
	return 0;
}

/* Sorts spans and makes their segments. Where spans overlap, the segment gets the one that begins last. */
static int make_segments(struct profile_segments *segments, struct spans *from)
{
	struct profile_span *spans = from->list;
	uint32_t *open = calloc(from->n + 1, sizeof(*open));
	size_t depth = 0;
	int ret = open ? 0 : -ENOMEM;

	vector_sort(from, compare_spans);
	for (size_t i = 0; i < from->n && !ret; i++) {
		ret = end_spans(segments, spans, open, &depth, spans[i].begin);
		if (ret)
			break;
		spans[i].below = depth ? open[depth - 1] : NONE;
		open[depth++] = (uint32_t)i;
		ret = begin_segment(segments, spans[i].begin, (uint32_t)i);
	}
	if (!ret)
		ret = end_spans(segments, spans, open, &depth, UINT64_MAX);
	free(open);
	return ret;
}

/* Returns the top of an address's segment, or NONE. */
static uint32_t find(const struct profile_segments *segments, uint64_t address, struct profile_range *range)
{
	const struct profile_segment *list = segments->list;
	size_t from = profile_range_find(range, address, list, segments->n, sizeof(*list));

	return from ? list[from - 1].top : NONE;
}

/* --- compilation units */

/* The address of the first section with code; 0: not known */
static uint64_t first_code(Elf *elf)
{
	uint64_t first = UINT64_MAX;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR && header.sh_addr < first)
			first = header.sh_addr;
	}
	return first == UINT64_MAX ? 0 : first;
}

/* The ranges and lines of a unit are in its skeleton if the rest is in a file of its own. */
static int add_units(struct profile_dwarf *dwarf, Dwarf *from, struct spans *spans)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (!dwarf_get_units(from, cu, &cu, NULL, &type, &die, NULL)) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (vector_push(&dwarf->units, &(struct profile_unit){ .die = die }) ||
		    add_spans(spans, &die, (uint32_t)dwarf->units.n - 1))
			return -ENOMEM;
	}
	return 0;
}

int profile_dwarf_read(struct profile_dwarf *dwarf, Dwarf *from, const char *path)
{
	struct spans spans = { .first = first_code(dwarf_getelf(from)) };
	int ret;

	dwarf->first = spans.first;
	dwarf->path = path;
	ret = add_units(dwarf, from, &spans);
	if (!ret)
		ret = make_segments(&dwarf->segments, &spans);
	dwarf->spans = spans.list;
	return ret;
}

/* --- entries of a unit */

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

/* Adds an inlined function, and sets @caller to its index, for its callees. */
static int add_entry(struct walk *walk, Dwarf_Die *die, uint32_t *caller)
{
	uint32_t depth = *caller == NONE ? 0 : walk->entries.list[*caller].depth + 1;
	const char *name = name_of(die);

	if (!name || depth == PROFILE_INLINED_MAX)
		return 0;
	if (vector_push(&walk->entries, &(struct entry){ .name = name, .caller = *caller, .depth = depth }))
		return -ENOMEM;
	*caller = (uint32_t)walk->entries.n - 1;
	return add_spans(&walk->spans, die, *caller);
}

static bool has_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_namespace ||
	       tag == DW_TAG_module || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type;
}

/* Sets the entry at an offset. Returns 1 if the entries of a parent end there. */
static int entry_at(const struct walk *walk, Dwarf_Off offset, Dwarf_Die *die)
{
	return offset >= walk->end || !dwarf_offdie(walk->dwarf, offset, die) || !*(const char *)die->addr;
}

/*
 * Reads the children of an entry. Sets the offset after them; 0: not known. Not all compilers write DW_AT_sibling. Without it, libdw
 * finds the next entry by reading all descendants of the last one, so libdw is asked only after an entry whose children are not
 * read here.
 *
 * Each entry must follow the last one: in a damaged file an entry can refer back, and its entries would be read again and again.
 */
static int walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t caller, unsigned int depth, Dwarf_Off *after)
{
	Dwarf_Die die;
	int ret = 0;

	*after = 0;
	for (int end = dwarf_child(parent, &die); !end && dwarf_dieoffset(&die) > walk->last && !ret;) {
		const int tag = dwarf_tag(&die);
		Dwarf_Die here = die;
		/* A nested function is not inlined where it is defined. */
		uint32_t inner = tag == DW_TAG_subprogram ? NONE : caller;
		Dwarf_Off next = 0;

		walk->last = dwarf_dieoffset(&die);
		if (tag == DW_TAG_inlined_subroutine)
			ret = add_entry(walk, &die, &inner);
		if (!ret && has_code(tag) && depth < DEPTH_MAX &&
		    !(tag == DW_TAG_subprogram && is_removed(&walk->spans, &die)))
			ret = walk_children(walk, &die, inner, depth + 1, &next);
		end = next ? entry_at(walk, next, &die) : dwarf_siblingof(&here, &die);
		if (end == 1 && !next)
			next = die.addr ? (Dwarf_Off)((const char *)die.addr - walk->data) : walk->end;
		*after = end == 1 ? next + 1 : 0;
	}
	return ret;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Returns whether elfutils would open something other than a regular file for a unit's entries: UNIT.dwo or, since 0.191, FILE.dwp */
static bool is_blocked(const struct profile_dwarf *dwarf, Dwarf_Die *die)
{
	const char *path = dwarf->path ? dwarf->path : "", *slash = strrchr(path, '/'),
		   *folder = text_of(die, DW_AT_comp_dir);
	const char *name = text_of(die, DW_AT_dwo_name);
	char package[PATH_MAX];

	if (!name)
		name = text_of(die, DW_AT_GNU_dwo_name);
	snprintf(package, sizeof(package), "%s.dwp", slash ? slash + 1 : path);
	return name && (profile_elf_blocks(path, NULL, name) || profile_elf_blocks(path, folder, name) ||
			profile_elf_blocks(path, NULL, package));
}

/* Returns the root of a unit's entries, which may be in a file of their own. */
static Dwarf_Die tree_of(const struct profile_dwarf *dwarf, struct profile_unit *unit)
{
	Dwarf_Die split;
	uint8_t type;

	if (is_blocked(dwarf, &unit->die))
		return unit->die;
	if (!dwarf_cu_info(unit->die.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) && type == DW_UT_skeleton &&
	    dwarf_tag(&split) != DW_TAG_invalid)
		return split;
	return unit->die;
}

/* Makes the segments of a unit's functions. Returns 0 or -ENOMEM. */
static int make_function_segments(struct profile_unit *unit, struct spans *from)
{
	int ret = make_segments(&unit->segments, from);
	struct profile_segment *list = unit->segments.list;

	for (size_t i = 0; i < unit->segments.n && !ret; i++)
		if (list[i].top != NONE)
			list[i].top = from->list[list[i].top].owner;
	return ret;
}

static int read_unit(const struct profile_dwarf *dwarf, struct profile_unit *unit)
{
	Dwarf_Die tree = tree_of(dwarf, unit);
	const Dwarf_Off offset = dwarf_dieoffset(&tree);
	struct walk walk = {
		.spans.first = dwarf->first, .dwarf = dwarf_cu_getdwarf(tree.cu), .data = (const char *)tree.addr - offset,
	};
	const struct entry *entries;
	Dwarf_Off after;
	int ret = 0;

	if (!dwarf_next_unit(walk.dwarf, offset - dwarf_cuoffset(&tree), &walk.end, NULL, NULL, NULL, NULL, NULL, NULL,
			     NULL))
		ret = walk_children(&walk, &tree, NONE, 0, &after);
	entries = walk.entries.list;

	unit->is_read = true;
	if (!ret) {
		unit->functions = calloc(walk.entries.n + 1, sizeof(*unit->functions));
		ret = unit->functions ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < walk.entries.n && !ret; i++)
		unit->functions[i] = (struct profile_inlined){
			.name = entries[i].name, .depth = entries[i].depth,
			.caller = entries[i].caller == NONE ? NULL : &unit->functions[entries[i].caller],
		};
	if (!ret)
		ret = make_function_segments(unit, &walk.spans);
	vector_free(&walk.entries);
	vector_free(&walk.spans);
	return ret;
}

/* --- addresses */

/*
 * Sets the units that contain an address, the inner ones first, and returns their number. A linker that merges equal functions
 * (gold --icf) leaves several units with the addresses of one.
 */
static size_t units_at(const struct profile_dwarf *dwarf, uint64_t address, struct profile_range *range,
		       struct profile_unit *units[UNITS_MAX])
{
	const struct profile_span *spans = dwarf->spans;
	size_t count = 0;

	for (uint32_t index = find(&dwarf->segments, address, range); index != NONE && count < UNITS_MAX;
	     index = spans[index].below) {
		profile_range_limit(range, address, spans[index].end);
		if (address < spans[index].end)
			units[count++] = &dwarf->units.list[spans[index].owner];
	}
	return count;
}

int profile_dwarf_inlined(struct profile_dwarf *dwarf, uint64_t address, struct profile_range *range,
			  struct profile_inlined **inlined)
{
	struct profile_unit *units[UNITS_MAX];
	size_t count = units_at(dwarf, address, range, units);

	*inlined = NULL;
	for (size_t i = 0; i < count && !*inlined; i++) {
		uint32_t function;

		if (!units[i]->is_read && read_unit(dwarf, units[i]))
			return -ENOMEM;
		function = find(&units[i]->segments, address, range);
		if (function != NONE)
			*inlined = &units[i]->functions[function];
	}
	return 0;
}

const char *profile_dwarf_line(const struct profile_dwarf *dwarf, uint64_t address, int *line)
{
	struct profile_range range = PROFILE_RANGE_ALL;
	struct profile_unit *units[UNITS_MAX];
	size_t count = units_at(dwarf, address, &range, units);
	Dwarf_Line *found = NULL;

	for (size_t i = 0; i < count && !found; i++)
		found = dwarf_getsrc_die(&units[i]->die, address);
	if (!found || dwarf_lineno(found, line))
		return NULL;
	return dwarf_linesrc(found, NULL, NULL);
}

void profile_dwarf_release(struct profile_dwarf *dwarf)
{
	for (size_t i = 0; i < dwarf->units.n; i++) {
		free(dwarf->units.list[i].functions);
		vector_free(&dwarf->units.list[i].segments);
	}
	vector_free(&dwarf->units);
	vector_free(&dwarf->segments);
	free(dwarf->spans);
}
