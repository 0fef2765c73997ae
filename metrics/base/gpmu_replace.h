/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output files. open(2) of the given name resolves links, so that the kernel refuses the links and
 * files of other users in /tmp (fs.protected_symlinks, fs.protected_regular).
 */
#ifndef GPMU_REPLACE_H
#define GPMU_REPLACE_H

#include <limits.h>

/* A temporary file and the file that it replaces, in the same folder */
struct replace {
	int folder;			/* -1: no temporary file */
	char name[NAME_MAX + 1];
	char temporary[NAME_MAX + 1];
};

/*
 * Opens an output file. @flags: 0 opens a temporary file that replaces @path by gpmu_replace_end();
 * O_TRUNC or O_APPEND opens the file itself. So does 0 for a file that cannot be replaced,
 * because it is not a regular file, has several hard links or is a mount point. Any @flags append
 * to /dev/stdout, /dev/stderr, and the files in /dev/fd and /proc, because other processes, such as
 * the command, write to the same file. Returns a file descriptor or -errno; the caller ends or
 * drops the replacement.
 */
int gpmu_replace_open(struct replace *replace, const char *path, int flags);
/*
 * Opens an empty temporary file with the owner and mode of the open file @fd. Returns a file
 * descriptor; or -errno if the file cannot be replaced, or no file may be created beside it, or given
 * to its owner. The file itself can then be written.
 */
int gpmu_replace_beside(struct replace *replace, int fd);
/* Renames the temporary file, if there is one. Returns 0 or -errno. */
int gpmu_replace_end(struct replace *replace);
/* Removes the temporary file, if there is one. */
void gpmu_replace_drop(struct replace *replace);
/* Removes the open file @fd, unless it has been renamed. */
void gpmu_replace_remove(int fd);

#endif /* GPMU_REPLACE_H */
