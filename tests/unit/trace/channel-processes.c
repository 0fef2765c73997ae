// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Channels between processes: a writer that is killed, that runs at full speed, that forks, or
 * that has no room
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "channel-test.h"

#define ROUNDS	20
#define LONG	100000

/* The number of records committed by the child, in shared memory so that it outlives the child */
static uint64_t *committed;

static void write_for_ever(uint64_t most)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	uint64_t number = 0;

	if (!writer)
		_exit(1);
	while (number < most) {
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

static struct channel_reader *wait_for_file(void)
{
	struct channel_reader *reader = NULL;

	for (int i = 0; i < 5000 && !reader; i++) {
		reader = read_only_one();
		if (!reader)
			poll(NULL, 0, 1);
	}
	if (!reader)
		abort();
	return reader;
}

static void killed(void)
{
	unsigned int whole = 0, ended = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct channel_reader *reader;
		uint64_t next = 0;
		pid_t pid;

		*committed = 0;
		pid = fork();
		if (!pid)
			write_for_ever(UINT64_MAX);
		reader = wait_for_file();
		for (int i = 0; i < round * 20; i++)
			next = read_numbers(reader, next);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ended += channel_has_ended(reader) && !channel_is_closed(reader);
		next = read_numbers(reader, next);
		/* The child can die between a record and its count. */
		whole += next == *committed || next == *committed + 1;
		channel_reader_free(reader);
		empty_folder();
	}
	is_u64(ended, ROUNDS, "channel: a killed writer has ended without closing the channel");
	is_u64(whole, ROUNDS, "channel: all records committed by a killed writer are read");
}

static void fast(void)
{
	struct channel_reader *reader;
	uint64_t next = 0;
	int status = -1;
	pid_t pid;

	*committed = 0;
	pid = fork();
	if (!pid)
		write_for_ever(LONG);
	reader = wait_for_file();
	while (!channel_has_ended(reader))
		next = read_numbers(reader, next);
	next = read_numbers(reader, next);
	waitpid(pid, &status, 0);
	ok(!status && channel_is_closed(reader),
	   "channel: a fast writer writes all records and closes the channel");
	is_u64(next, LONG, "channel: a concurrent reader gets each record of a fast writer");
	channel_reader_free(reader);
	empty_folder();
}

static void forks(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING), *own;
	struct channel_reader *reader = read_only_one();
	int status = -1, go[2];
	char paths[3][PATH_MAX];
	pid_t pid;

	if (pipe(go))
		abort();
	write_number(writer, 0);
	pid = fork();
	if (!pid) {
		channel_writer_forget(writer);
		own = channel_writer_new(folder, RING);
		_exit(!own || write_number(own, 0) || write(go[1], "", 1) != 1 ||
		      poll(NULL, 0, 20000));
	}
	if (read(go[0], &(char){ 0 }, 1) != 1)
		abort();
	is_u64(files(paths, 3, false), 2,
	       "channel: a child that forgets its parent's file makes its own");
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
	empty_folder();
}

/* Daemons close all descriptors, also those they did not open, and the number is then reused. */
static void closes_all(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	int own[16], status = -1;
	pid_t pid;

	/* All but the reader's descriptor and the standard ones */
	for (int fd = 3; fd < 64; fd++) {
		char path[64], to[PATH_MAX] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, to, sizeof(to) - 1) > 0 && strstr(to, "deleted"))
			close(fd);
	}
	for (int i = 0; i < 16; i++)
		own[i] = open("/dev/null", O_RDONLY);
	ok(!channel_has_ended(reader),
	   "channel: a program that closes all files still has its channel");
	pid = fork();
	if (!pid) {
		int whole = 0;

		channel_writer_forget(writer);
		for (int i = 0; i < 16; i++)
			whole += fcntl(own[i], F_GETFD) >= 0;
		_exit(whole);
	}
	waitpid(pid, &status, 0);
	is_u64((uint64_t)WEXITSTATUS(status), 16,
	       "channel: a child keeps all of the program's own files");
	channel_writer_close(writer);
	for (int i = 0; i < 16; i++)
		close(own[i]);
	ok(channel_has_ended(reader),
	   "channel: the channel ends with the writer that closed all files");
	channel_reader_free(reader);
	empty_folder();
}

static void *write_some(void *writer)
{
	for (uint64_t i = 0; i < 20; i++)
		write_number(writer, i);
	return NULL;
}

static void threads(void)
{
	struct channel_writer *writer = channel_writer_new(folder, 1 << 16);
	struct channel_reader *reader = read_only_one();
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
	empty_folder();
}

/* A file size limit stands for a full file system. */
static void full(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RING, RING });
		signal(SIGXFSZ, SIG_IGN);
		_exit(channel_writer_new(folder, RING) || errno != EFBIG);
	}
	waitpid(pid, &status, 0);
	ok(!status && !files(NULL, 0, false),
	   "channel: a writer without room for its ring leaves no file");
}

static void *hold(void *control)
{
	channel_hold(control, channel_open_control(folder));
	__atomic_store_n(committed, 1, __ATOMIC_RELEASE);
	poll(NULL, 0, 20000);
	return NULL;
}

static void *hold_once(void *control)
{
	channel_hold(control, channel_open_control(folder));
	return NULL;
}

/* A killed reader cannot close the channel. */
static void reader_is_killed(void)
{
	const struct channel_control want = { .version = CHANNEL_VERSION, .size = sizeof(want), .ring = RING };
	struct channel_control *control;
	pthread_t thread;
	pid_t pid;

	channel_create_control(folder, &want);
	control = channel_map_control(folder);
	ok(channel_has_reader(control),
	   "channel: a reader that does not hold its control counts as present");
	*committed = 0;
	pid = fork();
	if (!pid) {
		if (pthread_create(&thread, NULL, hold, channel_map_control(folder)))
			_exit(1);
		poll(NULL, 0, 20000);
		_exit(1);
	}
	for (int i = 0; i < 5000 && !__atomic_load_n(committed, __ATOMIC_ACQUIRE); i++)
		poll(NULL, 0, 1);
	ok(control->holder && channel_has_reader(control),
	   "channel: a reader that holds its control is present");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(!channel_has_reader(control), "channel: a killed reader is detected");
	pthread_create(&thread, NULL, hold_once, control);
	pthread_join(thread, NULL);
	ok(!channel_has_reader(control),
	   "channel: a reader whose holding thread has ended is detected");
	channel_unmap_control(control);
	empty_folder();
}

int main(void)
{
	committed = mmap(NULL, sizeof(*committed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	make_folder();
	killed();
	fast();
	forks();
	closes_all();
	threads();
	full();
	reader_is_killed();
	remove_folder();
	return done_testing();
}
