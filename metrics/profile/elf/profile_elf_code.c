// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * elfutils reads unwinding information from an ELF file. Code of a just-in-time compiler has no file, so one is made in memory. Its
 * only segment stands for the code, at address 0, and has no bytes.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/elf/profile_elf.h"

#define NAMES	"\0.eh_frame\0.shstrtab"

enum { NO_SECTION, EH_FRAME, SHSTRTAB, SECTIONS };

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[SECTIONS];
	char names[(sizeof(NAMES) + 7) & ~7UL];
	uint8_t frames[];
};

static const struct {
	const char *arch;
	Elf64_Half number;
} machines[] = { { "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 } };

static Elf64_Half machine_of(const char *arch)
{
	for (size_t i = 0; arch && i < ARRAY_SIZE(machines); i++)
		if (!strcmp(arch, machines[i].arch))
			return machines[i].number;
	return EM_NONE;
}

void *profile_elf_code(const char *arch, uint64_t code_size, const void *frames, size_t frames_size, size_t *size)
{
	struct image *image = calloc(1, sizeof(*image) + frames_size);

	*size = sizeof(*image) + frames_size;
	if (!image)
		return NULL;
	image->header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = machine_of(arch), .e_version = EV_CURRENT, .e_ehsize = sizeof(image->header),
		.e_phoff = offsetof(struct image, segment), .e_phentsize = sizeof(image->segment), .e_phnum = 1,
	};
	image->segment = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = code_size, .p_align = 1 };
	if (!frames_size)
		return image;
	image->header.e_shoff = offsetof(struct image, sections);
	image->header.e_shentsize = sizeof(image->sections[0]);
	image->header.e_shnum = SECTIONS;
	image->header.e_shstrndx = SHSTRTAB;
	image->sections[EH_FRAME] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = (code_size + 7) & ~7ULL,
		.sh_offset = offsetof(struct image, frames), .sh_size = frames_size, .sh_addralign = 8,
	};
	image->sections[SHSTRTAB] = (Elf64_Shdr){
		.sh_name = sizeof("\0.eh_frame"), .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names), .sh_size = sizeof(NAMES),
		.sh_addralign = 1,
	};
	memcpy(image->names, NAMES, sizeof(NAMES));
	memcpy(image->frames, frames, frames_size);
	return image;
}
