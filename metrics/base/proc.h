/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of /proc/PID, where PID can also be the id of a thread. Inline, so that a plugin needs the header only. */
#ifndef GPMU_PROC_H
#define GPMU_PROC_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#define PROC_PATH_SIZE	64	/* bytes of a path with a name of at most 46 characters */

static inline const char *proc_path(char path[PROC_PATH_SIZE], pid_t pid, const char *name)
{
	snprintf(path, PROC_PATH_SIZE, "/proc/%d/%s", (int)pid, name);
	return path;
}

/* Opens a file for reads. Returns a file descriptor or -errno. */
static inline int proc_open(pid_t pid, const char *name)
{
	char path[PROC_PATH_SIZE];
	int fd = open(proc_path(path, pid, name), O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Opens a file that has several lines. Returns NULL and sets errno on failure. */
static inline FILE *proc_lines(pid_t pid, const char *name)
{
	char path[PROC_PATH_SIZE];

	return fopen(proc_path(path, pid, name), "re");
}

/* Opens a folder. Returns NULL and sets errno on failure. */
static inline DIR *proc_folder(pid_t pid, const char *name)
{
	char path[PROC_PATH_SIZE];

	return opendir(proc_path(path, pid, name));
}

/* Reads the first @size - 1 bytes of a file, and appends a NUL. Returns the length or -errno; @text is "" on failure. */
static inline ssize_t proc_read(pid_t pid, const char *name, char *text, size_t size)
{
	int fd = proc_open(pid, name);
	ssize_t n = fd;

	if (fd >= 0) {
		n = read(fd, text, size - 1);
		if (n < 0)
			n = -errno;
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n;
}

#endif /* GPMU_PROC_H */
