// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reader copies bytes by pread(2): it checks a copy that the writing process cannot change afterwards, and a file
 * without memory for its pages raises no SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/channel/channel_file.h"

#define CHUNK	131072	/* bytes to copy at once; more for a longer record */
#define TRIES	3

struct channel_reader {
	char *bytes;		/* copy of the ring's bytes before the position copied */
	size_t room, length, pos;	/* of bytes: allocated, filled, read */
	uint64_t ring, copied;
	uint64_t written;	/* the writer's position, as last read */
	uint64_t lost_count;		/* lost records, when their losses were read */
	struct channel_lost losses[CHANNEL_LOSSES + 1];	/* the last: records that the writer owed at its end */
	uint64_t reported[CHANNEL_LOSSES + 1];	/* their counts in reports; of owed records also those that were read */
	size_t lost_at;			/* the next of losses to report */
	struct activity_lost lost;	/* the latest report */
	bool has_looked;		/* since the number of lost records was read */
	int fd;
	bool is_broken, has_ended;
};

/* Ring size according to the head; 0 if the file is not a channel */
static uint64_t ring_of(const struct channel_head *head, off_t size)
{
	uint64_t ring = head->ring;

	if (head->magic != CHANNEL_MAGIC || head->version != CHANNEL_VERSION ||
	    head->head != CHANNEL_HEAD || !channel_ring_fits(ring))
		return 0;
	return (uint64_t)size == CHANNEL_HEAD + ring ? ring : 0;
}

static int read_head(struct channel_reader *reader)
{
	struct channel_head head;
	struct stat stat_buf;

	if (fstat(reader->fd, &stat_buf))
		return -errno;
	if (!S_ISREG(stat_buf.st_mode) ||
	    pread(reader->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return -EBADMSG;
	reader->ring = ring_of(&head, stat_buf.st_size);
	reader->copied = reader->written = head.taken;
	return reader->ring ? 0 : -EBADMSG;
}

/* Opens the file again: the lock of the descriptor that was sent is the writer's own (flock(2)). */
static int reopen(int fd)
{
	char path[32];
	int own;

	if (!channel_is_sealed(fd))
		return -EBADMSG;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return own < 0 ? -errno : own;
}

struct channel_reader *channel_reader_new(int fd)
{
	struct channel_reader *reader = calloc(1, sizeof(*reader));
	int ret = -ENOMEM;

	if (reader) {
		reader->fd = reopen(fd);
		ret = reader->fd < 0 ? reader->fd : read_head(reader);
	}
	close(fd);
	if (!ret)
		return reader;
	if (reader)
		channel_reader_free(reader);
	errno = -ret;
	return NULL;
}

static int break_off(struct channel_reader *reader)
{
	reader->is_broken = true;
	return -EBADMSG;
}

static bool read_at(const struct channel_reader *reader, void *bytes, size_t n, uint64_t offset)
{
	return pread(reader->fd, bytes, n, (off_t)offset) == (ssize_t)n;
}

/*
 * Reads a number that only grows. pread(2) may mix bytes of two values. The lower result of two
 * successive reads is then right, or too low.
 */
static bool read_number(const struct channel_reader *reader, size_t offset, uint64_t *number)
{
	uint64_t again;

	if (!read_at(reader, number, sizeof(*number), offset) || !read_at(reader, &again, sizeof(again), offset))
		return false;
	if (again < *number)
		*number = again;
	return true;
}

/* Reads the writer's position. Returns 0; -EBADMSG if it is impossible */
static int look(struct channel_reader *reader)
{
	reader->has_looked = true;
	for (int i = 0; i < TRIES; i++) {
		uint64_t written;

		if (!read_number(reader, offsetof(struct channel_head, written), &written))
			break;
		if (written >= reader->copied && written - reader->copied <= reader->ring &&
		    !(written % 8) && !(reader->copied % 8)) {
			reader->written = written;
			return 0;
		}
	}
	return -EBADMSG;
}

/* Moves the unread bytes to the begin of the buffer, and makes room for @size bytes in all. */
static int make_room(struct channel_reader *reader, size_t size)
{
	size_t left = reader->length - reader->pos;
	char *bytes;

	if (left)
		memmove(reader->bytes, reader->bytes + reader->pos, left);
	reader->pos = 0;
	reader->length = left;
	size = size < CHUNK ? CHUNK : size;
	if (size <= reader->room)
		return 0;
	bytes = realloc(reader->bytes, size);
	if (!bytes)
		return -ENOMEM;
	reader->bytes = bytes;
	reader->room = size;
	return 0;
}

/*
 * Orders the memory accesses of one system call before those of the next one. ThreadSanitizer sees
 * neither, and has no fences.
 */
static void order(void)
{
#ifndef __SANITIZE_THREAD__
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/*
 * Copies bytes of the ring, up to its end, for a record of @size bytes, and leaves their place to the
 * writer. Returns whether there were any, -EBADMSG or -ENOMEM.
 */
static int copy(struct channel_reader *reader, size_t size)
{
	uint64_t offset = reader->copied & (reader->ring - 1), n, there;
	int ret;

	if (reader->copied == reader->written && look(reader))
		return break_off(reader);
	there = reader->written - reader->copied;
	if (!there)
		return 0;
	ret = make_room(reader, size);
	if (ret)
		return ret;
	n = reader->room - reader->length;
	n = n < there ? n : there;
	n = n < reader->ring - offset ? n : reader->ring - offset;
	order();
	if (!read_at(reader, reader->bytes + reader->length, n, CHANNEL_HEAD + offset))
		return break_off(reader);
	reader->length += n;
	reader->copied += n;
	order();
	if (pwrite(reader->fd, &reader->copied, sizeof(reader->copied),
		   offsetof(struct channel_head, taken)) != (ssize_t)sizeof(reader->copied))
		return break_off(reader);
	return 1;
}

/* Returns whether the next record is in the buffer as a whole; -EBADMSG if it is invalid, or -ENOMEM. */
static int next(struct channel_reader *reader, struct activity_head **record)
{
	struct activity_head *head;
	uint64_t left, end;
	int ret = 1;

	do {
		left = reader->length - reader->pos;
		head = (struct activity_head *)(reader->bytes + reader->pos);
		if (left < sizeof(*head)) {
			ret = copy(reader, sizeof(*head));
			continue;
		}
		end = reader->ring - ((reader->copied - left) & (reader->ring - 1));
		if (head->size < sizeof(*head) || head->size % 8 || head->size > end ||
		    head->size > reader->ring / CHANNEL_SHARE)
			return break_off(reader);
		if (head->size <= left) {
			*record = head;
			return 1;
		}
		ret = copy(reader, head->size);
		/* The writer commits whole records. */
		if (!ret)
			return break_off(reader);
	} while (ret > 0);
	return ret;
}

/* Reads the losses if the number of lost records has changed. */
static void read_losses(struct channel_reader *reader)
{
	uint64_t count;

	reader->has_looked = false;
	if (!read_number(reader, offsetof(struct channel_head, lost), &count) || count <= reader->lost_count)
		return;
	order();
	if (!read_at(reader, reader->losses, CHANNEL_LOSSES * sizeof(reader->losses[0]),
		     offsetof(struct channel_head, losses)))
		return;
	reader->lost_count = count;
	reader->lost_at = 0;
}

/*
 * Reads the losses and the records that the writer owed, once it has ended without closing the file: it may have been
 * killed before it added a loss to the number of lost records.
 */
static void read_last_losses(struct channel_reader *reader)
{
	_Static_assert(offsetof(struct channel_head, owed) - offsetof(struct channel_head, losses) ==
		       CHANNEL_LOSSES * sizeof(struct channel_lost), "owed records follow the losses");

	if (channel_has_ended(reader) && !channel_is_closed(reader) &&
	    read_at(reader, reader->losses, sizeof(reader->losses), offsetof(struct channel_head, losses)))
		reader->lost_at = 0;
}

/* Returns whether the writer has lost records that were not reported; the latest report then has them. */
static bool find_lost(struct channel_reader *reader)
{
	if (reader->has_looked)
		read_losses(reader);
	for (; reader->lost_at <= CHANNEL_LOSSES; reader->lost_at++) {
		const struct channel_lost *lost = &reader->losses[reader->lost_at];
		uint64_t *reported = &reader->reported[reader->lost_at];

		if (lost->count <= *reported)
			continue;
		reader->lost = (struct activity_lost){
			{ sizeof(reader->lost), ACTIVITY_LOST, 0 }, lost->from, lost->to, lost->count - *reported,
			lost->why < ACTIVITY_LOST_REASONS ? lost->why : ACTIVITY_LOST_CHANNEL,
			lost->kind < ACTIVITY_KINDS ? lost->kind : 0, lost->thread, 0,
		};
		*reported = lost->count;
		return true;
	}
	return false;
}

int channel_read(struct channel_reader *reader, const struct activity_head **record)
{
	struct activity_head *head;
	int ret;

	if (reader->is_broken)
		return -EBADMSG;
	do {
		ret = next(reader, &head);
		if (!ret)
			read_last_losses(reader);
		/* The caller must learn of lost inner ends before it gets the end of the outer range. */
		if (ret >= 0 && find_lost(reader)) {
			*record = &reader->lost.head;
			return 1;
		}
		if (ret <= 0)
			return ret;
		reader->pos += head->size;
	} while (head->kind >= ACTIVITY_KINDS);
	if (!activity_is_valid(head))
		return break_off(reader);
	if (head->flags & ACTIVITY_OWED)
		reader->reported[CHANNEL_LOSSES]++;
	*record = head;
	return 1;
}

bool channel_has_ended(struct channel_reader *reader)
{
	if (!reader->has_ended && !flock(reader->fd, LOCK_SH | LOCK_NB)) {
		reader->has_ended = true;
		flock(reader->fd, LOCK_UN);
	}
	return reader->has_ended;
}

bool channel_is_closed(const struct channel_reader *reader)
{
	uint32_t closed;

	return read_at(reader, &closed, sizeof(closed), offsetof(struct channel_head, closed)) && closed;
}

bool channel_read_calls(const struct channel_reader *reader, struct activity_calls *calls)
{
	struct channel_calls stripes[CHANNEL_STRIPES];
	bool has_any = false;

	*calls = (struct activity_calls){ .head = { sizeof(*calls), ACTIVITY_CALLS, 0 } };
	if (!read_at(reader, stripes, sizeof(stripes), offsetof(struct channel_head, calls)) ||
	    !read_at(reader, calls->outside, sizeof(calls->outside), offsetof(struct channel_head, outside))) {
		*calls = (struct activity_calls){ .head = { sizeof(*calls), ACTIVITY_CALLS, 0 } };
		return false;
	}
	for (int work = 0; work < ACTIVITY_WORKS; work++) {
		for (int i = 0; i < CHANNEL_STRIPES; i++) {
			calls->called[work] += stripes[i].called[work];
			calls->unsure[work] += stripes[i].unsure[work];
		}
		/* More nodes of a graph may have run than were expected. */
		if (calls->unsure[work] > INT64_MAX)
			calls->unsure[work] = 0;
		has_any = has_any || calls->called[work] || calls->unsure[work] || calls->outside[work];
	}
	return has_any;
}

void channel_reader_free(struct channel_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->bytes);
	free(reader);
}
