// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The main thread blocks the signals that end a run, so that threads of plugins, which inherit its
 * mask, do not take them. A signal does not interrupt its read() then, so another thread takes the signals.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "message.h"
#include "output/unfinished.h"
#include "run/early_end.h"

static struct {
	pthread_t thread;
	bool is_started;
	int signals, stop;	/* file descriptors */
} early;

/* Ends gpmu as the signal would if it were not blocked, or with its default action. */
static void end_by(int number)
{
	struct sigaction action;
	sigset_t set;

	/* A background job of a script ignores SIGINT, which still ends a run. */
	if (!sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN)
		unfinished_end_by(number);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), number);
}

static void *wait_for_signal(void *unused)
{
	struct pollfd fds[] = {
		{ .fd = early.stop, .events = POLLIN }, { .fd = early.signals, .events = POLLIN },
	};
	struct signalfd_siginfo info;

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	/* The run handles a signal that arrives when it begins. */
	if (fds[0].revents || read(early.signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return unused;
	end_by((int)info.ssi_signo);
	return unused;
}

void early_end_start(const sigset_t *set)
{
	int ret;

	early.signals = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	early.stop = eventfd(0, EFD_CLOEXEC);
	if (early.signals < 0 || early.stop < 0)
		die("cannot wait for signals: %s", strerror(errno));
	ret = pthread_create(&early.thread, NULL, wait_for_signal, NULL);
	if (ret)
		die("cannot wait for signals: %s", strerror(ret));
	early.is_started = true;
}

void early_end_stop(void)
{
	if (!early.is_started)
		return;
	early.is_started = false;
	eventfd_write(early.stop, 1);
	pthread_join(early.thread, NULL);
	close(early.signals);
	close(early.stop);
}
