// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connections of processes to the reader, and the messages that they send */
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "channel-test.h"

#define OTHER_USER	65534

static const struct channel_control settings = {
	.version = CHANNEL_VERSION, .size = sizeof(settings), .ring = RING,
};
static char name[CHANNEL_NAME];
static int listener, page;	/* the reader's socket and control page */
static time_t skipped;		/* seconds by which the clock advances with each look at it */

int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
	static time_t ahead;
	int ret = __real_clock_gettime(id, time);

	ahead += skipped;
	time->tv_sec += ahead;
	return ret;
}

/* Listens without a door. */
static int listen_only(char own_name[CHANNEL_NAME])
{
	int door[2], fd = channel_listen(own_name, door);

	if (fd < 0 || door[0] < 0)
		abort();
	close(door[0]);
	close(door[1]);
	return fd;
}

/* Runs a process. Its exit status is 0 if @run returns true. */
static pid_t start(bool (*run)(void))
{
	pid_t pid = fork();

	if (!pid)
		_exit(!run());
	return pid;
}

static bool succeeds(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid && !status;
}

/* Waits for a process to connect. */
static int accept_process(void)
{
	struct pollfd wait = { .fd = listener, .events = POLLIN };

	poll(&wait, 1, -1);
	return channel_accept(listener, page);
}

/* Waits for a message. Returns the result of channel_receive(). */
static int receive(int connection, struct channel_message *message, int *fd)
{
	struct pollfd wait = { .fd = connection, .events = POLLIN };
	int ret = channel_receive(connection, message, fd);

	while (ret == -EAGAIN) {
		poll(&wait, 1, -1);
		ret = channel_receive(connection, message, fd);
	}
	return ret;
}

/* --- a process with a channel */

static bool send_ring(void)
{
	int connection;
	struct channel_control *control = channel_connect(name, "CUDA", &connection);
	struct channel_writer *writer = control ? channel_writer_send(connection, control->ring, "CUDA") : NULL;

	close(connection);
	return writer && !write_number(writer, 0);
}

static void rings(void)
{
	const pid_t pid = start(send_ring);
	struct channel_message message = { 0 };
	struct channel_reader *reader;
	int connection = accept_process(), fd = -1;

	ok(connection >= 0 && receive(connection, &message, &fd) == 1 && message.kind == CHANNEL_RING && fd >= 0,
	   "channel socket: a process that connects sends the file of its channel");
	is_u64((uint64_t)channel_peer(connection), (uint64_t)pid, "channel socket: the kernel names the process that has connected");
	ok(succeeds(pid), "channel socket: a process writes to its channel before the reader has received it");
	reader = channel_reader_new(fd);
	ok(reader && read_numbers(reader, 0) == 1 && channel_has_ended(reader),
	   "channel socket: the records of a process that has ended since are read");
	if (reader)
		channel_reader_free(reader);
	ok(!receive(connection, &message, &fd) && fd < 0, "channel socket: the end of a process ends its connection");
	close(connection);
}

static bool send_failure(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RING, RING });
	return !send_ring() && errno == EFBIG;
}

static void failures(void)
{
	const pid_t pid = start(send_failure);
	struct channel_message message = { 0 };
	int connection = accept_process(), fd;
	char text[160];

	snprintf(text, sizeof(text), "CUDA of process %d (%.16s) cannot be recorded: File too large; raise ulimit -f", (int)pid,
		 program_invocation_short_name);
	ok(receive(connection, &message, &fd) == 1 && message.kind == CHANNEL_FAILURE && fd < 0 && succeeds(pid),
	   "channel socket: a process that has no channel sends a message");
	is_str(message.text, text, "channel socket: a process sends the reason why it has no channel");
	close(connection);
}

static bool announce(void)
{
	channel_announce(name);
	return true;
}

static void announcements(void)
{
	struct channel_message message = { 0 };
	int connection, fd;

	ok(succeeds(start(announce)), "channel socket: a process that announces itself does not wait for the reader");
	connection = accept_process();
	ok(receive(connection, &message, &fd) == 1 && message.kind == CHANNEL_LOADED && fd < 0,
	   "channel socket: the announcement of a process that has ended is received");
	close(connection);
}

static bool leave(void)
{
	int connection;

	return channel_connect(name, "CUDA", &connection) != NULL;
}

static void leavers(void)
{
	struct channel_message message = { 0 };
	const pid_t pid = start(leave);
	int connection = accept_process(), fd;

	ok(!receive(connection, &message, &fd) && succeeds(pid),
	   "channel socket: a process that ends without a message ends its connection");
	close(connection);
}

/* --- no reader */

static bool is_refused(const char *to, int error)
{
	int connection;

	errno = 0;
	return !channel_connect(to, "CUDA", &connection) && errno == error;
}

static bool gives_up(void)
{
	skipped = 6;
	return is_refused(name, ETIMEDOUT);
}

static bool is_reset(void)
{
	/* Inherited by fork(), it would keep the reader's socket open. */
	close(listener);
	return is_refused(name, ECONNRESET);
}

static void no_reader(void)
{
	char long_name[200];
	struct channel_message message = { 0 };
	int connection, fd;
	pid_t pid;

	memset(long_name, 'a', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	ok(is_refused("gpmu-none", ECONNREFUSED), "channel socket: a process without a reader does not wait");
	ok(is_refused(long_name, ENAMETOOLONG), "channel socket: a name that is too long is refused");
	ok(succeeds(start(gives_up)), "channel socket: a process gives up if the reader does not answer");
	connection = accept_process();
	ok(receive(connection, &message, &fd) == 1 && message.kind == CHANNEL_FAILURE &&
	   strstr(message.text, "gpmu did not answer in time"),
	   "channel socket: a process that has given up sends the reason");
	close(connection);
	pid = start(is_reset);
	poll(&(struct pollfd){ .fd = listener, .events = POLLIN }, 1, -1);
	close(listener);
	ok(succeeds(pid), "channel socket: the end of the reader ends a process's wait");
	listener = listen_only(name);
}

/* --- the door */

static char door_name[CHANNEL_NAME];
static int door[2];

static bool send_ring_by_door(void)
{
	memcpy(name, door_name, sizeof(name));
	return send_ring();
}

static bool is_refused_by_door(void)
{
	return is_refused(door_name, ECONNREFUSED);
}

/* The program has opened another file with the door's number. */
static bool is_refused_by_another(void)
{
	return dup2(listener, door[1]) == door[1] && is_refused_by_door();
}

/* Each other kind of message, with one end of a connection, through the door */
static bool is_kind_refused(void)
{
	int ends[2];
	char byte;

	for (int kind = 0; kind < CHANNEL_MESSAGES; kind++) {
		if (kind == CHANNEL_CONNECTION)
			continue;
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) ||
		    channel_send(door[1], (enum channel_message_kind)kind, ends[1], NULL))
			abort();
		close(ends[1]);
		/* The end is closed without a control page. */
		if (channel_admit(door[0], page) != -EBADMSG || recv(ends[0], &byte, 1, 0) != 0)
			return false;
		close(ends[0]);
	}
	return true;
}

static void doors(void)
{
	struct channel_message message = { 0 };
	int connection, fd;
	pid_t pid;

	/* In another network namespace the name is not known. */
	close(channel_listen(door_name, door));
	if (door[0] < 0)
		abort();
	is_u64((uint64_t)-channel_admit(door[0], page), EAGAIN, "channel socket: admitting fails with EAGAIN if no process has connected");
	pid = start(send_ring_by_door);
	poll(&(struct pollfd){ .fd = door[0], .events = POLLIN }, 1, -1);
	connection = channel_admit(door[0], page);
	ok(connection >= 0 && receive(connection, &message, &fd) == 1 && message.kind == CHANNEL_RING && fd >= 0 && succeeds(pid),
	   "channel socket: a process that does not find the name sends the file of its channel through the door");
	is_u64((uint64_t)channel_peer(connection), (uint64_t)pid, "channel socket: the kernel names the process that has connected through the door");
	close(fd);
	close(connection);
	ok(send(door[1], "", 1, 0) == 1 && channel_admit(door[0], page) == -EBADMSG,
	   "channel socket: anything else that is sent through the door is refused");
	ok(is_kind_refused(),
	   "channel socket: a message of another kind than a connection is refused at the door, and its descriptor is closed");
	ok(succeeds(start(is_refused_by_another)), "channel socket: a process sends nothing to another socket with the door's number");
	is_u64((uint64_t)-channel_admit(door[0], page), EAGAIN, "channel socket: a process that has closed the door sends nothing through it");
	close(door[0]);
	ok(succeeds(start(is_refused_by_door)), "channel socket: a process with the door does not wait for a reader that has ended");
	close(door[1]);
}

/* --- other messages */

/* Returns what channel_receive() does with @size bytes of @message. */
static int receive_raw(const void *message, size_t size)
{
	struct channel_message received = { 0 };
	int ends[2], fd, ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) ||
	    send(ends[0], message, size, 0) != (ssize_t)size)
		abort();
	ret = channel_receive(ends[1], &received, &fd);
	close(ends[0]);
	close(ends[1]);
	return ret;
}

static void damages(void)
{
	struct channel_message message = { .version = CHANNEL_VERSION, .kind = CHANNEL_FAILURE };

	is_u64((uint64_t)receive_raw(&message, sizeof(message)), 1, "channel socket: a message without a file is received");
	is_u64((uint64_t)-receive_raw(&message, sizeof(message) - 1), EBADMSG, "channel socket: a short message is refused");
	message.version++;
	is_u64((uint64_t)-receive_raw(&message, sizeof(message)), EBADMSG, "channel socket: a message of another version is refused");
	message.version--;
	message.kind = CHANNEL_MESSAGES;
	is_u64((uint64_t)-receive_raw(&message, sizeof(message)), EBADMSG, "channel socket: a message of an unknown kind is refused");
	message.kind = CHANNEL_FAILURE;
	memset(message.text, 'a', sizeof(message.text));
	is_u64((uint64_t)-receive_raw(&message, sizeof(message)), EBADMSG, "channel socket: a text without its end is refused");
}

static void no_files(void)
{
	struct rlimit limit, low;
	struct channel_message message = { 0 };
	int ends[2], fd;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) || getrlimit(RLIMIT_NOFILE, &limit))
		abort();
	channel_send(ends[0], CHANNEL_RING, page, NULL);
	low = limit;
	low.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &low);
	is_u64((uint64_t)-channel_receive(ends[1], &message, &fd), EMFILE,
	       "channel socket: a message is refused with EMFILE if no descriptor is free for its file");
	setrlimit(RLIMIT_NOFILE, &limit);
	close(ends[0]);
	close(ends[1]);
}

/* A process of another user listens, and the process connects as itself. */
static bool trusts_nobody_else(void)
{
	if (seteuid(0) || setgroups(0, NULL) || setresuid(OTHER_USER - 1, OTHER_USER - 1, OTHER_USER - 1))
		return false;
	return is_refused(name, EPERM);
}

static void users(void)
{
	const char *accepts = "channel socket: a connection of another user is refused";
	const char *connects = "channel socket: a process does not trust a reader of another user";
	pid_t pid;

	if (geteuid()) {
		printf("ok %u - %s # SKIP not root\n", ++tap_run, accepts);
		printf("ok %u - %s # SKIP not root\n", ++tap_run, connects);
		return;
	}
	/* A socket has the user who listened. */
	close(listener);
	if (seteuid(OTHER_USER))
		abort();
	listener = listen_only(name);
	pid = start(trusts_nobody_else);
	if (seteuid(0))
		abort();
	ok(accept_process() == -EPERM, "%s", accepts);
	ok(succeeds(pid), "%s", connects);
}

int main(void)
{
	char other[CHANNEL_NAME];
	struct channel_control *own;
	int second;

	page = channel_create_control(&settings, &own);
	listener = listen_only(name);
	second = listen_only(other);
	if (page < 0 || listener < 0 || second < 0)
		return 1;
	ok(strcmp(name, other), "channel socket: each reader has a name of its own");
	close(second);
	is_u64((uint64_t)-channel_accept(listener, page), EAGAIN, "channel socket: accepting fails with EAGAIN if no process has connected");
	rings();
	failures();
	announcements();
	leavers();
	no_reader();
	doors();
	damages();
	no_files();
	users();
	return done_testing();
}
