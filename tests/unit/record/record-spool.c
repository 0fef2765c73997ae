// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "record/queue/record_spool.h"
#include "tap.h"

#define CHUNKS	2000u
#define GIB	((fsblkcnt_t)1 << 30)
#define MIB	((blkcnt_t)1 << 11)	/* in blocks of 512 bytes */
#define PREALLOCATED	64		/* MiB */

static struct statvfs disk;	/* as reported to the spool; f_frsize 0: the real one */

int __real_fstatvfs(int fd, struct statvfs *status);
int __wrap_fstatvfs(int fd, struct statvfs *status);

int __wrap_fstatvfs(int fd, struct statvfs *status)
{
	if (!disk.f_frsize)
		return __real_fstatvfs(fd, status);
	*status = disk;
	return 0;
}

static int put(struct record_spool *spool, const char *first, const char *second)
{
	const struct record_spool_part parts[] = { { first, strlen(first) }, { second, strlen(second) } };

	return record_spool_put(spool, parts, 2);
}

/* Returns whether the next chunk has this text, read in pieces of up to 4 bytes. */
static bool has(struct record_spool *spool, const char *text)
{
	char bytes[64];
	size_t length = 0;
	ssize_t n;

	if (!record_spool_take(spool))
		return false;
	while ((n = record_spool_read(spool, bytes + length, 4)) > 0)
		length += (size_t)n;
	return !n && length == strlen(text) && !memcmp(bytes, text, length);
}

static blkcnt_t blocks(const struct record_spool *spool)
{
	struct stat status;

	return fstat(spool->fd, &status) ? -1 : status.st_blocks;
}

static void chunks(void)
{
	struct record_spool spool;

	record_spool_init(&spool);
	record_spool_open(&spool, -1);
	ok(!put(&spool, "abc", "defgh") && !put(&spool, "", "") && !put(&spool, "i", "") && has(&spool, "abcdefgh") &&
	   has(&spool, "") && has(&spool, "i"), "spool: chunks are taken in order, with the bytes of their parts");
	ok(!put(&spool, "begin", "") && spool.put == 13 && has(&spool, "begin"),
	   "spool: an empty file begins again at its first byte");
	put(&spool, "not read to its end", "");
	put(&spool, "next", "");
	ok(record_spool_take(&spool) && has(&spool, "next"), "spool: the rest of a chunk that was not read is skipped");
	put(&spool, "last", "");
	record_spool_end(&spool);
	ok(has(&spool, "last") && !record_spool_take(&spool) && !record_spool_take(&spool),
	   "spool: chunks that were put before the end are taken");
	record_spool_release(&spool);
}

/* Returns whether the spool of a trace with this descriptor, which is closed, is in @folder. */
static bool is_in(const char *folder, int trace)
{
	const size_t length = strlen(folder);
	char link[64], path[PATH_MAX] = "";
	struct record_spool spool;

	record_spool_init(&spool);
	if (!record_spool_open(&spool, trace)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", spool.fd);
		if (readlink(link, path, sizeof(path) - 1) < 0)
			*path = '\0';
	}
	record_spool_release(&spool);
	close(trace);
	return !strncmp(path, folder, length) && path[length] == '/';
}

static void folders(void)
{
	char top[] = "/tmp/record-spool-XXXXXX", other[40], trace[64], link[64];
	int pipes[2];

	if (!mkdtemp(top) || pipe(pipes))
		return;
	snprintf(other, sizeof(other), "%s/other", top);
	snprintf(trace, sizeof(trace), "%s/trace", other);
	snprintf(link, sizeof(link), "%s/link", top);
	mkdir(other, 0700);
	unsetenv("TMPDIR");
	ok(is_in(other, open(trace, O_RDWR | O_CREAT, 0600)), "spool: the file is in the folder of a trace that is a file");
	ok(!symlink(trace, link) && is_in(other, open(link, O_RDWR)), "spool: the file is in the folder to which the link of a trace leads");
	ok(is_in("/var/tmp", pipes[1]) && is_in("/var/tmp", open("/dev/null", O_WRONLY)),
	   "spool: the file is in /var/tmp if the trace is a pipe or a device");
	setenv("TMPDIR", other, 1);
	ok(is_in(other, -1), "spool: TMPDIR names another folder than /var/tmp");
	ok(is_in(other, open("/proc/self/status", O_RDONLY)),
	   "spool: the file is in TMPDIR if the folder of the trace cannot have it");
	close(pipes[0]);
	unlink(link);
	unlink(trace);
	rmdir(other);
	rmdir(top);
}

/* Puts chunks of 1 MiB, and takes the first of them. */
static void put_and_take(struct record_spool *spool, int puts, int takes)
{
	static char large[1 << 20];

	while (puts--)
		record_spool_put(spool, &(struct record_spool_part){ large, sizeof(large) }, 1);
	while (takes--) {
		record_spool_take(spool);
		while (record_spool_read(spool, large, sizeof(large)) > 0)
			;
	}
}

static bool has_fallocate(int fd)
{
	const bool has_blocks = !fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 4096);

	if (!has_blocks)
		ok(true, "spool: a new file has the blocks of its first 64 MiB # skip the file system cannot allocate them");
	return has_blocks;
}

static void room(void)
{
	struct record_spool spool;
	blkcnt_t before;

	record_spool_init(&spool);
	record_spool_open(&spool, -1);
	if (!has_fallocate(spool.fd)) {
		record_spool_release(&spool);
		return;
	}
	before = blocks(&spool);
	ok(before >= PREALLOCATED * MIB, "spool: a new file has the blocks of its first 64 MiB");
	put_and_take(&spool, PREALLOCATED, PREALLOCATED);
	put(&spool, "next", "");
	ok(blocks(&spool) >= PREALLOCATED * MIB && has(&spool, "next"), "spool: the blocks of the first 64 MiB remain when their chunks have been taken");
	put_and_take(&spool, PREALLOCATED + 4, PREALLOCATED + 3);
	put(&spool, "next", "");
	ok(blocks(&spool) <= before + 2 * MIB, "spool: further chunks that were taken give their blocks back at the next put");
	put_and_take(&spool, 0, 1);
	ok(has(&spool, "next"), "spool: the chunks beyond the first 64 MiB are read");
	put(&spool, "last", "");
	ok(blocks(&spool) <= before + 32 && has(&spool, "last"), "spool: an empty file keeps the blocks of its first 64 MiB only");
	record_spool_release(&spool);
}

/* A file system of 1 GiB must keep 5 % free. */
static void no_room(void)
{
	struct record_spool spool;

	record_spool_init(&spool);
	disk = (struct statvfs){ .f_frsize = 4096, .f_blocks = GIB / 4096, .f_bavail = GIB / 20 / 4096 + PREALLOCATED * 256 - 1 };
	record_spool_open(&spool, -1);
	disk.f_frsize = 0;
	ok(!blocks(&spool) && !put(&spool, "next", "") && has(&spool, "next"),
	   "spool: a file has no blocks in advance if the file system would have too few left");
	record_spool_release(&spool);
}

static void full(void)
{
	static char large[1 << 20];
	const struct record_spool_part part = { large, sizeof(large) };
	struct rlimit old, limit;
	struct record_spool spool;

	record_spool_init(&spool);
	record_spool_open(&spool, -1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){ .rlim_cur = sizeof(large) / 2, .rlim_max = old.rlim_max };
	put(&spool, "before", "");
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(record_spool_put(&spool, &part, 1) == -EFBIG && !put(&spool, "after", "") && has(&spool, "before") && has(&spool, "after"),
	   "spool: a chunk without room in the file system is refused, and the others remain");
	record_spool_release(&spool);
	record_spool_init(&spool);
	record_spool_open(&spool, -1);
	ok(!blocks(&spool), "spool: a file has no blocks in advance beyond the limit of file sizes");
	setrlimit(RLIMIT_FSIZE, &old);
	record_spool_release(&spool);
}

/* Puts 1 MiB while a file system of @size bytes has @room bytes. */
static int put_at(struct record_spool *spool, fsblkcnt_t size, fsblkcnt_t room)
{
	static char large[1 << 20];
	int ret;

	disk = (struct statvfs){ .f_frsize = 4096, .f_blocks = size / 4096, .f_bavail = room / 4096 };
	ret = record_spool_put(spool, &(struct record_spool_part){ large, sizeof(large) }, 1);
	disk.f_frsize = 0;
	return ret;
}

static void reserve(void)
{
	struct record_spool spool;

	record_spool_init(&spool);
	record_spool_open(&spool, -1);
	if (spool.is_preallocated)
		ok(!put_at(&spool, 1000 * GIB, 0), "spool: a chunk whose blocks are allocated needs no room");
	put_and_take(&spool, PREALLOCATED, 0);
	ok(put_at(&spool, 1000 * GIB, GIB) == -ENOSPC && !put_at(&spool, 1000 * GIB, GIB + (1 << 20)),
	   "spool: a chunk that would leave less than 1 GiB of a large file system is refused");
	ok(put_at(&spool, GIB, GIB / 20) == -ENOSPC && !put_at(&spool, GIB, GIB / 20 + (1 << 20)),
	   "spool: a chunk that would leave less than 5 %% of a small file system is refused");
	ok(!put_at(&spool, 0, 0), "spool: a file system without a number of blocks is not checked");
	record_spool_release(&spool);
}

static void *put_numbers(void *data)
{
	struct record_spool *spool = data;

	for (uint32_t i = 0; i < CHUNKS; i++) {
		const struct record_spool_part part = { &i, sizeof(i) };

		record_spool_put(spool, &part, 1);
	}
	record_spool_end(spool);
	return NULL;
}

static void threads(void)
{
	struct record_spool spool;
	uint32_t number, next = 0;
	pthread_t thread;

	record_spool_init(&spool);
	record_spool_open(&spool, -1);
	if (pthread_create(&thread, NULL, put_numbers, &spool))
		return;
	while (record_spool_take(&spool) && record_spool_read(&spool, &number, sizeof(number)) == sizeof(number) && number == next)
		next++;
	pthread_join(thread, NULL);
	ok(next == CHUNKS, "spool: a thread takes each chunk that another thread puts");
	record_spool_release(&spool);
}

int main(void)
{
	chunks();
	room();
	no_room();
	full();
	reserve();
	threads();
	/* Changes TMPDIR */
	folders();
	return done_testing();
}
