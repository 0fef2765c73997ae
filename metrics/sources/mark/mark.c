// SPDX-License-Identifier: LGPL-2.1-or-later
/* Entry points for programs that include gpmu-mark.h; load, fork and exit of the process */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "mark.h"

/* Declared here, as gpmu-mark.h declares them weak */
void gpmu_mark_begin_counted(const char *name);
void gpmu_mark_end_counted(const char *name);

static bool counts, slices;

void gpmu_mark_begin_counted(const char *name)
{
	int kept = errno;

	/* The slice includes the time in which counters are read. */
	if (slices)
		slice_begin(name);
	if (counts)
		count_begin(name);
	errno = kept;
}

void gpmu_mark_end_counted(const char *name)
{
	int kept = errno;

	if (counts)
		count_end(name);
	if (slices)
		slice_end(name);
	errno = kept;
}

void mark_append(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
	ssize_t written = fd < 0 ? -1 : write(fd, text, length);

	/* Without the file the error cannot be reported. */
	(void)written;
	if (fd >= 0)
		close(fd);
}

static void in_child(void)
{
	if (counts)
		count_fork();
	if (slices)
		slice_fork();
}

__attribute__((constructor)) static void loaded(void)
{
	counts = count_load();
	slices = slice_load();
	if (counts || slices)
		pthread_atfork(NULL, NULL, in_child);
}

__attribute__((destructor)) static void unloaded(void)
{
	if (counts)
		count_exit();
	if (slices)
		slice_exit();
}
