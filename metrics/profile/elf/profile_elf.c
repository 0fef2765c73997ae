// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf record copies the files that have samples to ~/.debug. A copy is there by build id, as in Linux's
 * tools/perf/util/build-id.c: ~/.debug/.build-id/ab/cdef.../elf, or .../vdso
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/elf/profile_elf.h"

enum match { NO_ELF, OTHER, SAME };

static enum match match(int fd, const uint8_t *build_id, size_t size)
{
	enum match match = NO_ELF;
	const void *bits;
	ssize_t length;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		length = build_id ? dwelf_elf_gnu_build_id(elf, &bits) : 0;
		if (!build_id ||
		    (length > 0 && size && !memcmp(bits, build_id, (size_t)length < size ? (size_t)length : size)))
			match = SAME;
		else
			match = OTHER;
	}
	elf_end(elf);
	return match;
}

bool profile_elf_blocks(const char *path, const char *folder, const char *name)
{
	const char *slash = strrchr(path, '/'), *base = folder && *folder == '/' ? "" : path;
	int length = *base && slash ? (int)(slash + 1 - path) : 0;
	char full[PATH_MAX];
	struct stat status;

	if (*name == '/')
		snprintf(full, sizeof(full), "%s", name);
	else
		snprintf(full, sizeof(full), "%.*s%s%s%s", length, base, folder ? folder : "",
			 folder && *folder ? "/" : "", name);
	return !stat(full, &status) && !S_ISREG(status.st_mode);
}

/*
 * A recording may name any file. To open a device or FIFO may block, and so may reading an empty file of /proc, so that these are
 * not opened, or not read.
 */
static int open_file(const char *path, const uint8_t *build_id, size_t size, enum match *matched)
{
	struct stat status;
	int fd;

	*matched = NO_ELF;
	if (*path != '/' || stat(path, &status) || !S_ISREG(status.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size)
		*matched = match(fd, build_id, size);
	if (*matched == SAME)
		return fd;
	close(fd);
	return -1;
}

/* The running kernel's vDSO, which ends with its section headers. Returns its size; 0: there is none */
static size_t own_vdso(char **image)
{
	const ElfW(Ehdr) *header;

	*image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	header = (const void *)*image;
	return header ? header->e_shoff + (size_t)header->e_shnum * header->e_shentsize : 0;
}

/* Opens the running kernel's vDSO if it has the recorded build id. Without a build id, the recorded kernel may be another one. */
static int open_vdso(const uint8_t *build_id, size_t size, enum match *matched)
{
	char *image;
	size_t length = own_vdso(&image);
	int fd = length && build_id ? memfd_create(PROFILE_VDSO, MFD_CLOEXEC) : -1;

	*matched = fd >= 0 && write(fd, image, length) == (ssize_t)length ? match(fd, build_id, size) : NO_ELF;
	if (*matched == SAME)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

size_t profile_elf_vdso_build_id(uint8_t build_id[PROFILE_BUILD_ID_MAX])
{
	char *image;
	size_t size = own_vdso(&image);
	const void *bits;
	ssize_t length;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = size ? elf_memory(image, size) : NULL;
	length = elf ? dwelf_elf_gnu_build_id(elf, &bits) : 0;
	if (length < 0 || length > PROFILE_BUILD_ID_MAX)
		length = 0;
	if (length)
		memcpy(build_id, bits, (size_t)length);
	elf_end(elf);
	return (size_t)length;
}

size_t profile_elf_build_id_hex(const uint8_t *build_id, size_t size, char hex[2 * PROFILE_BUILD_ID_MAX + 1])
{
	static const uint8_t padding[4];

	hex[0] = '\0';
	if (size > PROFILE_BUILD_ID_MAX)
		return 0;
	/* Linkers make build ids of 8, 16 and 20 bytes. */
	while (size > 2 * sizeof(padding) && !memcmp(build_id + size - sizeof(padding), padding, sizeof(padding)))
		size -= sizeof(padding);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", build_id[i]);
	return size;
}

static int open_copy(const char *name, const uint8_t *build_id, size_t size)
{
	const char *home = secure_getenv("HOME");
	char path[PATH_MAX], hex[2 * PROFILE_BUILD_ID_MAX + 1];
	enum match matched;
	int length;

	size = profile_elf_build_id_hex(build_id, size, hex);
	length = snprintf(path, sizeof(path), "%s/.debug/.build-id/%.2s/%s/%s", home ? home : "", hex,
			  size ? hex + 2 : hex, name);
	return home && size > 1 && length < (int)sizeof(path) ? open_file(path, build_id, size, &matched) : -1;
}

int profile_elf_open(const char *path, const uint8_t *build_id, size_t size, bool *is_changed)
{
	const bool is_vdso = !strcmp(path, PROFILE_VDSO);
	enum match matched;
	int fd = is_vdso ? open_vdso(build_id, size, &matched) : open_file(path, build_id, size, &matched);

	if (fd < 0 && build_id)
		fd = open_copy(is_vdso ? "vdso" : "elf", build_id, size);
	*is_changed = fd < 0 && matched == OTHER;
	return fd;
}
