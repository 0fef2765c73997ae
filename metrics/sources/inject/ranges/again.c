// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The file that application replay keeps between its runs: a head, then the image. The process that reads it holds a lock
 * on it until its end, so that no second process of a run continues the image, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect.h"

#define MAGIC	UINT64_C(0x316567616d497267)

struct head {
	uint64_t magic, size, pass, level;
};

/* The file, and its identity: the program may close the descriptor, as daemons do, and open another file with its number. */
static int locked = -1;
static dev_t device;
static ino_t inode;

static bool read_all(int fd, void *bytes, size_t size)
{
	ssize_t got;

	for (size_t done = 0; done < size; done += (size_t)got) {
		got = read(fd, (char *)bytes + done, size - done);
		if (got <= 0)
			return false;
	}
	return true;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
	ssize_t put;

	for (size_t done = 0; done < size; done += (size_t)put) {
		put = write(fd, (const char *)bytes + done, size - done);
		if (put < 0 && errno == EINTR)
			put = 0;
		if (put < 0)
			return false;
	}
	return true;
}

static bool read_image(int fd, struct again *again)
{
	struct stat status;
	struct head head;

	if (fstat(fd, &status))
		return false;
	device = status.st_dev;
	inode = status.st_ino;
	if (!status.st_size)
		return true;
	if (!read_all(fd, &head, sizeof(head)) || head.magic != MAGIC ||
	    head.size != (uint64_t)status.st_size - sizeof(head))
		return false;
	again->image = malloc(head.size);
	again->image_size = head.size;
	again->pass = head.pass;
	again->level = head.level;
	return again->image && read_all(fd, again->image, head.size);
}

bool again_read(const char *path, struct again *again)
{
	*again = (struct again){ .image = NULL };
	if (locked >= 0)
		return false;
	locked = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (locked < 0 || flock(locked, LOCK_EX | LOCK_NB))
		return false;
	if (read_image(locked, again))
		return true;
	free(again->image);
	again->image = NULL;
	return false;
}

static bool is_file(int fd)
{
	struct stat status;

	return fd >= 0 && !fstat(fd, &status) && status.st_dev == device && status.st_ino == inode;
}

/* Returns a descriptor of the file that is locked, or -1. */
static int find_file(const char *path)
{
	int fd;

	if (is_file(locked))
		return locked;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (is_file(fd) && !flock(fd, LOCK_EX | LOCK_NB))
		return locked = fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool again_write(const char *path, const struct profiler *profiler)
{
	const struct head head = { MAGIC, profiler->image_size, profiler->pass, profiler->level };
	int fd = locked >= 0 ? find_file(path) : -1;

	return fd >= 0 && !ftruncate(fd, 0) && lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, &head, sizeof(head)) &&
	       write_all(fd, profiler->image, profiler->image_size);
}
