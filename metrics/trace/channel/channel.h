/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes records from one process to another; records outlive their writer.
 *
 * The reader listens on a socket in the abstract namespace (unix(7)), whose name is in $GPMU_CHANNEL. A process
 * connects and receives the descriptor of the control page. The name is known in one network namespace only. All
 * processes therefore inherit an end of a socket without a name, the door, through which a process in another network
 * namespace connects. Each process creates a file for its records, which has a head and a ring, maps it, and sends its
 * descriptor to the reader. Both files are anonymous (memfd_create(2)), so nothing remains of them
 * after their users have ended. Seals fix their sizes (fcntl(2)), so no process can cause SIGBUS in another one by truncating
 * them. Only the reader can write the control page.
 *
 * A committed record survives SIGKILL. The writer's mapping holds a lock on its file (flock(2)) for the life of
 * the process, so the reader notices its end even from another pid namespace. The writer keeps no
 * file descriptor, because the program could close it.
 *
 * A file has one writing process, which takes a lock for each record, and one reader. Neither
 * end trusts the other's data: the reader returns -EBADMSG for impossible lengths and
 * positions.
 */
#ifndef GPMU_CHANNEL_H
#define GPMU_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/channel/activity.h"

#define CHANNEL_VARIABLE	"GPMU_CHANNEL"
#define CHANNEL_VERSION		9
#define CHANNEL_NAME		56	/* bytes of a socket's name, which has the door's descriptor and cookie (SO_COOKIE) */
#define CHANNEL_RING_MIN	4096
#define CHANNEL_RING_MAX	(UINT64_C(1) << 32)
#define CHANNEL_PATIENCE	5000000000ULL	/* ns that a process waits for the control page */

enum channel_capture {
	CHANNEL_CAPTURE_ALL,
	CHANNEL_CAPTURE_PROFILER,	/* from cudaProfilerStart() to cudaProfilerStop() */
	CHANNEL_CAPTURE_NVTX,		/* NVTX ranges whose name is in range */
	/* from gpmu_begin() to gpmu_end(); range as for NVTX, "": any region */
	CHANNEL_CAPTURE_REGION,
};

enum channel_pc_mode { CHANNEL_PC_OFF, CHANNEL_PC_CONTINUOUS, CHANNEL_PC_SERIALIZED };

#define CHANNEL_METRICS		32768	/* bytes of the names of metrics */

enum channel_ranges_mode { CHANNEL_RANGES_NONE, CHANNEL_RANGES_KERNEL, CHANNEL_RANGES_USER, CHANNEL_RANGES_SASS };
enum channel_sass_part { CHANNEL_SASS_FUNCTION, CHANNEL_SASS_LINE, CHANNEL_SASS_INSTRUCTION };
enum channel_replay { CHANNEL_REPLAY_KERNEL, CHANNEL_REPLAY_USER, CHANNEL_REPLAY_APPLICATION };
enum channel_ranges_sources { CHANNEL_RANGES_NVTX = 1, CHANNEL_RANGES_REGION = 2 };

/* Counters of ranges, by CUPTI's range profiler, or SASS metrics, which need only mode, part and metrics */
struct channel_ranges {
	uint32_t mode;		/* enum channel_ranges_mode */
	uint32_t replay;	/* enum channel_replay */
	uint32_t sources;	/* bits of enum channel_ranges_sources, for CHANNEL_RANGES_USER */
	uint32_t levels;	/* nesting levels that are counted, from the outermost on */
	uint64_t skip, count;	/* matching ranges that are left out first, and counted then; count 0: no limit */
	uint32_t limit;		/* ms after which a replayed kernel ends the process */
	uint32_t checkpoint;	/* 1: restore the memory of the GPU before each further pass of CHANNEL_REPLAY_USER */
	uint32_t reserve;	/* MiB of the memory of the GPU that a checkpoint leaves free */
	uint32_t metric_count;
	uint32_t part;		/* enum channel_sass_part: parts of a function with rows, for CHANNEL_RANGES_SASS */
	char filter[256];	/* extended regular expression of names; "": all */
	char state[256];	/* file that application replay keeps between its runs */
	char metrics[CHANNEL_METRICS];	/* names, each with its NUL */
};

/*
 * The control page, which all processes map. Members after the first three can change at any
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
	uint32_t pc_mode;	/* PC sampling: enum channel_pc_mode */
	uint32_t pc_period;	/* cycles: 1 << pc_period */
	uint32_t pc_stalls;	/* bits 1 << index in gpmu_stalls[]; 0: all reasons */
	/* 1: transfers of unified memory are recorded once the program allocates managed memory, 0: from the start */
	uint32_t managed_only;
	uint32_t allocators;	/* 1: the library of each allocation is requested */
	struct channel_ranges ranges;
};

/* --- the control page: channel.c --- */

/*
 * Creates a control page, and maps it in *@mapped, which can be written. Returns its descriptor, which the caller
 * closes, for channel_accept(), or -errno. The caller unmaps the page by channel_unmap_control().
 */
int channel_create_control(const struct channel_control *control, struct channel_control **mapped);
/*
 * Maps a control page read-only; the caller unmaps it by channel_unmap_control(). Returns NULL with errno; EBADMSG: another
 * version, invalid content, or a file that another process can truncate.
 */
struct channel_control *channel_map_control(int fd);
void channel_unmap_control(struct channel_control *control);
/*
 * Makes the calling thread the reader. When the thread ends for whatever reason, the kernel notes that in the control
 * page, which must be mapped as by channel_create_control() until then. A thread can call this once, and must not use
 * robust mutexes.
 */
void channel_hold(struct channel_control *control);
/* Returns whether the reader is alive, as far as known, and wants more records. Atomic. */
bool channel_has_reader(const struct channel_control *control);

/* --- messages: channel_socket.c --- */

enum channel_message_kind {
	CHANNEL_CONTROL,	/* to a process; with the control page */
	CHANNEL_RING,		/* from a process; with the file of its records */
	CHANNEL_FAILURE,	/* from a process that could not create its file; the text has the reason */
	CHANNEL_LOADED,		/* from a process that has loaded libgpmu-mark.so, or has nothing to record */
	CHANNEL_CONNECTION,	/* from a process, through the door; with a connection */
	CHANNEL_MESSAGES,
};

struct channel_message {
	uint32_t version;	/* CHANNEL_VERSION */
	uint32_t kind;		/* enum channel_message_kind */
	char text[160];
};

/*
 * Listens on a new socket. Sets @name, the value of CHANNEL_VARIABLE, and @door: the reader's end, and the one that the
 * processes inherit, whose number must not change; both -1: there is no door. Returns the descriptor or -errno.
 */
int channel_listen(char name[CHANNEL_NAME], int door[2]);
/*
 * Accepts a connection, if there is one, and sends the control page to it. Returns its non-blocking descriptor; -EPERM: the
 * connection was of another user, and is closed; -EAGAIN: there is none; or another -errno.
 */
int channel_accept(int listener, int control);
/*
 * Takes a connection that a process has sent through the door, as channel_accept(). -EBADMSG: a process has sent something
 * else. -EMFILE: no descriptor was free, and the connection is lost.
 */
int channel_admit(int door, int control);
/* Returns the process that has connected; 0: it is outside the reader's PID namespace. */
pid_t channel_peer(int connection);
/* Sends a message. @fd: its file; -1: none. @text: NULL: none. Returns 0 or -errno. */
int channel_send(int connection, enum channel_message_kind kind, int fd, const char *text);
/*
 * Receives a message. Returns 1, and in *@fd its file, which the caller closes, or -1; 0 if the other end has closed the
 * connection; -EAGAIN if there is no message; -EBADMSG if it is invalid or of another version; -EMFILE if there is no
 * room for its file; or another -errno.
 */
int channel_receive(int connection, struct channel_message *message, int *fd);
/*
 * Connects to the socket @name and waits for the control page, up to CHANNEL_PATIENCE. Returns the page, and sets *@connection,
 * which the caller closes after it has sent a message. On failure returns NULL with errno; if there is a reader, the reason
 * has been sent to it. @what: "CUDA", "the regions"
 */
struct channel_control *channel_connect(const char *name, const char *what, int *connection);
/* Sends CHANNEL_LOADED to the socket @name. Does not wait for the reader. */
void channel_announce(const char *name);

/* --- the writer --- */
struct channel_writer;

/*
 * Creates this process's file. @ring: bytes, a power of 2 from CHANNEL_RING_MIN to
 * CHANNEL_RING_MAX. *@fd: a descriptor, which the caller sends to the reader and closes. Returns NULL with errno:
 * EINVAL for an invalid @ring, ENOMEM, EFBIG, ...
 */
struct channel_writer *channel_writer_new(uint64_t ring, int *fd);
/*
 * Creates this process's file and sends it to the reader. Returns NULL on failure, after the reason has been sent in its place.
 * @what: "CUDA", "the regions"
 */
struct channel_writer *channel_writer_send(int connection, uint64_t ring, const char *what);
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
 * Counts work of @kind, from ACTIVITY_KERNEL to ACTIVITY_GRAPH. @tally: the array of struct activity_calls. Any thread may call
 * this, without a lock. The reader gets the number even if the process is killed.
 */
void channel_count(struct channel_writer *writer, enum channel_tally tally, enum activity_kind kind, uint64_t count);
/* Returns the sum of all kinds that channel_count() has counted as CHANNEL_CALLED or CHANNEL_UNSURE so far. */
uint64_t channel_called(const struct channel_writer *writer);
/* Marks the file as complete or, if an exec has failed, as not complete. Other threads may write meanwhile. */
void channel_writer_mark(struct channel_writer *writer, bool is_complete);
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

/*
 * Opens the channel with the descriptor @fd, which it closes. Returns NULL with errno; EBADMSG: not a channel, another
 * version, or a file that the process can truncate.
 */
struct channel_reader *channel_reader_new(int fd);
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
/* Returns whether the writer has ended, so that no further records will follow those in the ring. */
bool channel_has_ended(struct channel_reader *reader);
/* Returns whether the writer has marked the file as complete. */
bool channel_is_closed(const struct channel_reader *reader);
/* Reads the counts of channel_count(). Returns false if the file has none: @calls is then all zeros. */
bool channel_read_calls(const struct channel_reader *reader, struct activity_calls *calls);
void channel_reader_free(struct channel_reader *reader);

#endif /* GPMU_CHANNEL_H */
