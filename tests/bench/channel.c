// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * channel: the time of a record from a process to its reader through a channel, beside a pipe that passes the same bytes
 * in writes of 64 KiB. The records are those of a launch, a call and a kernel. The reader takes each record by itself, as
 * gpmu record does.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "trace/channel/channel.h"

#define PAIRS		1000000
#define RING		(8u << 20)
#define ROUNDS		3
#define BATCH		65536
#define GOAL_NS		500.0	/* 2 M records/s */

static const struct activity_call call = {
	.head = { sizeof(call), ACTIVITY_RUNTIME, 0 }, .begin = 1, .end = 2, .thread = 3, .correlation = 4, .name = 5,
};
static const struct activity_kernel kernel = {
	.work = { .head = { sizeof(kernel), ACTIVITY_KERNEL, 0 }, .begin = 1, .end = 2, .correlation = 4 },
	.name = 6, .grid = { 1, 1, 1 }, .block = { 32, 1, 1 },
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void put(struct channel_writer *writer, const struct activity_head *record)
{
	while (channel_write(writer, record) == -EAGAIN)
		poll(NULL, 0, 0);
}

static _Noreturn void write_channel(struct channel_writer *writer)
{
	for (size_t i = 0; i < PAIRS; i++) {
		put(writer, &call.head);
		put(writer, &kernel.work.head);
	}
	_exit(0);
}

/* ns of a record; infinite on failure */
static double channel(void)
{
	const struct activity_head *record;
	int ret = 0, fd;
	struct channel_writer *writer = channel_writer_new(RING, &fd);
	struct channel_reader *reader = writer ? channel_reader_new(fd) : NULL;
	size_t left = 2 * PAIRS;
	double begin = now();
	pid_t pid;

	if (!reader)
		return INFINITY;
	pid = fork();
	if (!pid)
		write_channel(writer);
	channel_writer_forget(writer);
	while (left && ret >= 0) {
		ret = channel_read(reader, &record);
		left -= ret > 0;
		if (!ret)
			poll(NULL, 0, 0);
	}
	begin = (now() - begin) / (2 * PAIRS);
	channel_reader_free(reader);
	waitpid(pid, &ret, 0);
	return left ? INFINITY : begin;
}

static void write_pipe(int fd)
{
	static char batch[BATCH];
	size_t length = 0;
	bool failed = false;

	for (size_t i = 0; i < PAIRS; i++) {
		if (BATCH - length < sizeof(call) + sizeof(kernel)) {
			failed = failed || write(fd, batch, length) != (ssize_t)length;
			length = 0;
		}
		memcpy(batch + length, &call, sizeof(call));
		memcpy(batch + length + sizeof(call), &kernel, sizeof(kernel));
		length += sizeof(call) + sizeof(kernel);
	}
	_exit(failed || write(fd, batch, length) != (ssize_t)length);
}

static double through_pipe(void)
{
	size_t left = PAIRS * (sizeof(call) + sizeof(kernel));
	static char batch[BATCH];
	double begin = now();
	ssize_t length = 1;
	int fds[2], status;
	pid_t pid;

	if (pipe(fds))
		return INFINITY;
	pid = fork();
	if (!pid)
		write_pipe(fds[1]);
	close(fds[1]);
	while (left && length > 0) {
		length = read(fds[0], batch, sizeof(batch));
		left -= length > 0 ? (size_t)length : 0;
	}
	close(fds[0]);
	waitpid(pid, &status, 0);
	return left ? INFINITY : (now() - begin) / (2 * PAIRS);
}

int main(void)
{
	char ours[24], theirs[24];
	double best = INFINITY, of_pipe = INFINITY;

	for (int i = 0; i < ROUNDS; i++) {
		best = fmin(best, channel());
		of_pipe = fmin(of_pipe, through_pipe());
	}
	snprintf(ours, sizeof(ours), "%.0f ns", best);
	snprintf(theirs, sizeof(theirs), "%.0f ns", of_pipe);
	bench_row("channel: a record to its reader, beside a pipe", ours, theirs, best / of_pipe, 0);
	bench_row("channel: a record to its reader, beside 2 M records/s", ours, "500 ns", best / GOAL_NS, 1);
	return isinf(best) || isinf(of_pipe);
}
