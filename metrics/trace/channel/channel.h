/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * channel: records from one process to another, which outlive the process that wrote them.
 *
 * A folder, $GPMU_CHANNEL, has the file "control", by which the reader says what it wants, and
 * a file PID.N for each process that writes: a head and a ring in shared memory. Files of other names are not
 * the reader's. What was committed is there after SIGKILL. The writer holds a lock of its file (flock(2)), by its mapping, as long as it is there, so the reader knows of its end
 * wherever its pid counts. It keeps no descriptor, which the program could close.
 *
 * A file has one writing process, in which a lock is held for each record, and one reader. Both ends
 * trust nothing that the other one has written but by its type: lengths and
 * positions that cannot be are -EBADMSG for the reader.
 */
#ifndef GPMU_CHANNEL_H
#define GPMU_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/channel/activity.h"

#define CHANNEL_VARIABLE	"GPMU_CHANNEL"
#define CHANNEL_CONTROL		"control"
#define CHANNEL_VERSION		1
#define CHANNEL_RING_LEAST	4096
#define CHANNEL_RING_MOST	(UINT64_C(1) << 32)

enum channel_capture {
	CHANNEL_CAPTURE_ALL,
	CHANNEL_CAPTURE_PROFILER,	/* cudaProfilerStart() to cudaProfilerStop() */
	CHANNEL_CAPTURE_NVTX,		/* ranges with the name in range */
	CHANNEL_CAPTURE_REGION,		/* gpmu_region_begin() to gpmu_region_end(), range as for NVTX; "": any */
};

/* What the file "control" is, mapped by all. Members behind the first three may change at any time. */
struct channel_control {
	uint32_t version;	/* CHANNEL_VERSION */
	uint32_t size;		/* of this structure */
	uint64_t ring;		/* bytes of a process's ring, a power of 2 */
	uint32_t kinds;		/* bits 1 << enum activity_kind that are asked for */
	uint32_t graph_nodes;	/* 1: kernels of a graph one by one, 0: a graph is one record */
	uint32_t enabled;	/* 0: nothing is recorded now (a delay, an end); atomic */
	uint32_t closed;	/* 1: the reader is gone, or does not want more; atomic */
	uint32_t capture;	/* enum channel_capture */
	uint32_t flush;		/* ms between flushes of CUPTI's buffers */
	uint64_t buffer;	/* bytes of one of CUPTI's buffers */
	uint32_t buffers;	/* that a process may have */
	uint32_t holder;	/* a lock of the reader's, as of set_robust_list(2); 0: it has none; atomic */
	char range[256];	/* of capture */
};

/* The writer's end */
struct channel_writer;

/*
 * Maps the folder's control; what it has is valid until channel_unmap_control(). NULL with errno; EBADMSG: it is
 * of another version, or says what cannot be
 */
struct channel_control *channel_map_control(const char *folder);
void channel_unmap_control(struct channel_control *control);
/*
 * The calling thread is the reader from now on: when it ends, by whatever, the kernel writes that to the control, which is
 * to be mapped until then. Once in a thread, which takes no robust mutex
 */
void channel_hold(struct channel_control *control);
/* Whether the reader is there, as far as it is known, and wants more; atomic */
bool channel_has_reader(const struct channel_control *control);
/* Makes the folder's control: 0 or -errno */
int channel_create_control(const char *folder, const struct channel_control *control);

/*
 * A file for this process. @ring is bytes, a power of 2 from CHANNEL_RING_LEAST to CHANNEL_RING_MOST. NULL
 * with errno: EINVAL: of the ring; ENOSPC, EACCES, ...
 */
struct channel_writer *channel_writer_new(const char *folder, uint64_t ring);
/*
 * Writes a record whose head says its size and kind. 0; -EAGAIN: there is no room now; -EMSGSIZE: it is
 * more than a quarter of the ring; -EINVAL: it is no record; -EBADMSG: the reader's position cannot be.
 * With an error nothing was written. Any thread, one at a time by its own lock
 */
int channel_write(struct channel_writer *writer, const struct activity_head *record);
/* Says that all was written: a later record is refused, -ESHUTDOWN. The process still has the lock of the file. */
void channel_writer_finish(struct channel_writer *writer);
/* Says that all was written, and ends it; no other thread may have it */
void channel_writer_close(struct channel_writer *writer);
/* In the child of a fork(): the parent's file is left as it is, and nothing of it is mapped any more */
void channel_writer_forget(struct channel_writer *writer);

/* The reader's end */
struct channel_reader;

/* NULL with errno: EBADMSG: it is no channel, or of another version */
struct channel_reader *channel_reader_new(const char *path);
/*
 * The next record: 1, and it is valid until the next call for this reader; 0: there is none now; -EBADMSG:
 * what is there is no record, and nothing can be read any more; -ENOMEM. What it returns is a copy that
 * activity_is_valid(), of a kind that is known
 */
int channel_read(struct channel_reader *reader, const struct activity_head **record);
/* The writer is gone: what is still there is all that comes. */
bool channel_has_ended(struct channel_reader *reader);
/* The writer said that this is all. */
bool channel_is_closed(const struct channel_reader *reader);
void channel_reader_free(struct channel_reader *reader);

#endif /* GPMU_CHANNEL_H */
