// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A second process, the guard, locks the clocks and resets them when its connection to gpmu closes, which the kernel does
 * however gpmu ends. gpmu itself could not reset them in a signal's handler: NVML is not async-signal-safe. The guard also
 * keeps the driver's state: without persistence mode the driver forgets a lock when its last client ends.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "gpmu.h"
#include "message.h"
#include "stat/stat_clocks.h"

static struct {
	pid_t pid;
	int fd;
} guard;

/* --- in the guard: it ends by _exit(), as functions of atexit() are gpmu's */

static void say_locked(const char *answer)
{
	json_t *object = json_loads(answer, 0, NULL), *gpu;
	size_t i;

	json_array_foreach(json_object_get(object, "gpus"), i, gpu)
		say("GPU %" JSON_INTEGER_FORMAT ": SM clock locked to %" JSON_INTEGER_FORMAT " MHz (%s)",
		    json_integer_value(json_object_get(gpu, "index")), json_integer_value(json_object_get(gpu, "mhz")),
		    json_string_value(json_object_get(gpu, "kind")));
	json_decref(object);
}

static struct gpmu_source *lock(unsigned int mhz)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *source = gpmu_source_new("nvml", &error);
	char question[32], *answer;

	snprintf(question, sizeof(question), mhz ? "clocks lock %u" : "clocks lock", mhz);
	if (!source || gpmu_source_query(source, question, &answer, &error)) {
		say("--lock-clocks: %s; without the option, -M GpuGpcFreq shows how fast the clock was", error.text);
		_exit(EXIT_OWN);
	}
	say_locked(answer);
	return source;
}

static void reset(struct gpmu_source *source)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char *answer;

	if (gpmu_source_query(source, "clocks reset", &answer, &error))
		warn("SM clocks may stay locked: %s; reset them by nvidia-smi --reset-gpu-clocks as root", error.text);
}

/* Signals of the terminal and of a process group must not end the guard before gpmu. */
static void ignore_signals(void)
{
	for (int number = 1; number < SIGRTMIN; number++)
		if (number != SIGCHLD)
			signal(number, SIG_IGN);
}

_Noreturn static void run_guard(int fd, unsigned int mhz)
{
	struct gpmu_source *source;
	char byte = 0;

	ignore_signals();
	source = lock(mhz);
	/* If gpmu has ended already, the next call returns at once. */
	send(fd, &byte, 1, MSG_NOSIGNAL);
	while (recv(fd, &byte, 1, 0) < 0 && errno == EINTR)
		;
	reset(source);
	_exit(0);
}

/* --- in gpmu */

/* The clocks are reset when this returns. */
static void end_guard(void)
{
	/* A command that has not been executed yet has a copy of the file. */
	shutdown(guard.fd, SHUT_RDWR);
	while (waitpid(guard.pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void start_guard(unsigned int mhz)
{
	int fds[2];
	sigset_t all, before;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		die("--lock-clocks: %s", strerror(errno));
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	guard.pid = fork();
	if (!guard.pid) {
		close(fds[0]);
		run_guard(fds[1], mhz);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (guard.pid < 0)
		die("--lock-clocks: %s", strerror(errno));
	close(fds[1]);
	guard.fd = fds[0];
}

void stat_clocks_lock(unsigned int mhz)
{
	ssize_t length;
	char byte;

	start_guard(mhz);
	if (atexit(end_guard))
		die_no_memory();
	do
		length = recv(guard.fd, &byte, 1, 0);
	while (length < 0 && errno == EINTR);
	/* The guard has printed the reason. */
	if (length != 1)
		exit(EXIT_OWN);
}
