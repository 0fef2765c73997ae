// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes that are short, interrupted, blocked, or fail. Linked with --wrap for write. */
#include <fcntl.h>
#include <signal.h>

#include "trace-test.h"

#define PACKET_MAX	48	/* bytes of a packet with a value, at most */

static int error;	/* of a write after `left` bytes */
static size_t left, max;	/* bytes of one write; 0: all */
static int once;	/* error of the next write */

ssize_t __real_write(int fd, const void *buffer, size_t size);
ssize_t __wrap_write(int fd, const void *buffer, size_t size);

ssize_t __wrap_write(int fd, const void *buffer, size_t size)
{
	if (once) {
		errno = once;
		once = 0;
		return -1;
	}
	if (error && !left) {
		errno = error;
		return -1;
	}
	if (max && size > max)
		size = max;
	if (error && size > left)
		size = left;
	left -= error ? size : 0;
	return __real_write(fd, buffer, size);
}

static char logged[256];
static int times;

static void note(int level, const char *line, void *user)
{
	(void)level;
	(void)user;
	snprintf(logged, sizeof(logged), "%s", line);
	times++;
}

static int values(struct gpmu_trace *trace, int counter, unsigned int n)
{
	int ret = 0;

	for (unsigned int i = 0; i < n && !ret; i++)
		ret = gpmu_trace_count(trace, counter, 1000 + i, i);
	return ret;
}

static void goes_on(void)
{
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	values(t.trace, gpmu_trace_counter(t.trace, 0, "counter", NULL), 100);
	max = 7;
	once = EINTR;
	ok(!gpmu_trace_flush(t.trace, NULL) && test_trace_packets(&t) == 102,
	   "trace write: a short or interrupted write is continued");
	once = EAGAIN;
	gpmu_trace_finish(t.trace, NULL);
	ok(test_trace_packets(&t) == 104, "trace write: a write that would block is repeated");
	max = 0;
	test_trace_release(&t);
}

static void full(size_t size)
{
	struct gpmu_error why = { .size = sizeof(why) };
	struct test_trace t;
	off_t whole, end;
	size_t packets;
	int counter;

	test_trace_init(&t, 0, 0);
	counter = gpmu_trace_counter(t.trace, 0, "counter", NULL);
	values(t.trace, counter, 100);
	gpmu_trace_flush(t.trace, NULL);
	whole = lseek(t.fd, 0, SEEK_CUR);
	values(t.trace, counter, 100);
	times = 0;
	error = ENOSPC;
	left = size;
	ok(gpmu_trace_flush(t.trace, &why) == -ENOSPC &&
		   !strcmp(why.text, "out.pftrace: No space left on device"),
	   "trace write: a full disk after %zu bytes gives the path and the reason", size);
	error = 0;
	end = lseek(t.fd, 0, SEEK_CUR);
	packets = test_trace_packets(&t);
	ok(lseek(t.fd, 0, SEEK_END) == end && end <= whole + (off_t)size && end + PACKET_MAX > whole + (off_t)size &&
		   packets >= 102,
	   "trace write: after a full disk with room for %zu bytes the file has all whole packets that had room", size);
	ok(stats_of(&t).bytes == (uint64_t)end, "trace write: the packets that had room are counted as written");
	ok(values(t.trace, counter, 1) == -ENOSPC && gpmu_trace_finish(t.trace, NULL) == -ENOSPC &&
		   gpmu_trace_value(t.trace, counter, 1, 0.0 / 0.0) == -ENOSPC &&
		   test_trace_packets(&t) == packets,
	   "trace write: after a full disk the trace has ended for good");
	ok(times == 1 && strstr(logged, "out.pftrace: No space left on device: the trace ends after ") == logged,
	   "trace write: a full disk is logged once");
	test_trace_release(&t);
}

/* An event fills the buffer. */
static void at_once(void)
{
	struct test_trace t;

	test_trace_init(&t, 100, 0);
	error = EDQUOT;
	left = 0;
	ok(values(t.trace, gpmu_trace_counter(t.trace, 0, "counter", NULL), 100) == -EDQUOT,
	   "trace write: the event whose write fails returns the error");
	error = 0;
	ok(stats_of(&t).bytes == 0, "trace write: a failed write is not counted as written");
	test_trace_release(&t);
}

static void pipes(void)
{
	struct gpmu_trace *trace;
	uint8_t bytes[4096];
	int fds[2], counter;
	GpmuPb__Trace *read_back;
	ssize_t n;

	signal(SIGPIPE, SIG_IGN);
	if (pipe(fds))
		return;
	trace = gpmu_trace_new(fds[1], NULL, NULL);
	counter = gpmu_trace_counter(trace, 0, "counter", NULL);
	values(trace, counter, 10);
	gpmu_trace_flush(trace, NULL);
	n = read(fds[0], bytes, sizeof(bytes));
	read_back = n > 0 ? gpmu_pb__trace__unpack(NULL, (size_t)n, bytes) : NULL;
	ok(read_back && read_back->n_packet == 12, "trace write: a trace may be written to a pipe");
	gpmu_pb__trace__free_unpacked(read_back, NULL);
	times = 0;
	close(fds[0]);
	values(trace, counter, 10);
	ok(gpmu_trace_flush(trace, NULL) == -EPIPE && times == 1 && strstr(logged, "trace: Broken pipe") == logged,
	   "trace write: a closed pipe is EPIPE and logged");
	gpmu_trace_free(trace);
	close(fds[1]);
}

/* Bytes that the caller wrote before stay. */
static void behind(void)
{
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	(void)!__real_write(t.fd, "before", 6);
	values(t.trace, gpmu_trace_counter(t.trace, 0, "counter", NULL), 10);
	error = ENOSPC;
	left = 9;
	gpmu_trace_flush(t.trace, NULL);
	error = 0;
	ok(lseek(t.fd, 0, SEEK_END) == 6,
	   "trace write: bytes in the file before the trace stay after a failure");
	test_trace_release(&t);
}

int main(void)
{
	gpmu_log_set(note, NULL);
	goes_on();
	full(0);
	full(1);
	full(500);
	at_once();
	pipes();
	behind();
	return done_testing();
}
