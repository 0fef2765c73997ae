// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writing that is short, interrupted, blocked, or fails. Linked with --wrap for write. */
#include <fcntl.h>
#include <signal.h>

#include "trace-test.h"

static int error;	/* of a write, once `left` bytes have been written */
static size_t left, most;	/* bytes of a write; 0: all */
static int once;	/* the error of the next write */

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
	if (most && size > most)
		size = most;
	if (error && size > left)
		size = left;
	left -= error ? size : 0;
	return __real_write(fd, buffer, size);
}

static char said[256];
static int times;

static void note(int level, const char *line, void *user)
{
	(void)level;
	(void)user;
	snprintf(said, sizeof(said), "%s", line);
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
	most = 7;
	once = EINTR;
	ok(!gpmu_trace_flush(t.trace, NULL) && test_trace_packets(&t) == 102,
	   "a write that is short or interrupted goes on");
	once = EAGAIN;
	gpmu_trace_finish(t.trace, NULL);
	ok(test_trace_packets(&t) == 104, "one that would block waits");
	most = 0;
	test_trace_release(&t);
}

static void full(size_t at)
{
	struct gpmu_error why = { 0 };
	struct test_trace t;
	off_t whole;
	int counter;

	test_trace_init(&t, 0, 0);
	counter = gpmu_trace_counter(t.trace, 0, "counter", NULL);
	values(t.trace, counter, 100);
	gpmu_trace_flush(t.trace, NULL);
	whole = lseek(t.fd, 0, SEEK_CUR);
	values(t.trace, counter, 100);
	times = 0;
	error = ENOSPC;
	left = at;
	ok(gpmu_trace_flush(t.trace, &why) == -ENOSPC &&
		   !strcmp(why.text, "out.pftrace: No space left on device"),
	   "a full disk after %zu bytes: the path and why", at);
	error = 0;
	ok(lseek(t.fd, 0, SEEK_END) == whole && lseek(t.fd, 0, SEEK_CUR) == whole &&
		   test_trace_packets(&t) == 102, "what was whole before is there, and no more");
	ok(values(t.trace, counter, 1) == -ENOSPC && gpmu_trace_finish(t.trace, NULL) == -ENOSPC &&
		   gpmu_trace_value(t.trace, counter, 1, 0.0 / 0.0) == -ENOSPC &&
		   test_trace_packets(&t) == 102, "the trace has ended, also where there is room again");
	ok(times == 1 && strstr(said, "out.pftrace: No space left on device: the trace ends after ") == said,
	   "the log is told once");
	test_trace_release(&t);
}

/* An event that fills the buffer */
static void at_once(void)
{
	struct test_trace t;

	test_trace_init(&t, 100, 0);
	error = EDQUOT;
	left = 0;
	ok(values(t.trace, gpmu_trace_counter(t.trace, 0, "counter", NULL), 100) == -EDQUOT,
	   "the event whose write fails returns why");
	error = 0;
	ok(stats_of(&t).bytes == 0, "nothing is counted as written");
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
	ok(read_back && read_back->n_packet == 12, "a pipe will do");
	gpmu_pb__trace__free_unpacked(read_back, NULL);
	times = 0;
	close(fds[0]);
	values(trace, counter, 10);
	ok(gpmu_trace_flush(trace, NULL) == -EPIPE && times == 1 && strstr(said, "trace: Broken pipe") == said,
	   "one whose reader has gone is seen");
	gpmu_trace_free(trace);
	close(fds[1]);
}

/* Bytes that the caller has written before stay. */
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
	ok(lseek(t.fd, 0, SEEK_END) == 6, "what was in the file before the trace stays");
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
