// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * elfutils looks up an address by a walk over all symbols. Here they are sorted once, as a recording
 * has millions of addresses in a few files.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/vector.h"
#include "profile/elf/profile_elf.h"
#include "profile/profile_jitdump.h"
#include "profile/profile_object.h"

/* Parts of a symbol's rank; the first one weighs the most. */
enum {
	RANK_LABEL = 1 << 10,
	RANK_WEAK = 1 << 9,
	RANK_NOT_GLOBAL = 1 << 8,
	RANK_UNDERSCORES = (1 << 8) - 1,	/* number of leading underscores */
};

struct segment {
	uint64_t offset, size, address;
};

struct profile_object {
	enum profile_object_state state;
	Dwfl_Module *module;		/* NULL: the file was not read, or is @image */
	void *image;			/* of an ELF file that was made; NULL: none */
	Elf *elf;			/* of @image */
	VECTOR(struct segment) segments;
	struct profile_range range;	/* of their addresses, the first from the start of its page */
	VECTOR(struct profile_function) functions;	/* sorted */
	bool is_dwarf_known;		/* @dwarf and @dwarf_shift are set */
	struct profile_dwarf dwarf;	/* empty: no debug information */
	uint64_t dwarf_shift;		/* its addresses minus those in the program headers */
};

/*
 * Looks for separate debug information, and for the file that dwz(1) has made of what several files share. Like elfutils, takes
 * "FILE.debug" if the file names none.
 */
static int find_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
			  const char *link, GElf_Word crc, char **found)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	char own[PATH_MAX];

	snprintf(own, sizeof(own), "%s.debug", slash ? slash + 1 : file ? file : "");
	if (file && (profile_elf_blocks(file, NULL, link ? link : own) ||
		     profile_elf_blocks(file, ".debug", link ? link : own)))
		return -1;
	return dwfl_standard_find_debuginfo(module, user, name, base, file, link, crc, found);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int add_segments(struct profile_object *object, Elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if (vector_push(&object->segments, &(struct segment){
			.offset = header.p_offset, .size = header.p_filesz, .address = header.p_vaddr }))
			return -1;
		if (object->segments.n == 1)
			object->range.begin = header.p_vaddr & -(header.p_align ? header.p_align : 1);
		if (header.p_vaddr + header.p_memsz > object->range.end)
			object->range.end = header.p_vaddr + header.p_memsz;
	}
	return 0;
}

/*
 * As perf's choose_best_symbol(), prefers names with a size, then the lowest rank, then the longest
 * name. The first of several names of an address is kept.
 */
static int compare(const void *a, const void *b)
{
	const struct profile_function *left = a, *right = b;

	return COMPARE(left->begin, right->begin) ?: COMPARE(right->is_sized, left->is_sized) ?:
	       COMPARE(left->rank, right->rank) ?:
	       COMPARE(strlen(right->name), strlen(left->name)) ?:
	       COMPARE(right->end, left->end);
}

/* Returns whether an assembler label marks a place in the function before it. */
static bool is_inner_label(const struct profile_function *function,
			   const struct profile_function *label)
{
	return label->rank & RANK_LABEL && function->is_sized && label->begin < function->end;
}

/* Keeps one name for each address. A function without a size ends where the next one begins. */
static void arrange(struct profile_object *object)
{
	struct profile_function *list = object->functions.list;
	size_t kept = 0;

	if (!object->functions.n)
		return;
	vector_sort(&object->functions, compare);
	for (size_t i = 1; i < object->functions.n; i++)
		if (list[i].begin != list[kept].begin && !is_inner_label(&list[kept], &list[i]))
			list[++kept] = list[i];
	object->functions.n = kept + 1;
	for (size_t i = 0; i < kept; i++)
		if (!list[i].is_sized && list[i].end > list[i + 1].begin)
			list[i].end = list[i + 1].begin;
}

/* End of the section of an address, so that _init does not get the calls of other objects, which follow it. */
static uint64_t section_end(const GElf_Shdr *section, uint64_t address)
{
	return address - section->sh_addr < section->sh_size ?
	       section->sh_addr + section->sh_size : UINT64_MAX;
}

/*
 * As perf's choose_best_symbol(), prefers functions to labels, names that are not weak, global
 * names, and few leading underscores.
 */
static unsigned int rank_of(const GElf_Sym *symbol, const char *name)
{
	unsigned int binding = GELF_ST_BIND(symbol->st_info);

	return (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? RANK_LABEL : 0) |
	       (binding == STB_WEAK ? RANK_WEAK : 0) |
	       (binding != STB_GLOBAL ? RANK_NOT_GLOBAL : 0) |
	       (unsigned int)(strspn(name, "_") & RANK_UNDERSCORES);
}

/*
 * Returns whether a symbol names code. Functions in assembler may be labels without type and size,
 * such as _start. Labels named $x or $d mark code and data on Arm, and name nothing.
 */
static bool is_code(const GElf_Sym *symbol, const char *name, const GElf_Shdr *section,
		    uint64_t address)
{
	const int visibility = GELF_ST_VISIBILITY(symbol->st_other);

	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		return section->sh_flags & SHF_EXECINSTR &&
		       address - section->sh_addr < section->sh_size && *name != '$' &&
		       visibility != STV_HIDDEN && visibility != STV_INTERNAL;
	default:
		return false;
	}
}

static int add_functions(struct profile_object *object, GElf_Addr bias)
{
	int count = dwfl_module_getsymtab(object->module);

	for (int i = 0; i < count; i++) {
		struct profile_function function;
		GElf_Shdr header = { 0 };
		GElf_Addr address;
		GElf_Word section;
		GElf_Sym symbol;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &address, &section, &elf, NULL);

		if (!name || !*name || section == SHN_UNDEF)
			continue;
		if (elf)
			gelf_getshdr(elf_getscn(elf, section), &header);
		if (!is_code(&symbol, name, &header, address - bias))
			continue;
		function = (struct profile_function){
			.name = name, .begin = address - bias, .is_sized = symbol.st_size != 0,
			.rank = rank_of(&symbol, name), .end = address - bias + symbol.st_size,
		};
		if (!symbol.st_size)
			function.end = section_end(&header, function.begin);
		if (vector_push(&object->functions, &function))
			return -1;
	}
	arrange(object);
	return 0;
}

Dwfl *profile_object_begin(struct profile_wait *wait)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl)
		profile_wait_set(wait, dwfl);
	return dwfl;
}

/* Reports the file that debuginfod has. The modules of different build ids need different names. */
static Dwfl_Module *report_build_id(Dwfl *dwfl, const uint8_t *build_id, size_t size)
{
	char name[2 * PROFILE_BUILD_ID_MAX + 1];
	Dwfl_Module *module;

	size = profile_elf_build_id_hex(build_id, size, name);
	module = size ? dwfl_report_module(dwfl, name, 0, INT64_MAX) : NULL;
	return module && !dwfl_module_report_build_id(module, build_id, size, 0) ? module : NULL;
}

/* Reports the file that was recorded: one of this machine or, by build id, of debuginfod. NULL: there is none */
static Dwfl_Module *report(struct profile_object *object, Dwfl *dwfl, const char *path, const uint8_t *build_id,
			   size_t size)
{
	Dwfl_Module *module;
	bool is_changed;
	int fd = profile_elf_open(path, build_id, size, &is_changed);

	object->state = is_changed ? PROFILE_OBJECT_CHANGED : PROFILE_OBJECT_MISSING;
	if (fd < 0)
		return *path == '/' && build_id ? report_build_id(dwfl, build_id, size) : NULL;
	/* elfutils closes the descriptor of a file that it can read. */
	module = dwfl_report_offline(dwfl, path, path, fd);
	if (!module)
		close(fd);
	return module;
}

/* Returns 0, or -1 if out of memory. */
static int read_object(struct profile_object *object, Dwfl *dwfl, const char *path, const uint8_t *build_id,
		       size_t size)
{
	GElf_Addr bias;
	Elf *elf;

	dwfl_report_begin_add(dwfl);
	object->module = report(object, dwfl, path, build_id, size);
	dwfl_report_end(dwfl, NULL, NULL);
	elf = object->module ? dwfl_module_getelf(object->module, &bias) : NULL;
	if (!elf)
		return 0;
	if (add_segments(object, elf) || add_functions(object, bias))
		return -1;
	object->state = object->functions.n ? PROFILE_OBJECT_READ : PROFILE_OBJECT_STRIPPED;
	return 0;
}

struct profile_object *profile_object_new(Dwfl *dwfl, const char *path, const uint8_t *build_id, size_t build_id_size)
{
	struct profile_object *object = calloc(1, sizeof(*object));

	if (object && read_object(object, dwfl, path, build_id, build_id_size)) {
		profile_object_free(object);
		return NULL;
	}
	return object;
}

struct profile_object *profile_object_new_function(const char *arch, uint64_t size,
						   const struct profile_jit_frames *frames)
{
	struct profile_object *object = calloc(1, sizeof(*object));
	size_t image_size;

	if (!object)
		return NULL;
	elf_version(EV_CURRENT);
	object->state = PROFILE_OBJECT_MISSING;
	object->range.end = size;
	object->image = profile_elf_code(arch, size, frames ? frames->data : NULL, frames ? frames->size : 0, &image_size);
	object->elf = object->image ? elf_memory(object->image, image_size) : NULL;
	if (!object->elf) {
		profile_object_free(object);
		return NULL;
	}
	return object;
}

void profile_object_free(struct profile_object *object)
{
	if (!object)
		return;
	elf_end(object->elf);
	free(object->image);
	vector_free(&object->segments);
	vector_free(&object->functions);
	profile_dwarf_release(&object->dwarf);
	free(object);
}

enum profile_object_state profile_object_state(const struct profile_object *object)
{
	return object->state;
}

Elf *profile_object_elf(const struct profile_object *object, struct profile_range *range)
{
	GElf_Addr bias;

	*range = object->range;
	return object->module ? dwfl_module_getelf(object->module, &bias) : object->elf;
}

uint64_t profile_object_address(const struct profile_object *object, uint64_t offset, struct profile_range *range)
{
	const struct segment *segments = object->segments.list;

	for (size_t i = 0; i < object->segments.n; i++) {
		profile_range_limit(range, offset, segments[i].offset);
		profile_range_limit(range, offset, segments[i].offset + segments[i].size);
		if (offset >= segments[i].offset && offset - segments[i].offset < segments[i].size)
			return offset - segments[i].offset + segments[i].address;
	}
	return offset;
}

struct profile_function *profile_object_function(const struct profile_object *object, uint64_t address,
						 struct profile_range *range)
{
	struct profile_function *functions = object->functions.list;
	size_t from = profile_range_find(range, address, functions, object->functions.n, sizeof(*functions));

	if (!from)
		return NULL;
	profile_range_limit(range, address, functions[from - 1].end);
	return address < functions[from - 1].end ? &functions[from - 1] : NULL;
}

/* Looks for debug information once. Returns 0 or -ENOMEM. */
static int know_dwarf(struct profile_object *object)
{
	const char *file = NULL, *debug_file = NULL;
	GElf_Addr bias, dwarf_bias;
	Dwarf *dwarf;

	if (object->is_dwarf_known || object->state == PROFILE_OBJECT_MISSING ||
	    object->state == PROFILE_OBJECT_CHANGED)
		return 0;
	object->is_dwarf_known = true;
	dwarf = dwfl_module_getelf(object->module, &bias) ? dwfl_module_getdwarf(object->module, &dwarf_bias) : NULL;
	if (!dwarf)
		return 0;
	object->dwarf_shift = bias - dwarf_bias;
	dwfl_module_info(object->module, NULL, NULL, NULL, NULL, NULL, &file, &debug_file);
	return profile_dwarf_read(&object->dwarf, dwarf, debug_file ? debug_file : file);
}

int profile_object_inlined(struct profile_object *object, uint64_t address, struct profile_range *range,
			   struct profile_inlined **inlined)
{
	struct profile_range same = PROFILE_RANGE_ALL;
	uint64_t in_dwarf;
	int ret;

	*inlined = NULL;
	if (know_dwarf(object))
		return -ENOMEM;
	in_dwarf = address + object->dwarf_shift;
	ret = profile_dwarf_inlined(&object->dwarf, in_dwarf, &same, inlined);
	profile_range_limit_to(range, address, &same, in_dwarf);
	return ret;
}

int profile_object_line(struct profile_object *object, uint64_t address, const char **file, int *line)
{
	*file = NULL;
	if (know_dwarf(object))
		return -ENOMEM;
	*file = profile_dwarf_line(&object->dwarf, address + object->dwarf_shift, line);
	return 0;
}
