/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that is counted: a process that waits until its counters are open. */
#ifndef GPMU_CHILD_H
#define GPMU_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;	/* 0: no child */
	int go;		/* a byte makes it execute the command, a close makes it exit */
	int failed;	/* errno of execvp(), or end of file once it executes */
	struct sigaction on_end;	/* of SIGCHLD, to be restored */
};

struct child_end {
	int status;		/* of wait4() */
	uint64_t user, system;	/* ns */
};

/*
 * Starts the process. @environment: NULL for gpmu's own. @mask: the command's blocked signals.
 * Returns 0 or -errno.
 */
int child_start(struct child *child, char *const *argv, char *const *environment,
		const sigset_t *mask);
/* Lets it execute the command. Returns 0, or -errno if it cannot; the child has then ended. */
int child_go(struct child *child);
/* Returns 1 if it has ended, 0 if it runs and @can_block is false, or -errno. */
int child_wait(struct child *child, bool can_block, struct child_end *end);

/* gpmu's exit status for a status of wait4(), and for an error of child_go() */
int child_exit_status(int status);
int child_failed_status(int error);

#endif /* GPMU_CHILD_H */
