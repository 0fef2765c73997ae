// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DWARF describes inlined calls as a tree of entries with ranges of addresses. A compilation unit's tree is walked once. Its ranges
 * become segments, each with its innermost function, so that an address is found by a binary search. So do the ranges of
 * compilation units, which are read here, as not all compilers write .debug_aranges.
 */
#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "profile/profile_dwarf.h"

#define NONE		UINT32_MAX
#define DEPTH_MOST	256	/* of the tree; deeper entries are omitted */
#define RANGES_MOST	(1 << 22)	/* of a file's units, and of a unit; later ones are omitted: entries of a damaged file may share a list */

/* Addresses of a unit or an inlined function */
struct span {
	uint64_t begin, end;
	uint32_t of;			/* its index */
};

/* Addresses from @begin to the next segment */
struct segment {
	uint64_t begin;
	uint32_t of;			/* as of a span, or NONE */
};

struct unit {
	Dwarf_Die die;			/* has the table of lines */
	bool is_read;			/* @functions and @segments are set */
	struct profile_inlined *functions;
	struct vector segments;		/* struct segment: functions */
};

/* An inlined function while its unit is read */
struct entry {
	const char *name;
	uint32_t caller, depth;		/* @caller: its index, or NONE */
};

/* Spans while they are read */
struct spans {
	struct vector list;		/* struct span */
	uint32_t read;			/* number of ranges, including the omitted ones */
	uint64_t first;			/* lowest address of code */
};

struct walk {
	struct vector entries;
	struct spans spans;
	Dwarf_Off last;			/* offset of the last entry of the tree */
};

/* --- spans and segments */

/* Adds the ranges of an entry. Code that the linker removed is at an address below all other code, mostly 0. */
static int add_spans(struct spans *spans, Dwarf_Die *die, uint32_t of)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while (spans->read < RANGES_MOST && (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
		struct span *span;

		spans->read++;
		if (begin >= end || begin < spans->first)
			continue;
		span = vector_add(&spans->list, sizeof(*span));
		if (!span)
			return -ENOMEM;
		*span = (struct span){ .begin = begin, .end = end, .of = of };
	}
	return 0;
}

/* An outer span comes before those in it. A caller has a lower index than its callees. */
static int compare_spans(const void *a, const void *b)
{
	const struct span *one = a, *two = b;

	if (one->begin != two->begin)
		return one->begin < two->begin ? -1 : 1;
	if (one->end != two->end)
		return one->end > two->end ? -1 : 1;
	return (one->of > two->of) - (one->of < two->of);
}

static int begin_segment(struct vector *segments, uint64_t begin, uint32_t of)
{
	struct segment *last = segments->n ? (struct segment *)segments->data + segments->n - 1 : NULL;

	if (!last || last->begin != begin) {
		last = vector_add(segments, sizeof(*last));
		if (!last)
			return -ENOMEM;
	}
	*last = (struct segment){ .begin = begin, .of = of };
	return 0;
}

/* Ends the open spans whose end is at most @until. @open: indices of spans, innermost last */
static int end_spans(struct vector *segments, const struct span *spans, uint32_t *open, size_t *depth, uint64_t until)
{
	while (*depth && spans[open[*depth - 1]].end <= until) {
		uint64_t end = spans[open[--*depth]].end;

		/* Outer spans may have ended before. */
		while (*depth && spans[open[*depth - 1]].end <= end)
			--*depth;
		if (begin_segment(segments, end, *depth ? spans[open[*depth - 1]].of : NONE))
			return -ENOMEM;
	}
	return 0;
}

/* Of several spans with an address, its segment has the one that begins last. */
static int make_segments(struct vector *segments, struct vector *from)
{
	struct span *spans = from->data;
	uint32_t *open = calloc(from->n + 1, sizeof(*open));
	size_t depth = 0;
	int ret = open ? 0 : -ENOMEM;

	if (from->n)
		qsort(spans, from->n, sizeof(*spans), compare_spans);
	for (size_t i = 0; i < from->n && !ret; i++) {
		ret = end_spans(segments, spans, open, &depth, spans[i].begin);
		if (ret)
			break;
		open[depth++] = (uint32_t)i;
		ret = begin_segment(segments, spans[i].begin, spans[i].of);
	}
	if (!ret)
		ret = end_spans(segments, spans, open, &depth, UINT64_MAX);
	free(open);
	return ret;
}

/* What an address belongs to, or NONE */
static uint32_t find(const struct vector *segments, uint64_t address, struct profile_range *range)
{
	const struct segment *list = segments->data;
	size_t from = profile_range_find(range, address, list, segments->n, sizeof(*list));

	return from ? list[from - 1].of : NONE;
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
		struct unit *unit;

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		unit = vector_add(&dwarf->units, sizeof(*unit));
		if (!unit || add_spans(spans, &die, (uint32_t)dwarf->units.n - 1))
			return -ENOMEM;
		unit->die = die;
	}
	return 0;
}

int profile_dwarf_read(struct profile_dwarf *dwarf, Dwarf *from)
{
	struct spans spans = { .first = first_code(dwarf_getelf(from)) };
	int ret;

	dwarf->first = spans.first;
	ret = add_units(dwarf, from, &spans);
	if (!ret)
		ret = make_segments(&dwarf->segments, &spans.list);
	vector_release(&spans.list);
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
	const struct entry *entries = walk->entries.data;
	uint32_t depth = *caller == NONE ? 0 : entries[*caller].depth + 1;
	const char *name = name_of(die);
	struct entry *entry;

	if (!name || depth == PROFILE_INLINED_MOST)
		return 0;
	entry = vector_add(&walk->entries, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	*entry = (struct entry){ .name = name, .caller = *caller, .depth = depth };
	*caller = (uint32_t)walk->entries.n - 1;
	return add_spans(&walk->spans, die, *caller);
}

static bool has_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Each entry follows the last one. In a damaged file it may not, and entries would be read again and again. */
static int walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t caller, unsigned int depth)
{
	Dwarf_Die die;
	int ret = 0;

	for (int end = dwarf_child(parent, &die); !end && dwarf_dieoffset(&die) > walk->last && !ret;) {
		const int tag = dwarf_tag(&die);
		Dwarf_Die here = die;
		/* A nested function is not inlined where it is defined. */
		uint32_t inner = tag == DW_TAG_subprogram ? NONE : caller;

		walk->last = dwarf_dieoffset(&die);
		if (tag == DW_TAG_inlined_subroutine)
			ret = add_entry(walk, &die, &inner);
		if (!ret && has_code(tag) && depth < DEPTH_MOST)
			ret = walk_children(walk, &die, inner, depth + 1);
		end = dwarf_siblingof(&here, &die);
	}
	return ret;
}

/* Returns the root of a unit's entries, which may be in a file of their own. */
static Dwarf_Die tree_of(const struct unit *unit)
{
	Dwarf_Die split;
	uint8_t type;

	if (!dwarf_cu_info(unit->die.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) && type == DW_UT_skeleton &&
	    dwarf_tag(&split) != DW_TAG_invalid)
		return split;
	return unit->die;
}

static int read_unit(struct unit *unit, uint64_t first_address)
{
	struct walk walk = { .spans.first = first_address };
	Dwarf_Die tree = tree_of(unit);
	int ret = walk_children(&walk, &tree, NONE, 0);
	const struct entry *entries = walk.entries.data;

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
		ret = make_segments(&unit->segments, &walk.spans.list);
	vector_release(&walk.entries);
	vector_release(&walk.spans.list);
	return ret;
}

/* --- addresses */

/* The unit that contains an address; NULL: none */
static struct unit *unit_at(const struct profile_dwarf *dwarf, uint64_t address, struct profile_range *range)
{
	uint32_t unit = find(&dwarf->segments, address, range);

	return unit == NONE ? NULL : (struct unit *)dwarf->units.data + unit;
}

int profile_dwarf_inlined(struct profile_dwarf *dwarf, uint64_t address, struct profile_range *range,
			  struct profile_inlined **inlined)
{
	struct unit *unit = unit_at(dwarf, address, range);
	uint32_t function;

	*inlined = NULL;
	if (!unit)
		return 0;
	if (!unit->is_read && read_unit(unit, dwarf->first))
		return -ENOMEM;
	function = find(&unit->segments, address, range);
	if (function != NONE)
		*inlined = &unit->functions[function];
	return 0;
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
	struct unit *units = dwarf->units.data;

	for (size_t i = 0; i < dwarf->units.n; i++) {
		free(units[i].functions);
		vector_release(&units[i].segments);
	}
	vector_release(&dwarf->units);
	vector_release(&dwarf->segments);
}
