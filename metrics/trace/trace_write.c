// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes the file in whole packets; a failed write leaves no partial packet. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "trace/trace.h"

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
	char text[96];

	trace->failed = error;
	log_line(GPMU_LOG_WARNING, "%s: %s: the trace ends after %" PRIu64 " bytes", trace->path,
		 strerror_r(-error, text, sizeof(text)), trace->written);
}

int trace_write(struct gpmu_trace *trace)
{
	struct trace_buffer *out = &trace->out;
	size_t done = 0, n;

	while (!trace->failed && done < out->length) {
		int ret = write_some(trace->fd, out->data + done, out->length - done, &n);

		done += n;
		if (ret) {
			take_back(trace->fd, done);
			fail(trace, ret);
		}
	}
	if (!trace->failed)
		trace->written += done;
	out->length = 0;
	return trace->failed;
}
