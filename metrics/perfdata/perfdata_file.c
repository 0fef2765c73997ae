// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/perfdata.h"

#define BUFFER	(96U << 10)	/* at least a record, of up to 64 KiB */

/* An unlinked file for the copy of a pipe */
static int open_copy(void)
{
	const char *folder = secure_getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int open_bytes(struct perfdata_file *file, const char *path)
{
	struct stat stat;
	int ret;

	file->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				       fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0 || fstat(file->fd, &stat))
		return -errno;
	if (S_ISREG(stat.st_mode)) {
		file->size = (uint64_t)stat.st_size;
		return 0;
	}
	if (S_ISDIR(stat.st_mode))
		return -EISDIR;
	ret = open_copy();
	if (ret < 0)
		return ret;
	file->pipe = file->fd;
	file->fd = ret;
	return 0;
}

int perfdata_file_open(struct perfdata_file *file, const char *path)
{
	int ret;

	*file = (struct perfdata_file){ .fd = -1, .pipe = -1, .end = UINT64_MAX };
	file->path = strdup(strcmp(path, "-") ? path : "standard input");
	file->data = malloc(BUFFER);
	file->room = BUFFER;
	ret = file->path && file->data ? open_bytes(file, path) : -ENOMEM;
	if (ret)
		perfdata_file_close(file);
	return ret;
}

void perfdata_file_close(struct perfdata_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->pipe >= 0)
		close(file->pipe);
	free(file->data);
	free(file->path);
	*file = (struct perfdata_file){ .fd = -1, .pipe = -1 };
}

uint64_t perfdata_file_offset(const struct perfdata_file *file)
{
	return file->offset + file->pos;
}

void perfdata_file_seek(struct perfdata_file *file, uint64_t offset)
{
	if (offset >= file->offset && offset - file->offset <= file->length) {
		file->pos = (size_t)(offset - file->offset);
		return;
	}
	file->offset = offset;
	file->pos = file->length = 0;
}

static int write_all(int fd, const uint8_t *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* Waits until the pipe has bytes or ends. read(2) would be restarted after a signal, poll(2) is not. */
static void wait_for_bytes(struct perfdata_file *file)
{
	struct pollfd pipe = { .fd = file->pipe, .events = POLLIN };

	file->is_stopped = file->is_stopped || (poll(&pipe, 1, -1) < 0 && errno == EINTR);
}

/* Reads up to @size bytes at @offset, which a pipe has next or has had. */
static ssize_t read_at(struct perfdata_file *file, uint64_t offset, uint8_t *data, size_t size)
{
	bool is_new = file->pipe >= 0 && offset == file->size;
	ssize_t n;
	int ret;

	if (is_new)
		wait_for_bytes(file);
	if (is_new && file->is_stopped)
		return 0;
	do {
		n = is_new ? read(file->pipe, data, size) : pread(file->fd, data, size, (off_t)offset);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (!is_new)
		return n;
	ret = write_all(file->fd, data, (size_t)n, offset);
	if (ret)
		return ret;
	file->size += (uint64_t)n;
	return n;
}

static int make_room(struct perfdata_file *file, size_t size)
{
	size_t left = file->length - file->pos;
	uint8_t *data = file->data;

	if (file->pos + size <= file->room)
		return 0;
	if (size > file->room) {
		data = malloc(size);
		if (!data)
			return -ENOMEM;
		memcpy(data, file->data + file->pos, left);
		free(file->data);
		file->data = data;
		file->room = size;
	} else {
		memmove(data, data + file->pos, left);
	}
	file->offset += file->pos;
	file->length = left;
	file->pos = 0;
	return 0;
}

ssize_t perfdata_file_fill(struct perfdata_file *file, size_t size)
{
	uint64_t offset = perfdata_file_offset(file);
	int ret = make_room(file, size);

	if (ret)
		return ret;
	if (size > file->end - offset)
		size = (size_t)(file->end - offset);
	while (file->length - file->pos < size) {
		ssize_t n = read_at(file, file->offset + file->length, file->data + file->length,
				    file->room - file->length);

		if (n < 0)
			return n;
		if (!n)
			return (ssize_t)(file->length - file->pos);
		file->length += (size_t)n;
	}
	return (ssize_t)size;
}

int perfdata_file_skip(struct perfdata_file *file, uint64_t size)
{
	uint64_t to = perfdata_file_offset(file) + size;

	if (size > file->end - perfdata_file_offset(file))
		return -ENODATA;
	if (file->pipe < 0) {
		perfdata_file_seek(file, to);
		return to <= file->size ? 0 : -ENODATA;
	}
	while (perfdata_file_offset(file) < to) {
		uint64_t left = to - perfdata_file_offset(file);
		ssize_t n = perfdata_file_fill(file, left < BUFFER ? (size_t)left : BUFFER);

		if (n <= 0)
			return n ? (int)n : -ENODATA;
		file->pos += (size_t)n;
	}
	return 0;
}

int perfdata_file_read(struct perfdata_file *file, uint64_t offset, void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(file->fd, (uint8_t *)data + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		done += (size_t)n;
	}
	return 0;
}
