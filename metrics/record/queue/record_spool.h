/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes chunks of bytes from a reading thread to a slower one through a file without a name. The reader never waits, and
 * nothing is dropped while the file system has room. The room of chunks that have been read is used again or, beyond
 * 64 MiB of the file, freed.
 */
#ifndef GPMU_RECORD_SPOOL_H
#define GPMU_RECORD_SPOOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct record_spool {
	pthread_mutex_t lock;		/* protects the next four */
	pthread_cond_t more;
	uint64_t put, taken;		/* offsets of the file, in bytes */
	bool has_ended;
	int error;			/* -errno of the first chunk that could not be put or read; 0: none */
	int fd;				/* -1: not open */
	/* Used by the putting thread */
	bool is_preallocated;		/* the first 64 MiB have blocks */
	uint64_t freed;			/* bytes before this offset, beyond the first 64 MiB, have no blocks */
	uint64_t unchecked;		/* bytes put since the room of the file system was checked */
	/* Used by the taking thread */
	uint64_t begin, end;		/* begin and end of the unread bytes of its chunk, in the file */
	uint64_t unread;		/* bytes that could not be read; of a chunk whose begin is one of them, all bytes up to @put */
};

struct record_spool_part {
	const void *bytes;
	size_t size;
};

void record_spool_init(struct record_spool *spool);
/*
 * Creates the file in the folder of the regular file @beside; if @beside is not one, or its folder cannot have a further
 * file, in $TMPDIR or /var/tmp, but not in /tmp, which is often in memory. Allocates its first 64 MiB if the file system has
 * room for them and the reserve of record_spool_put(). Returns 0 or -errno.
 */
int record_spool_open(struct record_spool *spool, int beside);
void record_spool_release(struct record_spool *spool);

/*
 * Appends a chunk of these parts. Returns 0, or -errno with nothing appended; -ENOSPC also if less than 1 GiB, or 5 % of a
 * file system below 20 GiB, would be left. This is checked for each 1 MiB that is put beyond what is allocated.
 */
int record_spool_put(struct record_spool *spool, const struct record_spool_part *parts, size_t count);
/* Marks the end: no chunk follows. */
void record_spool_end(struct record_spool *spool);

/* Bytes of the file that have been put, including those that were taken since it was last empty */
uint64_t record_spool_size(struct record_spool *spool);

/* Waits for the next chunk that can be read, and skips the rest of the last one. Returns false after the last one. */
bool record_spool_take(struct record_spool *spool);
/*
 * Reads up to @size bytes of the chunk that follow those read before. Returns their number, 0 at its end, or -errno: then
 * the rest of the chunk is skipped.
 */
ssize_t record_spool_read(struct record_spool *spool, void *bytes, size_t size);

#endif /* GPMU_RECORD_SPOOL_H */
