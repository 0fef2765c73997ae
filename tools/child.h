/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that is counted: a process that waits until its counters are open. */
#ifndef GPMU_CHILD_H
#define GPMU_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;	/* 0: none */
	int go;		/* a byte lets it execute the command; closed: it exits */
	int failed;	/* errno of execvp(), or the end of the file once it executes */
	void *stack;	/* that it has until then */
	size_t stack_size;
	struct sigaction on_end;	/* of SIGCHLD, before */
};

struct child_end {
	int status;		/* of wait4() */
	uint64_t user, system;	/* ns */
};

/*
 * Starts it; @environment NULL: that of gpmu; @mask are the signals that the command has blocked.
 * 0 or -errno
 */
int child_start(struct child *child, char *const *argv, char *const *environment,
		const sigset_t *mask);
/* It executes: 0. -errno: it cannot, and is gone */
int child_go(struct child *child);
/* 1: it has ended; 0: not yet, if that is not to be waited for; -errno */
int child_wait(struct child *child, bool block, struct child_end *end);

/* The exit status of gpmu for that of wait4(), and for an error of child_go() */
int child_exit_status(int status);
int child_failed_status(int error);

#endif /* GPMU_CHILD_H */
