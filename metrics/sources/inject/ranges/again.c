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

static int locked = -1;	/* the file */

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

bool again_write(const char *path, const struct profiler *profiler)
{
	const struct head head = { MAGIC, profiler->image_size, profiler->pass, profiler->level };

	(void)path;
	return locked >= 0 && !ftruncate(locked, 0) && lseek(locked, 0, SEEK_SET) == 0 &&
	       write_all(locked, &head, sizeof(head)) && write_all(locked, profiler->image, profiler->image_size);
}
