/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the kernel's small files below a root directory, whose content is not trusted.
 * Functions that return int return 0 or
 *
 * -ENOENT			the file does not exist
 * -EBADMSG			the content is invalid: a warning was added, skip the item
 * -ENOMEM, -EMFILE, -ENFILE	the process has run out of a resource
 */
#ifndef GPMU_SYSFS_H
#define GPMU_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "machine/warnings.h"

#define SYSFS_MAX_TEXT		65536	/* bytes of a file: the largest page size of arm64 */
#define SYSFS_MAX_ENTRIES	16384	/* entries of a folder */

struct sysfs {
	struct warnings *warnings;
	char *text;	/* content of the last file read; SYSFS_MAX_TEXT + 1 bytes */
};

struct sysfs_dir {
	struct sysfs *sysfs;
	const struct sysfs_dir *parent;	/* NULL: this is the root */
	const char *name;
	int fd;
};

struct sysfs_names {
	char **names;
	size_t len;
};

/* Opens a folder. @parent and @name must outlive @dir. */
int sysfs_open(struct sysfs_dir *dir, const struct sysfs_dir *parent, const char *name);
void sysfs_close(struct sysfs_dir *dir);

/* Lists the folder's entries; numbers sort by value. */
int sysfs_list(const struct sysfs_dir *dir, struct sysfs_names *names);
void sysfs_names_release(struct sysfs_names *names);
/* Handles entry @index of the folder @dir, whose entries are @names. */
typedef int sysfs_entry(void *user, const struct sysfs_dir *dir, const struct sysfs_names *names, size_t index);
/* Opens a folder and calls @each for its entries until it returns an error. Returns that error, or those of sysfs_list(). */
int sysfs_each(const struct sysfs_dir *parent, const char *name, sysfs_entry *each, void *user);

/* Reads one line of printable characters, valid until the next file is read. */
int sysfs_text(const struct sysfs_dir *dir, const char *name, const char **text);
/* Likewise, as a copy that the caller frees; an empty line is invalid. */
int sysfs_string(const struct sysfs_dir *dir, const char *name, char **string);
int sysfs_number(const struct sysfs_dir *dir, const char *name, int64_t min, int64_t max,
		 int64_t *number);
bool sysfs_parse_number(const char *text, int64_t min, int64_t max, int64_t *number);
/* Reads "0x1f". */
int sysfs_hex(const struct sysfs_dir *dir, const char *name, uint64_t max, uint64_t *number);
int sysfs_cpus(const struct sysfs_dir *dir, const char *name, struct cpus *cpus);
/* Reads the target of a symbolic link, valid until the next file is read. */
int sysfs_link(const struct sysfs_dir *dir, const char *name, const char **target);

/*
 * Adds a warning about the folder's @name, or about the folder itself if it is "". Returns
 * -EBADMSG or -ENOMEM.
 */
__attribute__((format(printf, 3, 4)))
int sysfs_warn(const struct sysfs_dir *dir, const char *name, const char *fmt, ...);

/* For required files: returns @ret, and adds a warning if it is -ENOENT. */
int sysfs_needed(const struct sysfs_dir *dir, const char *name, int ret);
/* For optional files: turns -ENOENT and -EBADMSG into 0. */
int sysfs_optional(int ret);

/*
 * Reads a regular file and appends NUL. Returns the number of bytes, or -errno: EFBIG if
 * @size is too small, EISDIR or ENOTSUP if it is not a regular file.
 */
int sysfs_read(int dir, const char *path, char *buffer, size_t size);

#endif /* GPMU_SYSFS_H */
