// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/channel/channel_file.h"

struct channel_reader {
	struct channel_head *head;
	const char *data;
	uint64_t ring, taken, written;
	struct activity_head *record;	/* copy of the current record */
	size_t room;			/* bytes allocated for record */
	int fd;
	bool broken, ended;
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

static int map(struct channel_reader *reader)
{
	struct channel_head head;
	struct stat stat_buf;
	void *mapped;

	if (fstat(reader->fd, &stat_buf))
		return -errno;
	if (!S_ISREG(stat_buf.st_mode) ||
	    pread(reader->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return -EBADMSG;
	reader->ring = ring_of(&head, stat_buf.st_size);
	if (!reader->ring)
		return -EBADMSG;
	mapped = mmap(NULL, stat_buf.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, reader->fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	reader->head = mapped;
	reader->data = (const char *)mapped + CHANNEL_HEAD;
	reader->taken = reader->written = __atomic_load_n(&reader->head->taken, __ATOMIC_RELAXED);
	return 0;
}

struct channel_reader *channel_reader_new(const char *path)
{
	struct channel_reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return NULL;
	reader->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	ret = reader->fd < 0 ? -errno : map(reader);
	if (!ret)
		return reader;
	channel_reader_free(reader);
	errno = -ret;
	return NULL;
}

static int break_off(struct channel_reader *reader)
{
	reader->broken = true;
	return -EBADMSG;
}

/*
 * Checks the file's size: its process may have truncated it, and reading beyond the end
 * raises SIGBUS.
 */
static bool is_whole(const struct channel_reader *reader)
{
	struct stat stat_buf;

	return !fstat(reader->fd, &stat_buf) && (uint64_t)stat_buf.st_size >= CHANNEL_HEAD + reader->ring;
}

/*
 * Returns whether there are bytes to read; -EBADMSG if the writer's position is impossible
 * or the file is truncated.
 */
static int look(struct channel_reader *reader)
{
	if (reader->taken != reader->written)
		return 1;
	if (!is_whole(reader))
		return break_off(reader);
	reader->written = __atomic_load_n(&reader->head->written, __ATOMIC_ACQUIRE);
	if (reader->written < reader->taken || reader->written - reader->taken > reader->ring ||
	    reader->written % 8 || reader->taken % 8)
		return break_off(reader);
	return reader->taken != reader->written;
}

static int grow(struct channel_reader *reader, size_t size)
{
	struct activity_head *record;

	if (size <= reader->room)
		return 0;
	record = realloc(reader->record, size);
	if (!record)
		return -ENOMEM;
	reader->record = record;
	reader->room = size;
	return 0;
}

/*
 * Copies the record at the position if it fits there. Reads its head only once, as the
 * writer could change it.
 */
static int copy(struct channel_reader *reader)
{
	uint64_t at = reader->taken & (reader->ring - 1);
	uint64_t left = reader->written - reader->taken;
	struct activity_head head;

	if (left > reader->ring - at)
		left = reader->ring - at;
	memcpy(&head, reader->data + at, sizeof(head));
	if (head.size < sizeof(head) || head.size % 8 || head.size > left)
		return break_off(reader);
	reader->taken += head.size;
	if (head.kind >= ACTIVITY_KINDS)
		return 0;
	if (head.size > reader->ring / CHANNEL_SHARE)
		return break_off(reader);
	if (grow(reader, head.size)) {
		reader->taken -= head.size;
		return -ENOMEM;
	}
	memcpy(reader->record, reader->data + at, head.size);
	*reader->record = head;
	return activity_is_valid(reader->record) ? 1 : break_off(reader);
}

int channel_read(struct channel_reader *reader, const struct activity_head **record)
{
	int ret = 0;

	if (reader->broken)
		return -EBADMSG;
	while (!ret) {
		ret = look(reader);
		if (ret <= 0)
			return ret;
		ret = copy(reader);
		__atomic_store_n(&reader->head->taken, reader->taken, __ATOMIC_RELEASE);
	}
	*record = reader->record;
	return ret;
}

bool channel_has_ended(struct channel_reader *reader)
{
	if (!reader->ended && !flock(reader->fd, LOCK_SH | LOCK_NB)) {
		reader->ended = true;
		flock(reader->fd, LOCK_UN);
	}
	return reader->ended;
}

bool channel_is_closed(const struct channel_reader *reader)
{
	return __atomic_load_n(&reader->head->closed, __ATOMIC_ACQUIRE);
}

void channel_reader_free(struct channel_reader *reader)
{
	if (reader->head)
		munmap(reader->head, CHANNEL_HEAD + reader->ring);
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->record);
	free(reader);
}
