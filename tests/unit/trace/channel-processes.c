// SPDX-License-Identifier: LGPL-2.1-or-later
/* Channels between processes: a writer that is killed, that runs at full speed, or that forks */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "channel-test.h"

#define ROUNDS	20
#define LONG	20000

/* The number of records committed by the child, in shared memory so that it outlives the child */
static uint64_t *committed;

static void write_for_ever(struct channel_writer *writer, uint64_t max)
{
	uint64_t number = 0;

	while (number < max) {
		int ret = write_number(writer, number);

		if (ret == -EAGAIN) {
			sched_yield();
			continue;
		}
		if (ret)
			_exit(1);
		__atomic_store_n(committed, ++number, __ATOMIC_RELEASE);
	}
	channel_writer_close(writer);
	_exit(0);
}

/* Starts a process that writes @max numbers. */
static pid_t start_writer(uint64_t max, struct channel_reader **reader)
{
	struct channel_writer *writer = open_both(RING, reader);
	pid_t pid;

	*committed = 0;
	pid = fork();
	if (!pid)
		write_for_ever(writer, max);
	channel_writer_forget(writer);
	return pid;
}

static void killed(void)
{
	unsigned int whole = 0, ended = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct channel_reader *reader;
		uint64_t next = 0;
		const pid_t pid = start_writer(UINT64_MAX, &reader);

		for (int i = 0; i < round * 20; i++)
			next = read_numbers(reader, next);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ended += channel_has_ended(reader) && !channel_is_closed(reader);
		next = read_numbers(reader, next);
		/* The child can die between a record and its count. */
		whole += next == *committed || next == *committed + 1;
		channel_reader_free(reader);
	}
	is_u64(ended, ROUNDS, "channel: a killed writer has ended without closing the channel");
	is_u64(whole, ROUNDS, "channel: all records committed by a killed writer are read");
}

static void fast(void)
{
	struct channel_reader *reader;
	const pid_t pid = start_writer(LONG, &reader);
	uint64_t next = 0;
	int status = -1;

	while (!channel_has_ended(reader))
		next = read_numbers(reader, next);
	next = read_numbers(reader, next);
	waitpid(pid, &status, 0);
	ok(!status && channel_is_closed(reader),
	   "channel: a fast writer writes all records and closes the channel");
	is_u64(next, LONG, "channel: a concurrent reader gets each record of a fast writer");
	channel_reader_free(reader);
}

static void forks(void)
{
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader), *own;
	int status = -1, go[2], fd;
	pid_t pid;

	if (pipe(go))
		abort();
	write_number(writer, 0);
	pid = fork();
	if (!pid) {
		channel_writer_forget(writer);
		own = channel_writer_new(RING, &fd);
		_exit(!own || write_number(own, 0) || write(go[1], "", 1) != 1 ||
		      poll(NULL, 0, 600000));
	}
	if (read(go[0], &(char){ 0 }, 1) != 1)
		abort();
	ok(!write_number(writer, 1) && read_numbers(reader, 0) == 2,
	   "channel: a fork leaves the parent's channel unchanged");
	channel_writer_close(writer);
	ok(channel_has_ended(reader),
	   "channel: the channel ends with the parent though the child lives");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	channel_reader_free(reader);
	close(go[0]);
	close(go[1]);
}

/* Daemons close all descriptors, also those they did not open. */
static void close_all_and_wait(void)
{
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	__atomic_store_n(committed, 1, __ATOMIC_RELEASE);
	poll(NULL, 0, 600000);
	_exit(0);
}

static void closes_all(void)
{
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader);
	pid_t pid;

	*committed = 0;
	pid = fork();
	if (!pid)
		close_all_and_wait();
	channel_writer_forget(writer);
	for (int i = 0; i < 600000 && !__atomic_load_n(committed, __ATOMIC_ACQUIRE); i++)
		poll(NULL, 0, 1);
	ok(!channel_has_ended(reader),
	   "channel: a program that closes all files still has its channel");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(channel_has_ended(reader),
	   "channel: the channel ends with the writer that closed all files");
	channel_reader_free(reader);
}

static void *write_some(void *writer)
{
	for (uint64_t i = 0; i < 20; i++)
		write_number(writer, i);
	return NULL;
}

static void threads(void)
{
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(1 << 16, &reader);
	const struct activity_head *record;
	unsigned int seen[20] = { 0 }, whole = 0;
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, write_some, writer);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	while (channel_read(reader, &record) == 1) {
		uint64_t number = ((const struct activity_note *)record)->time;

		whole += number < 20 && is_number(record, number) && seen[number]++ < 8;
	}
	is_u64(whole, 160, "channel: records of eight threads are whole");
	channel_writer_close(writer);
	channel_reader_free(reader);
}

static void *hold(void *control)
{
	channel_hold(control);
	__atomic_store_n(committed, 1, __ATOMIC_RELEASE);
	poll(NULL, 0, 600000);
	return NULL;
}

static void *hold_once(void *control)
{
	channel_hold(control);
	return NULL;
}

/* A killed reader cannot close the channel. */
static void reader_is_killed(void)
{
	const struct channel_control want = { .version = CHANNEL_VERSION, .size = sizeof(want), .ring = RING };
	struct channel_control *own, *control;
	pthread_t thread;
	pid_t pid;
	int fd = channel_create_control(&want, &own);

	control = channel_map_control(fd);
	close(fd);
	ok(channel_has_reader(control),
	   "channel: a reader that does not hold its control counts as present");
	*committed = 0;
	pid = fork();
	if (!pid) {
		if (pthread_create(&thread, NULL, hold, own))
			_exit(1);
		poll(NULL, 0, 600000);
		_exit(1);
	}
	for (int i = 0; i < 600000 && !__atomic_load_n(committed, __ATOMIC_ACQUIRE); i++)
		poll(NULL, 0, 1);
	ok(control->holder && channel_has_reader(control),
	   "channel: a reader that holds its control is present");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(!channel_has_reader(control), "channel: a killed reader is detected");
	pthread_create(&thread, NULL, hold_once, own);
	pthread_join(thread, NULL);
	ok(!channel_has_reader(control),
	   "channel: a reader whose holding thread has ended is detected");
	channel_unmap_control(control);
	channel_unmap_control(own);
}

int main(void)
{
	committed = mmap(NULL, sizeof(*committed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	killed();
	fast();
	forks();
	closes_all();
	threads();
	reader_is_killed();
	return done_testing();
}
