// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each function of a cubin has a section of its own, and all begin at address 0. Relocations of
 * .debug_line name the function of each sequence of lines. They are applied here so that each
 * section has addresses of its own, and elfutils, which does not know this machine, then reads the
 * table as any other. Sections are numbered in the order of the table: elfutils sorts lines by
 * address, but a line names the call by which it is inlined by its position in the table.
 */
#include <elfutils/libdw.h>
#include <elfutils/version.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"
#include "profile/cubin/profile_cubin.h"

#define NONE	SIZE_MAX	/* no line */

/* A table of lines, sorted by address; a file may have several */
struct table {
	Dwarf_Lines *lines;
	size_t count;
};

struct relocation {
	uint64_t offset;	/* in .debug_line */
	size_t section;
	uint64_t address;	/* in the section */
};

struct function {
	const char *name;
	size_t section;
	uint64_t address, size;	/* in the section */
};

struct profile_cubin {
	void *image;		/* with relocations */
	size_t size;
	Elf *elf;
	Dwarf *dwarf;		/* NULL: no lines */
	VECTOR(struct table) tables;
	VECTOR(struct function) functions;	/* sorted by name */
	struct map sections;			/* number in the table, from 1, by section */
};

/* The address of a place in a section; 0: the table has no line of the section */
static uint64_t address_of(const struct profile_cubin *cubin, size_t section, uint64_t address)
{
	const union map_cell *cell = map_find(&cubin->sections, section);

	return cell ? (cell->number << 32) + address : 0;
}

static const char *section_name(const struct profile_cubin *cubin, const GElf_Shdr *header)
{
	size_t names;
	const char *name = elf_getshdrstrndx(cubin->elf, &names) ? NULL :
			   elf_strptr(cubin->elf, names, header->sh_name);

	return name ? name : "";
}

static Elf_Data *symbols_of(const struct profile_cubin *cubin, size_t section, GElf_Shdr *header)
{
	Elf_Scn *scn = elf_getscn(cubin->elf, section);

	return scn && gelf_getshdr(scn, header) && header->sh_type == SHT_SYMTAB ?
	       elf_getdata(scn, NULL) : NULL;
}

/* Writes an address to the copy of the image. libelf has checked the original, and reads from that. */
static void relocate(struct profile_cubin *cubin, const GElf_Shdr *target, uint64_t offset, uint64_t address)
{
	if (target->sh_type == SHT_NOBITS || target->sh_offset > cubin->size ||
	    target->sh_size > cubin->size - target->sh_offset || offset > target->sh_size ||
	    target->sh_size - offset < sizeof(address))
		return;
	memcpy((char *)cubin->image + target->sh_offset + offset, &address, sizeof(address));
}

static int compare_relocations(const void *left, const void *right)
{
	const struct relocation *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Reads an entry of a section of relocations. Returns false after the last. */
static bool read_entry(Elf_Data *data, const GElf_Shdr *header, size_t i, GElf_Rela *entry)
{
	GElf_Rel plain;

	if (i > INT32_MAX || !data)
		return false;
	if (header->sh_type == SHT_RELA)
		return gelf_getrela(data, (int)i, entry) != NULL;
	if (!gelf_getrel(data, (int)i, &plain))
		return false;
	*entry = (GElf_Rela){ plain.r_offset, plain.r_info, 0 };
	return true;
}

static int relocate_all(struct profile_cubin *cubin, Elf_Data *data, const GElf_Shdr *header,
			const GElf_Shdr *target)
{
	VECTOR(struct relocation) list = { 0 };
	GElf_Shdr symbols_header;
	Elf_Data *symbols = symbols_of(cubin, header->sh_link, &symbols_header);
	GElf_Rela entry;
	GElf_Sym symbol;
	int ret = 0;

	for (size_t i = 0; symbols && !ret && read_entry(data, header, i, &entry); i++)
		if (gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol))
			ret = vector_push(&list, &(struct relocation){
				entry.r_offset, symbol.st_shndx,
				symbol.st_value + (uint64_t)entry.r_addend });
	vector_sort(&list, compare_relocations);
	for (size_t i = 0; i < list.n && !ret; i++) {
		bool is_new;
		union map_cell *cell = map_add(&cubin->sections, list.list[i].section, &is_new);

		if (cell && is_new)
			cell->number = cubin->sections.n;
		ret = cell ? 0 : -1;
		relocate(cubin, target, list.list[i].offset,
			 address_of(cubin, list.list[i].section, list.list[i].address));
	}
	vector_free(&list);
	return ret;
}

/*
 * Applies the relocations of .debug_line, before elfutils reads it. Returns 0, or -1 without
 * memory.
 */
static int relocate_lines(struct profile_cubin *cubin)
{
	Elf_Scn *scn = NULL;
	int ret = 0;

	while (!ret && (scn = elf_nextscn(cubin->elf, scn))) {
		GElf_Shdr header, target;
		Elf_Scn *lines;

		if (!gelf_getshdr(scn, &header) ||
		    (header.sh_type != SHT_RELA && header.sh_type != SHT_REL))
			continue;
		lines = elf_getscn(cubin->elf, header.sh_info);
		if (lines && gelf_getshdr(lines, &target) &&
		    !strcmp(section_name(cubin, &target), ".debug_line"))
			ret = relocate_all(cubin, elf_getdata(scn, NULL), &header, &target);
	}
	return ret;
}

static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int read_functions(struct profile_cubin *cubin)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(cubin->elf, scn))) {
		GElf_Shdr header;
		GElf_Sym symbol;
		Elf_Data *data = gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB ?
				 elf_getdata(scn, NULL) : NULL;

		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(cubin->elf, header.sh_link, symbol.st_name);

			if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !name || !*name)
				continue;
			if (vector_push(&cubin->functions, &(struct function){
				name, symbol.st_shndx, symbol.st_value, symbol.st_size }))
				return -1;
		}
	}
	vector_sort(&cubin->functions, compare_functions);
	return 0;
}

static int read_tables(struct profile_cubin *cubin)
{
	Dwarf_Off offset = 0, next = 0;
	Dwarf_Files *files;
	size_t file_count;
	Dwarf_CU *unit = NULL;
	struct table table;

	/* A table that is damaged is skipped. */
	for (int ret; !(ret = dwarf_next_lines(cubin->dwarf, offset, &next, &unit, &files,
					       &file_count, &table.lines, &table.count)) ||
		      (ret < 0 && next > offset); offset = next) {
		if (!ret && table.lines && table.count && vector_push(&cubin->tables, &table))
			return -1;
		if (next <= offset)
			break;
	}
	return 0;
}

/* Applies the relocations of the original to the copy, as libelf writes only with ELF_C_WRITE. */
static int relocate_copy(struct profile_cubin *cubin, const void *original)
{
	int ret = 0;

	cubin->elf = cubin->size ? elf_memory((char *)original, cubin->size) : NULL;
	if (cubin->elf && elf_kind(cubin->elf) == ELF_K_ELF)
		ret = relocate_lines(cubin);
	elf_end(cubin->elf);
	cubin->elf = NULL;
	return ret;
}

struct profile_cubin *profile_cubin_new(const void *image, size_t size)
{
	struct profile_cubin *cubin = calloc(1, sizeof(*cubin));
	int ret;

	if (!cubin)
		return NULL;
	elf_version(EV_CURRENT);
	cubin->image = malloc(size + 1);
	if (!cubin->image) {
		free(cubin);
		return NULL;
	}
	memcpy(cubin->image, image, size);
	cubin->size = size;
	ret = relocate_copy(cubin, image);
	cubin->elf = !ret && size ? elf_memory(cubin->image, size) : NULL;
	if (!ret && (!cubin->elf || elf_kind(cubin->elf) != ELF_K_ELF))
		return cubin;
	if (ret || read_functions(cubin)) {
		profile_cubin_free(cubin);
		return NULL;
	}
	cubin->dwarf = dwarf_begin_elf(cubin->elf, DWARF_C_READ, NULL);
	if (cubin->dwarf && read_tables(cubin)) {
		profile_cubin_free(cubin);
		return NULL;
	}
	return cubin;
}

void profile_cubin_free(struct profile_cubin *cubin)
{
	if (!cubin)
		return;
	if (cubin->dwarf)
		dwarf_end(cubin->dwarf);
	if (cubin->elf)
		elf_end(cubin->elf);
	vector_free(&cubin->tables);
	vector_free(&cubin->functions);
	map_release(&cubin->sections);
	free(cubin->image);
	free(cubin);
}

static bool is_end(Dwarf_Line *line)
{
	bool is_end = true;

	return !line || dwarf_lineendsequence(line, &is_end) || is_end;
}

/*
 * The index of the line of an address: the last one that begins at it or before; NONE: there is
 * none, or a sequence has ended
 */
static size_t find_line(const struct table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		Dwarf_Line *line = dwarf_onesrcline(table->lines, middle);
		Dwarf_Addr begin;

		if (line && !dwarf_lineaddr(line, &begin) && begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && !is_end(dwarf_onesrcline(table->lines, low - 1)) ? low - 1 : NONE;
}

/*
 * The index of the call by which a line is inlined; NONE: it is not, or elfutils is older than
 * 0.187, which does not read calls. The table has the position in the sequence, from 1, and
 * elfutils takes it as that in the whole table.
 */
static size_t find_caller(const struct table *table, size_t line)
{
#if _ELFUTILS_PREREQ(0, 187)
	Dwarf_Line *caller = dwarf_linecontext(table->lines, dwarf_onesrcline(table->lines, line));
	size_t first = line, position = 0;

	while (first && !is_end(dwarf_onesrcline(table->lines, first - 1)))
		first--;
	while (caller && first + position < line &&
	       dwarf_onesrcline(table->lines, position) != caller)
		position++;
	return caller && first + position < line ? first + position : NONE;
#else
	(void)table;
	(void)line;
	return NONE;
#endif
}

static const char *function_of(const struct profile_cubin *cubin, Dwarf_Line *line)
{
#if _ELFUTILS_PREREQ(0, 187)
	return dwarf_linefunctionname(cubin->dwarf, line);
#else
	(void)cubin;
	(void)line;
	return NULL;
#endif
}

static size_t list_lines(const struct profile_cubin *cubin, const struct table *table, size_t index,
			 struct gpmu_recorder_line lines[GPMU_RECORDER_LINES])
{
	size_t n = 0;

	for (; index != NONE && n < GPMU_RECORDER_LINES; index = find_caller(table, index)) {
		Dwarf_Line *line = dwarf_onesrcline(table->lines, index);
		const char *file = dwarf_linesrc(line, NULL, NULL);
		int number = 0;

		if (!file || dwarf_lineno(line, &number) || number <= 0)
			break;
		lines[n++] = (struct gpmu_recorder_line){
			.file = file, .line = (unsigned int)number,
			.function = function_of(cubin, line) };
	}
	return n;
}

size_t profile_cubin_lines(const struct profile_cubin *cubin, const char *function, uint64_t offset,
			   struct gpmu_recorder_line lines[GPMU_RECORDER_LINES])
{
	const struct function key = { .name = function };
	const struct function *found = NULL;
	uint64_t address;
	size_t n = 0;

	if (cubin->functions.n)
		found = bsearch(&key, cubin->functions.list, cubin->functions.n, sizeof(key),
				compare_functions);
	if (!found || (found->size && offset >= found->size))
		return 0;
	address = address_of(cubin, found->section, found->address + offset);
	for (size_t i = 0; i < cubin->tables.n && !n && address; i++)
		n = list_lines(cubin, &cubin->tables.list[i],
			       find_line(&cubin->tables.list[i], address), lines);
	return n;
}
