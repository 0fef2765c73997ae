/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF files that a recording names, by path and build id */
#ifndef GPMU_PROFILE_ELF_H
#define GPMU_PROFILE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_BUILD_ID_MOST	20	/* bytes in a recording, which may have padded it */

/*
 * Opens the ELF file at a path, or the copy that perf keeps by build id. @build_id: of the recording; NULL: unknown. Returns the
 * descriptor, which the caller closes; -1: no such file. Then @is_changed is set if the file at the path has another build id, or none.
 */
int profile_elf_open(const char *path, const uint8_t *build_id, size_t size, bool *is_changed);
/* Writes a recorded build id without its padding. Returns its size, 0 if it is empty or too long. */
size_t profile_elf_build_id_hex(const uint8_t *build_id, size_t size, char hex[2 * PROFILE_BUILD_ID_MOST + 1]);

#endif /* GPMU_PROFILE_ELF_H */
