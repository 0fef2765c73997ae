/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF files that a recording names, by path and build id */
#ifndef GPMU_PROFILE_ELF_H
#define GPMU_PROFILE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_BUILD_ID_MAX	20	/* bytes in a recording, which may have padded it */
#define PROFILE_VDSO	"[vdso]"	/* the code that the kernel maps into each process */

/*
 * Opens the ELF file at a path, or perf's copy of it by build id. For PROFILE_VDSO, opens the running kernel's vDSO or such a copy.
 * @build_id: of the recording; NULL: unknown. Returns the descriptor, which the caller closes; -1: no such file. Then @is_changed is
 * set if the file at the path has another build id, or none.
 */
int profile_elf_open(const char *path, const uint8_t *build_id, size_t size, bool *is_changed);
/*
 * Returns whether elfutils would open something other than a regular file, such as a FIFO, in place of a file that an ELF file names,
 * and perhaps wait for it. @path: path of the ELF file. @folder: absolute, or relative to the folder of the ELF file; NULL: that
 * folder. @name: absolute, or relative to @folder
 */
bool profile_elf_blocks(const char *path, const char *folder, const char *name);
/* Writes a recorded build id without its padding. Returns its size, 0 if it is empty or too long. */
size_t profile_elf_build_id_hex(const uint8_t *build_id, size_t size, char hex[2 * PROFILE_BUILD_ID_MAX + 1]);
/* Gets the build id of the running kernel's vDSO. Returns its size; 0: there is none */
size_t profile_elf_vdso_build_id(uint8_t build_id[PROFILE_BUILD_ID_MAX]);
/*
 * Makes the image of an ELF file for code that is in no file. The code is at address 0. @arch: the machine, as by uname(2).
 * @frames: .eh_frame of the code, with addresses as if it followed the code at a multiple of 8 bytes; NULL: none. Sets the size of the
 * image. Returns the image, which the caller frees; NULL: out of memory.
 */
void *profile_elf_code(const char *arch, uint64_t code_size, const void *frames, size_t frames_size, size_t *size);

#endif /* GPMU_PROFILE_ELF_H */
