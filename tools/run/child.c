// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "gpmu.h"
#include "run/child.h"

#define STACK	(256u << 10)	/* for execvp(), which keeps a path and the arguments' pointers there */

struct start {
	int go[2], failed[2];
	char *const *argv, *const *environment;
	const sigset_t *mask;
};

/*
 * Runs in the new process until child_go() lets it execute. It shares gpmu's memory
 * (CLONE_VM), because copying the page tables takes longer than all of gpmu's start. It
 * therefore has a stack of its own, and changes nothing but errno: child_go() waits until it
 * has executed. AddressSanitizer mistakes that stack for the thread's.
 */
__attribute__((no_sanitize_address)) static int be_child(void *argument)
{
	const struct start *start = argument;
	ssize_t n;
	char byte;
	int error;

	close(start->go[1]);
	close(start->failed[0]);
	do
		n = read(start->go[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	/* End of file: gpmu has ended, or will not count. */
	if (n != 1)
		_exit(EXIT_OWN);
	sigprocmask(SIG_SETMASK, start->mask, NULL);
	gpmu_session_restore_limits();
	/* environ is read only now, because plugins hide variables from it for a while. */
	execvpe(start->argv[0], start->argv, start->environment ? start->environment : environ);
	error = errno;
	/* If the write fails, the exit status still reports the error. */
	n = write(start->failed[1], &error, sizeof(error));
	(void)n;
	_exit(child_failed_status(-error));
}

static size_t stack_size(char *const *argv)
{
	size_t n = 0;

	while (argv[n])
		n++;
	return STACK + n * sizeof(*argv);
}

/*
 * Returns a stack for a child, or MAP_FAILED with errno. The stack of the last child, which has executed or ended, is used again.
 * It stays mapped, because munmap(2) would interrupt the CPU on which the child began.
 */
static char *get_stack(size_t size)
{
	static char *stack;
	static size_t mapped;

	if (mapped >= size)
		return stack;
	if (mapped)
		munmap(stack, mapped);
	stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	mapped = stack == MAP_FAILED ? 0 : size;
	return stack;
}

/* Returns the process, or -errno. */
static pid_t start_process(const struct start *start)
{
	const size_t size = stack_size(start->argv);
	char *stack = get_stack(size);
	struct start *own;
	pid_t pid;

	if (stack == MAP_FAILED)
		return -errno;
	own = (struct start *)stack;
	*own = *start;
	pid = clone(be_child, stack + size / 16 * 16, CLONE_VM | SIGCHLD, own);
	return pid < 0 ? -errno : pid;
}

/*
 * With SIGCHLD ignored, wait4() would not report the child's end. The disposition is changed
 * only while the child exists: this child and later ones inherit the one that gpmu had.
 */
static void heed_end(struct child *child)
{
	const struct sigaction heed = { .sa_handler = SIG_DFL };

	sigaction(SIGCHLD, &heed, &child->on_end);
}

static int close_pair(const int *pair, int error)
{
	close(pair[0]);
	close(pair[1]);
	return error;
}

int child_start(struct child *child, char *const *argv, char *const *environment,
		const sigset_t *mask)
{
	struct start start = { .argv = argv, .environment = environment, .mask = mask };
	pid_t pid;

	*child = (struct child){ 0 };
	if (pipe2(start.go, O_CLOEXEC))
		return -errno;
	if (pipe2(start.failed, O_CLOEXEC))
		return close_pair(start.go, -errno);
	pid = start_process(&start);
	if (pid < 0) {
		close_pair(start.failed, 0);
		return close_pair(start.go, pid);
	}
	heed_end(child);
	close(start.go[0]);
	close(start.failed[1]);
	child->pid = pid;
	child->go = start.go[1];
	child->failed = start.failed[0];
	return 0;
}

static void close_once(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Returns the -errno that the child sends if it cannot execute the command, or 0. */
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

	/* If the child was killed, child_wait() reports it; SIGPIPE must not end gpmu. */
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

int child_wait(struct child *child, bool can_block, struct child_end *end)
{
	struct rusage usage;
	pid_t pid;

	do
		pid = wait4(child->pid, &end->status, can_block ? 0 : WNOHANG, &usage);
	while (pid < 0 && errno == EINTR);
	if (pid <= 0)
		return pid ? -errno : 0;
	end->user = ns_of(usage.ru_utime);
	end->system = ns_of(usage.ru_stime);
	child->pid = 0;
	sigaction(SIGCHLD, &child->on_end, NULL);
	return 1;
}

int child_exit_status(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_failed_status(int error)
{
	return error == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
