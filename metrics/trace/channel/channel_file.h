/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a writing process: this head, followed by the ring */
#ifndef GPMU_CHANNEL_FILE_H
#define GPMU_CHANNEL_FILE_H

#include <fcntl.h>

#include "trace/channel/channel.h"

#define CHANNEL_MAGIC	UINT64_C(0x6c656e6e61686367)	/* "gchannel" */
#define CHANNEL_HEAD	4096	/* bytes of the head */
/* kind of the filler up to the ring's end, which is at least a head */
#define CHANNEL_PAD	UINT16_MAX

/* Divisor: a record may take at most this fraction of the ring */
#define CHANNEL_SHARE	4

/* Records that channel_lose() has counted, or that channel_owe() has announced */
struct channel_lost {
	uint64_t count;		/* atomic; written after the time */
	uint64_t from, to;
	uint16_t why, kind;	/* as in struct activity_lost */
	uint32_t thread;
};

#define CHANNEL_LOSSES	64

/* Number of cache lines, among which threads are distributed so that they do not share one when they count. */
#define CHANNEL_STRIPES	8

struct channel_calls {
	uint64_t called[ACTIVITY_WORKS], unsure[ACTIVITY_WORKS];	/* atomic */
} __attribute__((aligned(64)));

/*
 * Positions count bytes since the begin; modulo the ring's size they are offsets in it.
 * Records are contiguous. Each side writes only its own position, in a cache line of its
 * own.
 */
struct channel_head {
	uint64_t magic;
	uint32_t version, head;		/* CHANNEL_HEAD */
	uint64_t ring;
	uint64_t reserved[5];
	uint64_t written;		/* position; atomic, set by the writer */
	uint32_t closed;		/* atomic */
	uint32_t reserved_closed;
	uint64_t lost;			/* records in all; atomic */
	uint64_t reserved_writer[5];
	uint64_t taken;			/* position; atomic, set by the reader */
	uint64_t reserved_reader[7];
	/* By reason, kind and thread; the last one is of all others */
	struct channel_lost losses[CHANNEL_LOSSES];
	struct channel_lost owed;	/* in all; those that were not written are lost if the writer ends */
	uint64_t outside[ACTIVITY_WORKS];	/* atomic */
	struct channel_calls calls[CHANNEL_STRIPES];
};

_Static_assert(sizeof(struct channel_head) <= CHANNEL_HEAD, "the head has its place");

#define CHANNEL_SEALS	(F_SEAL_SHRINK | F_SEAL_GROW)	/* of all files that are sent */

bool channel_ring_fits(uint64_t ring);
/* Creates an anonymous file, which can be sealed. Returns its descriptor or -errno. */
int channel_memory(const char *name);
/* Returns whether the size of a file cannot change, so that reading its mapping raises no SIGBUS */
bool channel_is_sealed(int fd);

#endif /* GPMU_CHANNEL_FILE_H */
