// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text/text.h"
#include "record/queue/record_spool.h"

/*
 * Bytes at the start of the file whose blocks are allocated in advance and not freed: allocating and freeing the pages of
 * a file takes several times as long as copying the bytes.
 */
#define PREALLOCATED	((uint64_t)64 << 20)
#define FREE_MIN	(1u << 20)	/* bytes that are freed at once */
#define CHECK_EACH	(1u << 20)	/* bytes between checks of the file system, which may be on the network */
/* The trace and other programs keep the smaller of these. */
#define RESERVE_SHARE	20		/* 1 / 20 of the file system */
#define RESERVE_MAX	((uint64_t)1 << 30)	/* bytes */

void record_spool_init(struct record_spool *spool)
{
	*spool = (struct record_spool){ .fd = -1 };
	pthread_mutex_init(&spool->lock, NULL);
	pthread_cond_init(&spool->more, NULL);
}

/* Not all file systems have files without a name. */
static int open_named(const char *folder)
{
	char *path = text_print("%s/.gpmu-spool.XXXXXX", folder);
	int fd = path ? mkostemp(path, O_CLOEXEC) : -1;

	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static int open_in(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? open_named(folder) : fd;
}

/* Opens the file in the folder of a regular file, with all links resolved. */
static int open_beside(int fd)
{
	char link[sizeof("/proc/self/fd/") + 12], path[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return -1;
	path[length] = '\0';
	/* The folder of "/x" is "/". */
	strrchr(path, '/')[1] = '\0';
	return open_in(path);
}

/* Returns whether the file system has @size bytes and the reserve. Some file systems in memory have no number of blocks. */
static bool has_room(const struct record_spool *spool, uint64_t size)
{
	struct statvfs status;
	uint64_t reserve;

	if (fstatvfs(spool->fd, &status) || !status.f_blocks)
		return true;
	reserve = status.f_blocks / RESERVE_SHARE * status.f_frsize;
	if (reserve > RESERVE_MAX)
		reserve = RESERVE_MAX;
	return status.f_bavail * status.f_frsize >= size + reserve;
}

/* Not all file systems can do this. Those in memory send SIGXFSZ beyond the limit, although the size remains 0. */
static bool preallocate(const struct record_spool *spool)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur >= PREALLOCATED && has_room(spool, PREALLOCATED) &&
	       !fallocate(spool->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)PREALLOCATED);
}

int record_spool_open(struct record_spool *spool, int beside)
{
	const char *folder = secure_getenv("TMPDIR");

	spool->fd = open_beside(beside);
	if (spool->fd < 0)
		spool->fd = open_in(folder && *folder ? folder : "/var/tmp");
	if (spool->fd < 0)
		return -errno;
	spool->freed = PREALLOCATED;
	spool->is_preallocated = preallocate(spool);
	return 0;
}

void record_spool_release(struct record_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
	pthread_cond_destroy(&spool->more);
	pthread_mutex_destroy(&spool->lock);
}

static int write_all(int fd, const struct record_spool_part *part, uint64_t offset)
{
	for (size_t done = 0; done < part->size;) {
		ssize_t n = pwrite(fd, (const char *)part->bytes + done, part->size - done, (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Keeps the first error. */
static int fail(struct record_spool *spool, int error)
{
	pthread_mutex_lock(&spool->lock);
	if (!spool->error)
		spool->error = error;
	pthread_mutex_unlock(&spool->lock);
	return error;
}

static int check_room(struct record_spool *spool, uint64_t offset, uint64_t size)
{
	if (spool->is_preallocated && offset + sizeof(size) + size <= PREALLOCATED)
		return 0;
	spool->unchecked += size;
	if (spool->unchecked < CHECK_EACH)
		return 0;
	if (!has_room(spool, size))
		return -ENOSPC;
	spool->unchecked = 0;
	return 0;
}

/* Frees blocks of taken chunks. The taking thread does not free them: the putting thread would wait at the file's lock. */
static void free_taken(struct record_spool *spool, uint64_t taken)
{
	if (taken < spool->freed + FREE_MIN)
		return;
	fallocate(spool->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)spool->freed, (off_t)(taken - spool->freed));
	spool->freed = taken;
}

/* Returns the offset of the next chunk. The taking thread does not use an empty file, which begins again at its first byte. */
static uint64_t begin(struct record_spool *spool)
{
	uint64_t put, taken;

	pthread_mutex_lock(&spool->lock);
	put = spool->put;
	taken = spool->taken;
	pthread_mutex_unlock(&spool->lock);
	if (taken != put || (put > PREALLOCATED && ftruncate(spool->fd, (off_t)PREALLOCATED))) {
		free_taken(spool, taken);
		return put;
	}
	pthread_mutex_lock(&spool->lock);
	spool->taken = spool->put = 0;
	pthread_mutex_unlock(&spool->lock);
	spool->freed = PREALLOCATED;
	return 0;
}

int record_spool_put(struct record_spool *spool, const struct record_spool_part *parts, size_t count)
{
	uint64_t offset = begin(spool), size = 0;
	int ret;

	for (size_t i = 0; i < count; i++)
		size += parts[i].size;
	ret = check_room(spool, offset, size);
	if (!ret)
		ret = write_all(spool->fd, &(struct record_spool_part){ &size, sizeof(size) }, offset);
	offset += sizeof(size);
	for (size_t i = 0; i < count && !ret; i++) {
		ret = write_all(spool->fd, &parts[i], offset);
		offset += parts[i].size;
	}
	if (ret)
		return fail(spool, ret);
	pthread_mutex_lock(&spool->lock);
	spool->put = offset;
	pthread_cond_signal(&spool->more);
	pthread_mutex_unlock(&spool->lock);
	return 0;
}

void record_spool_end(struct record_spool *spool)
{
	pthread_mutex_lock(&spool->lock);
	spool->has_ended = true;
	pthread_cond_signal(&spool->more);
	pthread_mutex_unlock(&spool->lock);
}

uint64_t record_spool_size(struct record_spool *spool)
{
	uint64_t size;

	pthread_mutex_lock(&spool->lock);
	size = spool->put;
	pthread_mutex_unlock(&spool->lock);
	return size;
}

/* Marks the last chunk as taken. */
static void finish(struct record_spool *spool)
{
	pthread_mutex_lock(&spool->lock);
	spool->taken = spool->end;
	pthread_mutex_unlock(&spool->lock);
	spool->begin = spool->end = 0;
}

bool record_spool_take(struct record_spool *spool)
{
	uint64_t size;
	bool has_any;

	do {
		if (spool->end)
			finish(spool);
		pthread_mutex_lock(&spool->lock);
		while (spool->taken == spool->put && !spool->has_ended)
			pthread_cond_wait(&spool->more, &spool->lock);
		has_any = spool->taken != spool->put;
		if (has_any) {
			spool->begin = spool->taken;
			spool->end = spool->put;
		}
		pthread_mutex_unlock(&spool->lock);
	} while (has_any && record_spool_read(spool, &size, sizeof(size)) != sizeof(size));
	if (has_any)
		spool->end = spool->begin + size;
	return has_any;
}

/* Skips the rest of the chunk. */
static int skip(struct record_spool *spool, int error)
{
	spool->unread += spool->end - spool->begin;
	spool->begin = spool->end;
	return fail(spool, error);
}

ssize_t record_spool_read(struct record_spool *spool, void *bytes, size_t size)
{
	const uint64_t rest = spool->end - spool->begin;
	size_t done = 0;

	if (!rest && spool->end)
		finish(spool);
	if (size > rest)
		size = rest;
	while (done < size) {
		ssize_t n = pread(spool->fd, (char *)bytes + done, size - done, (off_t)(spool->begin + done));

		if (n == 0 || (n < 0 && errno != EINTR))
			return skip(spool, n ? -errno : -EIO);
		done += n > 0 ? (size_t)n : 0;
	}
	spool->begin += done;
	return (ssize_t)done;
}
