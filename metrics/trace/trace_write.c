// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes the file in whole packets; a failed write leaves those that had room, and no partial packet. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "trace/trace.h"

uint8_t *trace_room(struct trace_buffer *buffer, size_t n)
{
	size_t room = buffer->room ? buffer->room : 4096;
	uint8_t *data;

	if (buffer->room - buffer->length >= n)
		return buffer->data + buffer->length;
	while (room - buffer->length < n)
		room *= 2;
	data = realloc(buffer->data, room);
	if (!data)
		return NULL;
	buffer->data = data;
	buffer->room = room;
	return data + buffer->length;
}

/* Also waits if the descriptor is nonblocking. */
static int write_some(int fd, const uint8_t *data, size_t length, size_t *written)
{
	ssize_t n = write(fd, data, length);

	if (n >= 0) {
		*written = (size_t)n;
		return 0;
	}
	*written = 0;
	if (errno == EAGAIN) {
		struct pollfd wait = { .fd = fd, .events = POLLOUT };

		return poll(&wait, 1, -1) < 0 && errno != EINTR ? -errno : 0;
	}
	return errno == EINTR ? 0 : -errno;
}

/* Length of the whole packets in the first @size bytes of a buffer: a tag of one byte, the length, the content */
static size_t whole_packets(const uint8_t *data, size_t size)
{
	size_t whole = 0;

	while (whole < size) {
		size_t pos = whole;
		uint64_t length = 0;
		unsigned int shift = 0;

		do {
			if (++pos >= size)
				return whole;
			length |= (uint64_t)(data[pos] & 0x7f) << shift;
			shift += 7;
		} while (data[pos] & 0x80);
		if (length > size - pos - 1)
			return whole;
		whole = pos + 1 + length;
	}
	return whole;
}

/* Truncates a partially written packet; a pipe cannot. */
static void take_back(int fd, size_t n)
{
	struct stat file;
	off_t end;

	if (!n || fstat(fd, &file) || !S_ISREG(file.st_mode))
		return;
	end = lseek(fd, 0, SEEK_CUR);
	if (end >= (off_t)n && end == file.st_size && !ftruncate(fd, end - (off_t)n))
		lseek(fd, end - (off_t)n, SEEK_SET);
}

static void fail(struct gpmu_trace *trace, int error)
{
	trace->failed = error;
	log_line(GPMU_LOG_WARNING, "%s: %s: the trace ends after %" PRIu64 " bytes", trace->path,
		 error_text(-error), trace->written);
}

int trace_write(struct gpmu_trace *trace)
{
	struct trace_buffer *out = &trace->out;
	size_t done = 0, whole, n;
	int ret = trace->failed;

	if (ret)
		out->length = 0;
	while (!ret && done < out->length) {
		ret = write_some(trace->fd, out->data + done, out->length - done, &n);
		done += n;
	}
	whole = ret ? whole_packets(out->data, done) : done;
	trace->written += whole;
	take_back(trace->fd, done - whole);
	if (ret && !trace->failed)
		fail(trace, ret);
	out->length = 0;
	return trace->failed;
}
