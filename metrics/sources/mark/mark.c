// SPDX-License-Identifier: LGPL-2.1-or-later
/* Entry points for programs that include gpmu-mark.h; load, fork and exit of the process */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mark.h"
#include "measure/marks.h"

#define APPEND	(O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK)

/* Declared here, as gpmu-mark.h declares them weak */
void gpmu_mark_begin_counted(const char *name);
void gpmu_mark_end_counted(const char *name);

static bool has_counts, has_slices;
static void (*count_range)(const char *name, int begins);	/* of libgpmu-inject.so; NULL: not preloaded */

void gpmu_mark_begin_counted(const char *name)
{
	int kept = errno;

	/* The slice includes the time in which counters are read. */
	if (has_slices)
		slice_begin(name);
	if (has_counts)
		count_begin(name);
	if (count_range)
		count_range(name, 1);
	errno = kept;
}

void gpmu_mark_end_counted(const char *name)
{
	int kept = errno;

	if (count_range)
		count_range(name, 0);
	if (has_counts)
		count_end(name);
	if (has_slices)
		slice_end(name);
	errno = kept;
}

/* Opens the file @inode of @device if it has this descriptor in the process. Returns -1 if not. */
static int open_descriptor(const char *process, int descriptor, uintmax_t device, uintmax_t inode)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%s/fd/%d", process, descriptor);
	/* To open another file, such as a device, could have effects. */
	if (stat(path, &status) || status.st_dev != device || status.st_ino != inode)
		return -1;
	return open(path, APPEND);
}

static int open_file(const char *file)
{
	uintmax_t device, inode;
	int descriptor, pid, fd;
	char process[16];

	if (sscanf(file, MARKS_DESCRIPTOR, &descriptor, &pid, &device, &inode) != 4)
		return open(file, APPEND);
	/* Not by getpid(): /proc may be that of another PID namespace. */
	fd = open_descriptor("self", descriptor, device, inode);
	snprintf(process, sizeof(process), "%d", pid);
	return fd < 0 ? open_descriptor(process, descriptor, device, inode) : fd;
}

void mark_append(const char *file, const char *text, size_t length)
{
	int fd = open_file(file);
	ssize_t written = fd < 0 ? -1 : write(fd, text, length);

	/* Without the file the error cannot be reported. */
	(void)written;
	if (fd >= 0)
		close(fd);
}

static void in_child(void)
{
	if (has_counts)
		count_fork();
	if (has_slices)
		slice_fork();
}

__attribute__((constructor)) static void loaded(void)
{
	has_counts = count_load();
	has_slices = slice_load();
	*(void **)&count_range = dlsym(RTLD_DEFAULT, "gpmu_inject_range");
	if (has_counts || has_slices)
		pthread_atfork(NULL, NULL, in_child);
}

__attribute__((destructor)) static void unloaded(void)
{
	if (has_counts)
		count_exit();
	if (has_slices)
		slice_exit();
}
