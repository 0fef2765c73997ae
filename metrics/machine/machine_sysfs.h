/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading what the kernel shows in small files, below a root that may be
 * anything. Functions that return int return 0 or
 *
 * -ENOENT	it is not there
 * -EBADMSG	it cannot be used: a warning says so, leave it out
 * -ENOMEM, -EMFILE, -ENFILE	it is this process that cannot go on
 */
#ifndef GPMU_MACHINE_SYSFS_H
#define GPMU_MACHINE_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "machine/machine_warnings.h"

#define SYSFS_MAX_TEXT		65536	/* bytes of a file: the largest page of an arm64 kernel */
#define SYSFS_MAX_ENTRIES	16384	/* of a folder */

struct sysfs {
	struct warnings *warnings;
	char *text;	/* of the file read last; SYSFS_MAX_TEXT + 1 bytes */
};

struct sysfs_dir {
	struct sysfs *sysfs;
	const struct sysfs_dir *parent;	/* NULL: the root */
	const char *name;
	int fd;
};

struct sysfs_names {
	char **names;
	size_t len;
};

/* @parent and @name must outlive @dir. */
int sysfs_open(struct sysfs_dir *dir, const struct sysfs_dir *parent, const char *name);
void sysfs_close(struct sysfs_dir *dir);

/* What is in the folder, numbers in the order of their values */
int sysfs_list(const struct sysfs_dir *dir, struct sysfs_names *names);
void sysfs_names_release(struct sysfs_names *names);

/* One line of printable characters, valid until the next file is read */
int sysfs_text(const struct sysfs_dir *dir, const char *name, const char **text);
/* The same for the caller to free; "" is refused */
int sysfs_string(const struct sysfs_dir *dir, const char *name, char **string);
int sysfs_number(const struct sysfs_dir *dir, const char *name, int64_t min, int64_t max,
		 int64_t *number);
bool sysfs_parse_number(const char *text, int64_t min, int64_t max, int64_t *number);
/* "0x1f" */
int sysfs_hex(const struct sysfs_dir *dir, const char *name, uint64_t max, uint64_t *number);
int sysfs_cpus(const struct sysfs_dir *dir, const char *name, struct cpus *cpus);
/* Where a symbolic link leads, valid until the next file is read */
int sysfs_link(const struct sysfs_dir *dir, const char *name, const char **target);

/* Warns of the folder's @name, or of the folder itself: "". Returns -EBADMSG or -ENOMEM. */
__attribute__((format(printf, 3, 4)))
int sysfs_warn(const struct sysfs_dir *dir, const char *name, const char *fmt, ...);

/* For what has to be there: @ret, but a warning where it is -ENOENT */
int sysfs_needed(const struct sysfs_dir *dir, const char *name, int ret);
/* For what the rest can do without: 0 where @ret is -ENOENT or -EBADMSG */
int sysfs_optional(int ret);

/*
 * The bytes of a regular file, NUL-terminated. Returns how many, or -errno:
 * EFBIG if @size has no room for them, EISDIR or ENOTSUP if it is no such file.
 */
int sysfs_read(int dir, const char *path, char *buffer, size_t size);

#endif /* GPMU_MACHINE_SYSFS_H */
