/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a process that writes: this head, and a ring behind it */
#ifndef GPMU_CHANNEL_FILE_H
#define GPMU_CHANNEL_FILE_H

#include "trace/channel/channel.h"

#define CHANNEL_MAGIC	UINT64_C(0x6c656e6e61686367)	/* "gchannel" */
#define CHANNEL_HEAD	4096	/* bytes before the ring */
#define CHANNEL_PAD	UINT16_MAX	/* kind of what fills the ring to its end: a head at least */

/* The share of a ring that a record may have at most */
#define CHANNEL_SHARE	4

/*
 * Positions count bytes since the begin, modulo the ring's they are offsets in it. Records lie there whole. Each
 * side writes its own position, in a cache line of its own.
 */
struct channel_head {
	uint64_t magic;
	uint32_t version, head;		/* CHANNEL_HEAD */
	uint64_t ring;
	uint64_t reserved[5];
	uint64_t written;		/* atomic; by the writer */
	uint32_t closed;		/* atomic */
	uint32_t reserved_writer[13];
	uint64_t taken;			/* atomic; by the reader */
	uint64_t reserved_reader[7];
};

bool channel_ring_fits(uint64_t ring);

#endif /* GPMU_CHANNEL_FILE_H */
