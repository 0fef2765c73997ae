// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "run/control.h"

static void die_syntax(const char *text)
{
	die("--control %s: expected fd:CTL[,ACK] or fifo:CTL[,ACK]", text);
}

/* perf opens both ends, so that no open waits for the other program and no end is missed. */
static int open_fifo(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct stat stat;

	if (fd < 0)
		die("--control: %s: %s%s", path, strerror(errno),
		    errno == ENOENT ? ": make it with mkfifo" : "");
	if (fstat(fd, &stat) || !S_ISFIFO(stat.st_mode))
		die("--control: %s is no FIFO: make it with mkfifo", path);
	return fd;
}

static int parse_fd(const char *text, const char *number)
{
	char *end;
	long fd;

	errno = 0;
	fd = strtol(number, &end, 10);
	if (end == number || *end || errno || fd < 0 || fd > INT_MAX)
		die_syntax(text);
	if (fcntl((int)fd, F_GETFD) < 0)
		die("--control: file descriptor %ld is not open", fd);
	return (int)fd;
}

void control_open(struct control *control, const char *text)
{
	const char *names = strchr(text, ':');
	char *first, *second;

	*control = (struct control){ .ack = -1 };
	control->is_own = !strncmp(text, "fifo:", strlen("fifo:"));
	if (!control->is_own && strncmp(text, "fd:", strlen("fd:")) != 0)
		die_syntax(text);
	first = need_memory(strdup(names + 1));
	second = strchr(first, ',');
	if (second)
		*second++ = '\0';
	if (!*first || (second && !*second))
		die_syntax(text);
	control->fd = control->is_own ? open_fifo(first) : parse_fd(text, first);
	if (second)
		control->ack = control->is_own ? open_fifo(second) : parse_fd(text, second);
	free(first);
}

void control_close(struct control *control)
{
	if (control->is_own && control->fd >= 0)
		close(control->fd);
	if (control->is_own && control->ack >= 0)
		close(control->ack);
	control->fd = control->ack = -1;
}

/*
 * As in perf, a command ends at a newline, a NUL, or where nothing follows it: a write of one command
 * to a pipe is not split.
 */
void control_read(struct control *control)
{
	size_t room;
	ssize_t n;

	control->length -= control->begin;
	memmove(control->text, control->text + control->begin, control->length);
	control->begin = 0;
	room = sizeof(control->text) - 1 - control->length;
	n = read(control->fd, control->text + control->length, room);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		if (n < 0)
			warn("--control: %s; commands are no longer read", strerror(errno));
		control_close(control);
		return;
	}
	control->length += (size_t)n;
	/* Otherwise the rest of the last command follows in the next read. */
	if ((size_t)n < room && control->text[control->length - 1] != '\n')
		control->text[control->length++] = '\n';
}

/* The length of the next command, which has an end; SIZE_MAX: there is none */
static size_t next_length(const struct control *control)
{
	for (size_t i = control->begin; i < control->length; i++)
		if (control->text[i] == '\n' || !control->text[i])
			return i - control->begin;
	return control->length - control->begin == sizeof(control->text) - 1 ?
	       control->length - control->begin : SIZE_MAX;
}

enum control_command control_next(struct control *control)
{
	static const char *const names[] = {
		[CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable",
		[CONTROL_PING] = "ping", [CONTROL_STOP] = "stop",
	};
	size_t length;

	while ((length = next_length(control)) != SIZE_MAX) {
		const char *text = control->text + control->begin;

		control->begin += length + (control->begin + length < control->length);
		for (size_t i = CONTROL_ENABLE; i <= CONTROL_STOP; i++)
			if (length == strlen(names[i]) && !strncmp(text, names[i], length))
				return (enum control_command)i;
		if (length)
			warn("--control: unknown command \"%.*s\": expected enable, disable, ping "
			     "or stop", (int)(length < 64 ? length : 64), text);
	}
	return CONTROL_NONE;
}

/* A reader that has closed its end must not end gpmu by SIGPIPE. */
void control_ack(const struct control *control)
{
	static const char text[] = "ack\n";
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;

	if (control->ack < 0)
		return;
	sigaction(SIGPIPE, &ignore, &before);
	if (write(control->ack, text, strlen(text)) != (ssize_t)strlen(text))
		warn("--control: \"ack\" cannot be written: %s", strerror(errno));
	sigaction(SIGPIPE, &before, NULL);
}
