// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of cubins: those of a recording, pcs_lines.tsv, whose lines are those of NVIDIA's own decoder, and those of a
 * program with inlined functions, cubin_inlined.cu.
 */
#include <elf.h>
#include <elfutils/version.h>
#include <stdlib.h>
#include <string.h>

#include "profile/cubin/profile_cubin.h"
#include "tap.h"

#define DATA	"tests/data/gpu/"
#define LINES	DATA "pcs_lines.tsv"
#define INLINED	"cubin_inlined.bin"
#define RUN	"_Z3runPfi"	/* its only kernel */

static char *read_cubin(const char *name, size_t *size)
{
	static char bytes[1 << 16];
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), DATA "%s", name);
	file = fopen(path, "r");
	*size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	if (file)
		fclose(file);
	return *size ? bytes : NULL;
}

static struct profile_cubin *open_cubin(const char *name)
{
	size_t size;
	const char *bytes = read_cubin(name, &size);

	return bytes ? profile_cubin_new(bytes, size) : NULL;
}

/* The last part of a path */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Compares the lines of the cubins that the data have. */
static void recorded(void)
{
	struct gpmu_recorder_line lines[GPMU_RECORDER_LINES];
	FILE *table = fopen(LINES, "r");
	char row[256], crc[16], function[64], file[64], name[64];
	unsigned int line, compared = 0, wrong = 0;
	unsigned long offset;

	while (table && fgets(row, sizeof(row), table)) {
		struct profile_cubin *cubin;

		if (sscanf(row, "%15s\t%63s\t%lx\t%63s\t%u", crc, function, &offset, file, &line) != 5)
			continue;
		snprintf(name, sizeof(name), "cubin_%s.bin", crc);
		cubin = open_cubin(name);
		if (!cubin)
			continue;
		compared++;
		if (profile_cubin_lines(cubin, function, offset, lines) != 1 || lines[0].line != line || strcmp(file_name(lines[0].file), file)) {
			diag("%s", row);
			wrong++;
		}
		profile_cubin_free(cubin);
	}
	if (table)
		fclose(table);
	is_u64(compared, 29, "cubin: the recording has lines of three cubins with images");
	is_u64(wrong, 0, "cubin: each line is that of the recording");
}

/* Writes the lines of an instruction, innermost first: "3 scale < 20" */
static void print_lines(char text[256], const struct profile_cubin *cubin, uint64_t offset)
{
	struct gpmu_recorder_line lines[GPMU_RECORDER_LINES];
	size_t n = profile_cubin_lines(cubin, RUN, offset, lines), length = 0;

	*text = '\0';
	for (size_t i = 0; i < n && length < 200; i++)
		length += (size_t)snprintf(text + length, 256 - length, "%s%u%s%s", i ? " < " : "", lines[i].line,
					   lines[i].function ? " " : "", lines[i].function ? lines[i].function : "");
}

/* Inlined functions have the lines of their own and those of the calls, innermost first. */
static void inlined(void)
{
	static const struct {
		const char *lines;
		unsigned int offset;
	} expected[] = {
		{ "18", 0x10 },
#if _ELFUTILS_PREREQ(0, 187)
		{ "12 _ZN4load5twiceEf < 21", 0xe0 },
		{ "5 _Z5scaleILi3EEff < 11 _ZN4load5twiceEf < 21", 0xf0 },
#else
		{ "12", 0xe0 },
		{ "5", 0xf0 },
#endif
		{ "", 1 << 20 },
	};
	struct profile_cubin *cubin = open_cubin(INLINED);
	struct gpmu_recorder_line lines[GPMU_RECORDER_LINES];
	char text[256];

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]) && cubin; i++) {
		print_lines(text, cubin, expected[i].offset);
		is_str(text, expected[i].lines, "cubin: an instruction has its line and those of the calls by which it is inlined");
	}
	ok(cubin && !profile_cubin_lines(cubin, "_Z4nonev", 0, lines), "cubin: a function that the cubin lacks has no lines");
	profile_cubin_free(cubin);
}

static void damaged(void)
{
	struct gpmu_recorder_line lines[GPMU_RECORDER_LINES];
	unsigned int opened = 0, count = 0, with_lines = 0;
	size_t size;
	const char *bytes = read_cubin(INLINED, &size);

	for (size_t length = 0; bytes && length < size; length += 1 + length / 64, count++) {
		struct profile_cubin *cubin = profile_cubin_new(bytes, length);

		opened += cubin != NULL;
		if (length < size / 2)
			with_lines += cubin && profile_cubin_lines(cubin, RUN, 0x10, lines);
		profile_cubin_free(cubin);
	}
	ok(count > 100 && opened == count, "cubin: a cubin that is cut off is read, at %u lengths", count);
	is_u64(with_lines, 0, "cubin: a half of a cubin, which lacks the table of sections, has no lines");
}

static Elf64_Shdr *section(char *bytes, uint32_t type, const Elf64_Shdr *after)
{
	const Elf64_Ehdr *head = (const void *)bytes;
	Elf64_Shdr *sections = (void *)(bytes + head->e_shoff);

	for (size_t i = after ? (size_t)(after - sections) + 1 : 0; i < head->e_shnum; i++)
		if (sections[i].sh_type == type)
			return &sections[i];
	return NULL;
}

/*
 * Section headers as a part of .debug_line, whose relocations enlarge the table of names that libelf has read, and a name far
 * behind it
 */
static void hostile(void)
{
	static _Alignas(8) char copy[1 << 16];
	struct gpmu_recorder_line lines[GPMU_RECORDER_LINES];
	size_t size;
	const char *bytes = read_cubin(INLINED, &size);
	Elf64_Ehdr *head = (void *)copy;
	Elf64_Shdr *sections, *symbols, *relocations = NULL;
	struct profile_cubin *cubin;
	Elf64_Sym *list;

	if (!ok(bytes && memcpy(copy, bytes, size), "cubin: the cubin was read"))
		return;
	sections = (void *)(copy + head->e_shoff);
	symbols = section(copy, SHT_SYMTAB, NULL);
	symbols->sh_link = head->e_shstrndx;
	list = (void *)(copy + symbols->sh_offset);
	for (size_t i = 0; i < symbols->sh_size / sizeof(*list); i++)
		list[i].st_name = 1 << 30;
	while ((relocations = section(copy, SHT_RELA, relocations))) {
		Elf64_Rela *rel = (void *)(copy + relocations->sh_offset);
		Elf64_Shdr *target = &sections[relocations->sh_info];

		if (strcmp(copy + sections[head->e_shstrndx].sh_offset + target->sh_name, ".debug_line") != 0)
			continue;
		target->sh_offset = 0;
		target->sh_size = size;
		rel->r_offset = (uint64_t)((char *)&sections[head->e_shstrndx].sh_size - copy);
	}
	cubin = profile_cubin_new(copy, size);
	ok(cubin && !profile_cubin_lines(cubin, RUN, 0x10, lines),
	   "cubin: relocations that change the table of sections read no memory behind the image");
	profile_cubin_free(cubin);
}

int main(void)
{
	recorded();
	inlined();
	damaged();
	hostile();
	return done_testing();
}
