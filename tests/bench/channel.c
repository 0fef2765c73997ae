// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * channel: the cost of a record from a process to its reader through a channel, beside a pipe that passes the same bytes
 * in writes of 64 KiB. The records are those of a launch, a call and a kernel. Both readers take each record by itself, and
 * both ends of a channel sleep for a millisecond where gpmu record does. The two are compared by the CPU time of both
 * processes, because the elapsed time depends on what else runs on the processors.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "trace/channel/channel.h"

#define PAIRS		4000000	/* so many that the page faults of the fresh ring hardly count */
#define RING		(8u << 20)
#define ROUNDS		3
#define BATCH		65536
#define WAIT		1	/* ms; as in recorder_channels.c */
#define GOAL_NS		500.0	/* 2 M records/s */

/* ns of a record */
struct cost {
	double cpu, elapsed;
};

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

/* CPU time of this process, or of its children that have been waited for */
static double cpu_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
	       ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3;
}

static struct cost begin_cost(void)
{
	return (struct cost){ cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN), now() };
}

/* Waits for the writer. Returns infinite costs if it or the reader has failed. */
static struct cost end_cost(pid_t pid, bool is_all_read, struct cost begin)
{
	const double elapsed = now() - begin.elapsed;
	int status = -1;

	waitpid(pid, &status, 0);
	if (!is_all_read || status)
		return (struct cost){ INFINITY, INFINITY };
	return (struct cost){
		(cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN) - begin.cpu) / (2 * PAIRS), elapsed / (2 * PAIRS),
	};
}

static void keep_best(struct cost *best, struct cost cost)
{
	best->cpu = fmin(best->cpu, cost.cpu);
	best->elapsed = fmin(best->elapsed, cost.elapsed);
}

static void put(struct channel_writer *writer, const struct activity_head *record)
{
	while (channel_write(writer, record) == -EAGAIN)
		poll(NULL, 0, WAIT);
}

static _Noreturn void write_channel(struct channel_writer *writer)
{
	for (size_t i = 0; i < PAIRS; i++) {
		put(writer, &call.head);
		put(writer, &kernel.work.head);
	}
	_exit(0);
}

static struct cost through_channel(void)
{
	const struct activity_head *record;
	int ret = 0, fd;
	struct channel_writer *writer = channel_writer_new(RING, &fd);
	struct channel_reader *reader = writer ? channel_reader_new(fd) : NULL;
	const struct cost begin = begin_cost();
	size_t left = 2 * PAIRS;
	pid_t pid;

	if (!reader)
		return (struct cost){ INFINITY, INFINITY };
	pid = fork();
	if (!pid)
		write_channel(writer);
	channel_writer_forget(writer);
	while (left && ret >= 0) {
		ret = channel_read(reader, &record);
		left -= ret > 0;
		if (!ret)
			poll(NULL, 0, WAIT);
	}
	channel_reader_free(reader);
	return end_cost(pid, !left, begin);
}

static void write_pipe(int fd)
{
	static char batch[BATCH];
	size_t length = 0;
	bool has_failed = false;

	for (size_t i = 0; i < PAIRS; i++) {
		if (BATCH - length < sizeof(call) + sizeof(kernel)) {
			has_failed = has_failed || write(fd, batch, length) != (ssize_t)length;
			length = 0;
		}
		memcpy(batch + length, &call, sizeof(call));
		memcpy(batch + length + sizeof(call), &kernel, sizeof(kernel));
		length += sizeof(call) + sizeof(kernel);
	}
	_exit(has_failed || write(fd, batch, length) != (ssize_t)length);
}

/* Returns the number of whole, valid records in a batch, and moves the rest to its begin. */
static size_t take_records(char *batch, size_t *length)
{
	size_t n = 0, pos = 0;

	while (*length - pos >= sizeof(struct activity_head)) {
		const struct activity_head *record = (const struct activity_head *)(const void *)(batch + pos);

		if (record->size > *length - pos || !activity_is_valid(record))
			break;
		pos += record->size;
		n++;
	}
	*length -= pos;
	memmove(batch, batch + pos, *length);
	return n;
}

static struct cost through_pipe(void)
{
	_Alignas(8) static char batch[BATCH];
	size_t left = 2 * PAIRS, length = 0;
	const struct cost begin = begin_cost();
	ssize_t n = 1;
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return (struct cost){ INFINITY, INFINITY };
	pid = fork();
	if (!pid)
		write_pipe(fds[1]);
	close(fds[1]);
	while (left && n > 0) {
		n = read(fds[0], batch + length, sizeof(batch) - length);
		length += n > 0 ? (size_t)n : 0;
		left -= take_records(batch, &length);
	}
	close(fds[0]);
	return end_cost(pid, !left, begin);
}

static void show(const char *what, double ours, double theirs, double goal)
{
	char first[24], second[24];

	snprintf(first, sizeof(first), "%.1f ns", ours);
	snprintf(second, sizeof(second), "%.1f ns", theirs);
	bench_row(what, first, second, ours / theirs, goal);
}

int main(void)
{
	struct cost ours = { INFINITY, INFINITY }, theirs = ours;

	for (int i = 0; i < ROUNDS; i++) {
		keep_best(&ours, through_channel());
		keep_best(&theirs, through_pipe());
	}
	show("channel: CPU of a record to its reader, beside a pipe", ours.cpu, theirs.cpu, 1);
	show("channel: time of a record to its reader, beside a pipe", ours.elapsed, theirs.elapsed, 0);
	show("channel: a record to its reader, beside 2 M records/s", ours.elapsed, GOAL_NS, 1);
	return isinf(ours.cpu) || isinf(theirs.cpu);
}
