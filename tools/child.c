// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "gpmu.h"

/* In the new process: waits to be let go */
static void __attribute__((noreturn)) be_child(int go, int failed, char *const *argv,
					       const sigset_t *mask)
{
	ssize_t n;
	char byte;
	int error;

	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	/* gpmu is gone, or will not count */
	if (n != 1)
		_exit(EXIT_OWN);
	sigprocmask(SIG_SETMASK, mask, NULL);
	gpmu_session_restore_limits();
	execvp(argv[0], argv);
	error = errno;
	/* Should it not arrive, the exit status tells all the same. */
	n = write(failed, &error, sizeof(error));
	(void)n;
	_exit(child_failed_status(-error));
}

static int close_pair(const int *pair, int error)
{
	close(pair[0]);
	close(pair[1]);
	return error;
}

int child_start(struct child *child, char *const *argv, const sigset_t *mask)
{
	int go[2], failed[2];
	pid_t pid;

	*child = (struct child){ 0 };
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC))
		return close_pair(go, -errno);
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		int error = -errno;

		close_pair(failed, 0);
		return close_pair(go, error);
	}
	if (!pid) {
		close(go[1]);
		close(failed[0]);
		be_child(go[0], failed[1], argv, mask);
	}
	close(go[0]);
	close(failed[1]);
	*child = (struct child){ .pid = pid, .go = go[1], .failed = failed[0] };
	return 0;
}

static void close_once(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The errno that it sends if it cannot be executed */
static int read_failure(int fd)
{
	ssize_t n;
	int error;

	do
		n = read(fd, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? -error : 0;
}

int child_go(struct child *child)
{
	struct sigaction old, ignore = { .sa_handler = SIG_IGN };
	struct child_end end;
	int error = 0;

	/* If it was killed meanwhile, child_wait() tells, not SIGPIPE. */
	sigaction(SIGPIPE, &ignore, &old);
	if (write(child->go, "", 1) == 1)
		error = read_failure(child->failed);
	sigaction(SIGPIPE, &old, NULL);
	close_once(&child->go);
	close_once(&child->failed);
	if (error)
		child_wait(child, true, &end);
	return error;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

int child_wait(struct child *child, bool block, struct child_end *end)
{
	struct rusage usage;
	pid_t pid;

	do
		pid = wait4(child->pid, &end->status, block ? 0 : WNOHANG, &usage);
	while (pid < 0 && errno == EINTR);
	if (pid <= 0)
		return pid ? -errno : 0;
	end->user = ns_of(usage.ru_utime);
	end->system = ns_of(usage.ru_stime);
	child->pid = 0;
	return 1;
}

void child_release(struct child *child)
{
	struct child_end end;

	if (!child->pid)
		return;
	close_once(&child->go);
	close_once(&child->failed);
	child_wait(child, true, &end);
}

int child_exit_status(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_failed_status(int error)
{
	return error == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
