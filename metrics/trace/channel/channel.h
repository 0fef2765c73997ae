/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes records from one process to another; records outlive their writer.
 *
 * The folder $GPMU_CHANNEL has a file "control", which the reader writes, and a file PID.N
 * for each writer of a process: a head and a ring in shared memory. gpmu removes the name once it has
 * opened the file, so that the program cannot truncate it. The reader ignores files of other names. The file "regions" is one of them. The first process that loads libgpmu-mark.so
 * creates it. The link "spare" leads to a folder on another file system, for the files that have no
 * room in this one. A dangling link "lost.PID.N" has as its text the reason why a process has no
 * file. A committed record survives SIGKILL. The writer's mapping holds a lock on its file (flock(2)) for the life of
 * the process, so the reader notices its end even from another pid namespace. The writer keeps no
 * file descriptor, because the program could close it.
 *
 * A file has one writing process, which takes a lock for each record, and one reader. Neither
 * end trusts the other's data: the reader returns -EBADMSG for impossible lengths and
 * positions, and a process that truncates a file does not crash the reader.
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
#define CHANNEL_REGIONS		"regions"
#define CHANNEL_SPARE		"spare"
#define CHANNEL_LOST		"lost."
#define CHANNEL_VERSION		6
#define CHANNEL_RING_LEAST	4096
#define CHANNEL_RING_MOST	(UINT64_C(1) << 32)

enum channel_capture {
	CHANNEL_CAPTURE_ALL,
	CHANNEL_CAPTURE_PROFILER,	/* from cudaProfilerStart() to cudaProfilerStop() */
	CHANNEL_CAPTURE_NVTX,		/* NVTX ranges whose name is in range */
	/* from gpmu_begin() to gpmu_end(); range as for NVTX, "": any region */
	CHANNEL_CAPTURE_REGION,
};

/*
 * The file "control", which all processes map. Members after the first three can change at any
 * time.
 */
struct channel_control {
	uint32_t version;	/* CHANNEL_VERSION */
	uint32_t size;		/* bytes of this structure */
	uint64_t ring;		/* bytes of a process's ring, a power of 2 */
	uint32_t kinds;		/* requested records, bits 1 << enum activity_kind */
	/* 1: each kernel of a graph is a record, 0: the graph is one record */
	uint32_t graph_nodes;
	uint32_t enabled;	/* 0: recording is paused (delayed or ended); atomic */
	uint32_t closed;	/* 1: the reader has ended or reads no more records; atomic */
	uint32_t capture;	/* enum channel_capture */
	uint32_t flush;		/* ms between flushes of CUPTI's buffers */
	uint64_t buffer;	/* bytes of one CUPTI buffer */
	uint32_t buffers;	/* maximum number of CUPTI buffers in a process */
	/* lock held by the reader, as for set_robust_list(2); 0: it has none; atomic */
	uint32_t holder;
	char range[256];	/* for capture */
	uint32_t regions;	/* 1: regions that programs mark are requested */
	uint32_t reserved;
};

/* --- the writer --- */
struct channel_writer;

/*
 * Maps the folder's control file, read-only if its mode allows no more; the caller unmaps it by
 * channel_unmap_control(). Returns NULL with errno; EBADMSG: another version, or invalid content.
 */
struct channel_control *channel_map_control(const char *folder);
void channel_unmap_control(struct channel_control *control);
/*
 * For the reader: opens the folder's control file for channel_set_control(); the caller closes it.
 * Returns -errno on failure.
 */
int channel_open_control(const char *folder);
/*
 * Sets a member, by its offset, of the control file. Unlike a store to a mapping, this raises no SIGBUS
 * after a process has truncated the file.
 */
void channel_set_control(int fd, size_t member, uint32_t value);
/*
 * Makes the calling thread the reader. @fd: the control file, open. When the thread ends for whatever
 * reason, the kernel notes that in the control file, which must stay mapped until then. A thread
 * can call this once, and must not use robust mutexes.
 */
void channel_hold(const struct channel_control *control, int fd);
/* Whether the reader is alive, as far as known, and wants more records; atomic */
bool channel_has_reader(const struct channel_control *control);
/* Creates the folder's control file. Returns 0 or -errno. */
int channel_create_control(const char *folder, const struct channel_control *control);

/*
 * Creates this process's file. @ring: bytes, a power of 2 from CHANNEL_RING_LEAST to
 * CHANNEL_RING_MOST. Returns NULL with errno: EINVAL for an invalid @ring, ENOSPC if neither the
 * folder nor its spare one has room, EACCES, ...
 */
struct channel_writer *channel_writer_new(const char *folder, uint64_t ring);
/*
 * Reports to the reader that this process has no file, because of @error. @what: "CUDA", "the regions".
 * Needs no room in the file system.
 */
void channel_note_failure(const char *folder, const char *what, int error);
/*
 * Writes a record, whose head has its size and kind. Any thread may call this; a lock of
 * the writer serialises the calls. Returns 0, or an error with nothing written: -EAGAIN if
 * there is no room now, -EMSGSIZE if it exceeds a quarter of the ring, -EINVAL if the
 * record is invalid, -EBADMSG if the reader's position is impossible, -ESHUTDOWN after
 * channel_writer_finish().
 */
int channel_write(struct channel_writer *writer, const struct activity_head *record);
/*
 * Counts records that the caller gives up; of @lost the head is ignored. The reader gets the number even if the ring
 * is full or the process is killed.
 */
void channel_lose(struct channel_writer *writer, const struct activity_lost *lost);
/*
 * Sets the number of records that the caller has held back until there is room: all of them, also those that it has
 * written since, whose flags have ACTIVITY_OWED. @owed->from and to are the time of the records not yet
 * written. If the process ends without marking the file as complete, the reader reports the records that it has not
 * read as lost. The number never decreases, so that a process which is killed between writing a record and this call
 * has neither lost nor duplicated it.
 */
void channel_owe(struct channel_writer *writer, const struct activity_lost *owed);
enum channel_tally { CHANNEL_CALLED, CHANNEL_UNSURE, CHANNEL_OUTSIDE };
/*
 * Counts work of @kind, from ACTIVITY_KERNEL to ACTIVITY_GRAPH; the tallies are those of struct activity_calls. Any thread
 * may call this, without a lock. The reader gets the number even if the process is killed.
 */
void channel_count(struct channel_writer *writer, enum channel_tally tally, enum activity_kind kind, uint64_t count);
/* The number that channel_count() has counted so far as CHANNEL_CALLED or CHANNEL_UNSURE, of all kinds */
uint64_t channel_called(const struct channel_writer *writer);
/* Marks the file as complete or, if an exec has failed, as not complete. Other threads may write meanwhile. */
void channel_writer_mark(struct channel_writer *writer, bool complete);
/*
 * Marks the file as complete; later writes fail with -ESHUTDOWN. The process keeps the
 * file's lock.
 */
void channel_writer_finish(struct channel_writer *writer);
/* Marks the file as complete and frees the writer; no other thread may use it. */
void channel_writer_close(struct channel_writer *writer);
/*
 * For the child of a fork(): unmaps the parent's file, leaves its content unchanged, and
 * frees the writer.
 */
void channel_writer_forget(struct channel_writer *writer);

/* --- the reader --- */
struct channel_reader;

/* Opens a channel. Returns NULL with errno; EBADMSG: not a channel, or another version. */
struct channel_reader *channel_reader_new(const char *path);
/*
 * Reads the next record. Returns 1 with a record that is valid until the next call for
 * this reader; 0 if there is none now; -EBADMSG if the data are invalid, after which
 * nothing more can be read; or -ENOMEM. The record is a copy that has passed
 * activity_is_valid() and is of a known kind. An ACTIVITY_LOST record has the number of records of a
 * reason, kind and thread that channel_lose() counted since the last one; beyond CHANNEL_LOSSES of them
 * it has those of the others, of kind and thread 0. It comes before all records that were
 * written later.
 */
int channel_read(struct channel_reader *reader, const struct activity_head **record);
/* Whether the writer has ended, so that no further records will follow those in the ring */
bool channel_has_ended(struct channel_reader *reader);
/* Whether the writer has marked the file as complete */
bool channel_is_closed(const struct channel_reader *reader);
/* Reads the counts of channel_count(). Returns false if the file has none: @calls is then all zeros. */
bool channel_read_calls(const struct channel_reader *reader, struct activity_calls *calls);
void channel_reader_free(struct channel_reader *reader);

#endif /* GPMU_CHANNEL_H */
