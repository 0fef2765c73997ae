// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages between the reader and the processes, each with the descriptor of a file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/raw_clock.h"
#include "trace/channel/channel_file.h"

#define DOOR_MIN	100	/* number of the inherited end of a door, above the ones that shells and scripts use */

/* A name in the abstract namespace begins with a NUL, and has none at its end. */
static int set_address(struct sockaddr_un *address, socklen_t *size, const char *name)
{
	const size_t length = strlen(name);

	if (length >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path + 1, name, length);
	*size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	return 0;
}

static int open_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* The other end's credentials; an invalid user on failure */
static struct ucred peer_of(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		peer = (struct ucred){ .uid = (uid_t)-1 };
	return peer;
}

static bool is_trusted(int fd)
{
	const uid_t user = peer_of(fd).uid;

	return user == geteuid() || !user;
}

/* --- the reader */

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) ? 0 : cookie;
}

/* Makes a door, or sets its descriptors to -1. */
static void open_door(int door[2])
{
	int ends[2], inherited;

	door[0] = door[1] = -1;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		return;
	inherited = fcntl(ends[1], F_DUPFD, DOOR_MIN);
	if (inherited < 0)
		inherited = fcntl(ends[1], F_DUPFD, STDERR_FILENO + 1);
	close(ends[1]);
	if (inherited >= 0 && cookie_of(inherited)) {
		door[0] = ends[0];
		door[1] = inherited;
		return;
	}
	close(ends[0]);
	if (inherited >= 0)
		close(inherited);
}

static void close_door(int door[2])
{
	for (int i = 0; i < 2; i++) {
		if (door[i] >= 0)
			close(door[i]);
		door[i] = -1;
	}
}

static int listen_to(const char *name)
{
	struct sockaddr_un address;
	socklen_t size;
	int ret = set_address(&address, &size, name), fd = ret ? ret : open_socket();

	if (fd < 0 || (!bind(fd, (const struct sockaddr *)&address, size) && !listen(fd, SOMAXCONN)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

int channel_listen(char name[CHANNEL_NAME], int door[2])
{
	uint64_t number;
	int fd;

	/* Another user cannot take an unknown name first. */
	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -errno;
	open_door(door);
	snprintf(name, CHANNEL_NAME, "gpmu-%016" PRIx64 "-%d-%" PRIx64, number, door[1],
		 door[1] < 0 ? 0 : cookie_of(door[1]));
	fd = listen_to(name);
	if (fd < 0)
		close_door(door);
	return fd;
}

/* Sends the control page to a process that has connected. Returns the connection or -EPERM. */
static int welcome(int fd, int control)
{
	if (!is_trusted(fd)) {
		close(fd);
		return -EPERM;
	}
	/* A process that only sent CHANNEL_LOADED may have ended. Any other process learns that no control page will come. */
	if (channel_send(fd, CHANNEL_CONTROL, control, NULL))
		shutdown(fd, SHUT_WR);
	return fd;
}

int channel_accept(int listener, int control)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	return fd < 0 ? -errno : welcome(fd, control);
}

int channel_admit(int door, int control)
{
	struct channel_message message = { 0 };
	int fd, ret = channel_receive(door, &message, &fd);

	if (ret < 0)
		return ret;
	if (fd >= 0 && message.kind == CHANNEL_CONNECTION)
		return welcome(fd, control);
	if (fd >= 0)
		close(fd);
	return -EBADMSG;
}

pid_t channel_peer(int connection)
{
	return peer_of(connection).pid;
}

/* --- both ends */

/* Ancillary data with one descriptor */
union ancillary {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int channel_send(int connection, enum channel_message_kind kind, int fd, const char *text)
{
	struct channel_message message = { .version = CHANNEL_VERSION, .kind = kind };
	struct iovec data = { &message, sizeof(message) };
	union ancillary ancillary = { .head = {
		.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
	} };
	struct msghdr header = { .msg_iov = &data, .msg_iovlen = 1 };

	if (text)
		snprintf(message.text, sizeof(message.text), "%s", text);
	if (fd >= 0) {
		header.msg_control = &ancillary;
		header.msg_controllen = sizeof(ancillary);
		memcpy(CMSG_DATA(&ancillary.head), &fd, sizeof(fd));
	}
	return sendmsg(connection, &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* Returns the bytes of a message. If the other end has closed without reading, an error precedes its last message. */
static ssize_t receive(int connection, struct msghdr *header)
{
	const size_t room = header->msg_controllen;
	ssize_t n;
	bool wants_retry;
	int resets = 0;

	do {
		header->msg_controllen = room;
		n = recvmsg(connection, header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		wants_retry = n < 0 && (errno == EINTR || (errno == ECONNRESET && !resets++));
	} while (wants_retry);
	return n;
}

int channel_receive(int connection, struct channel_message *message, int *fd)
{
	struct iovec data = { message, sizeof(*message) };
	union ancillary ancillary;
	/* Not CMSG_SPACE(), which has room for two descriptors */
	struct msghdr header = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &ancillary,
				 .msg_controllen = CMSG_LEN(sizeof(int)) };
	const struct cmsghdr *head;
	ssize_t n = receive(connection, &header);

	*fd = -1;
	if (n <= 0)
		return n && errno != ECONNRESET ? -errno : 0;
	head = CMSG_FIRSTHDR(&header);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	else if (header.msg_flags & MSG_CTRUNC)
		return -EMFILE;
	if (n == (ssize_t)sizeof(*message) && message->version == CHANNEL_VERSION && message->kind < CHANNEL_MESSAGES &&
	    memchr(message->text, '\0', sizeof(message->text)))
		return 1;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -EBADMSG;
}

/* --- the processes */

/* Returns the descriptor of the door, or -1. The program may have closed it and opened another file with its number. */
static int find_door(const char *name)
{
	uint64_t cookie;
	int fd;

	if (sscanf(name, "gpmu-%*16[0-9a-f]-%d-%" SCNx64, &fd, &cookie) != 2 || !cookie || cookie_of(fd) != cookie)
		return -1;
	return fd;
}

/* Connects by sending one end of a new connection through the door. */
static int connect_by_door(int door, uint64_t until)
{
	int ends[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		return -errno;
	while ((ret = channel_send(door, CHANNEL_CONNECTION, ends[1], NULL)) == -EAGAIN && raw_clock_now() < until)
		poll(NULL, 0, 1);
	close(ends[1]);
	if (!ret)
		return ends[0];
	close(ends[0]);
	return ret;
}

static int connect_by_name(const char *name, uint64_t until)
{
	struct sockaddr_un address;
	socklen_t size;
	int ret = set_address(&address, &size, name), fd = ret ? ret : open_socket();

	if (fd < 0)
		return fd;
	while (connect(fd, (const struct sockaddr *)&address, size)) {
		ret = -errno;
		if ((ret != -EAGAIN && ret != -EINTR) || raw_clock_now() >= until)
			break;
		ret = 0;
		poll(NULL, 0, 1);
	}
	/* After the reader's end, any user can take the name. A process of root connects to the gpmu of any user. */
	if (!ret && geteuid() && !is_trusted(fd))
		ret = -EPERM;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* Returns the connection or -errno. @until: when to give up if too many processes wait for the reader */
static int connect_until(const char *name, uint64_t until)
{
	int fd = connect_by_name(name, until), door = fd < 0 ? find_door(name) : -1, other;

	if (door < 0)
		return fd;
	/* The name is not known in another network namespace, and a sandbox can forbid it. */
	other = connect_by_door(door, until);
	return other < 0 ? fd : other;
}

/* Waits for the control page. Returns its descriptor or -errno. */
static int receive_control(int connection, uint64_t until)
{
	struct pollfd wait = { .fd = connection, .events = POLLIN };
	struct channel_message message = { 0 };
	int fd, ret;

	while ((ret = channel_receive(connection, &message, &fd)) == -EAGAIN) {
		const uint64_t now = raw_clock_now();

		if (now >= until)
			return -ETIMEDOUT;
		poll(&wait, 1, (int)((until - now) / 1000000) + 1);
	}
	if (ret <= 0)
		return ret ? ret : -ECONNRESET;
	return message.kind == CHANNEL_CONTROL && fd >= 0 ? fd : -EBADMSG;
}

static void send_failure(int connection, const char *what, int error)
{
	char text[sizeof(((struct channel_message *)0)->text)];

	snprintf(text, sizeof(text), "%s of process %d (%.16s) cannot be recorded: %s", what, (int)getpid(),
		 program_invocation_short_name, error == EBADMSG ? "its library belongs to another gpmu" :
		 error == ETIMEDOUT ? "gpmu did not answer in time" : error_text(error));
	channel_send(connection, CHANNEL_FAILURE, -1, text);
}

struct channel_control *channel_connect(const char *name, const char *what, int *connection)
{
	const uint64_t until = raw_clock_now() + CHANNEL_PATIENCE;
	struct channel_control *control = NULL;
	int fd, error;

	*connection = connect_until(name, until);
	if (*connection < 0) {
		errno = -*connection;
		return NULL;
	}
	fd = receive_control(*connection, until);
	if (fd >= 0) {
		control = channel_map_control(fd);
		error = errno;
		close(fd);
		if (control)
			return control;
		fd = -error;
	}
	send_failure(*connection, what, -fd);
	close(*connection);
	errno = -fd;
	return NULL;
}

struct channel_writer *channel_writer_send(int connection, uint64_t ring, const char *what)
{
	int fd, ret;
	struct channel_writer *writer = channel_writer_new(ring, &fd);

	if (!writer) {
		ret = errno;
		send_failure(connection, what, ret);
		errno = ret;
		return NULL;
	}
	ret = channel_send(connection, CHANNEL_RING, fd, NULL);
	close(fd);
	if (!ret)
		return writer;
	send_failure(connection, what, -ret);
	channel_writer_forget(writer);
	errno = -ret;
	return NULL;
}

void channel_announce(const char *name)
{
	int fd = connect_until(name, 0);

	if (fd < 0)
		return;
	channel_send(fd, CHANNEL_LOADED, -1, NULL);
	close(fd);
}
