/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts a plan while a command runs, tasks live, or until it is interrupted. */
#ifndef GPMU_COUNT_H
#define GPMU_COUNT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"

struct child;

struct count {
	const struct gpmu_plan *plan;
	/* Whom. With a command and none else it is of the command: count sets pids and on_exec */
	struct gpmu_session_options session;
	char *const *argv;	/* the command; NULL: none */
	char *const *environment;	/* of it; NULL: gpmu's */
	const struct child *child;	/* of count_begin(); NULL: it is not yet started */
	const sigset_t *mask;	/* the signals that it has blocked; NULL: those that gpmu has */
	int64_t delay;		/* ns before counting begins; < 0: it never does */
	uint64_t interval;	/* ns; 0: no intervals */
	uint64_t intervals;	/* it ends after so many; 0: it does not */
	uint64_t timeout;	/* ns from the beginning, then the command gets SIGTERM; 0: none */
	/* The session of count_open(), which count_run() takes over; NULL: count_run() opens one */
	struct gpmu_session *opened;
	/* Counting begins, and ends. May be NULL */
	void (*counts)(bool on, void *user);
	/* The rows of an interval; false: counting ends, the command goes on. May be NULL */
	bool (*rows)(const struct gpmu_row *rows, size_t n, void *user);
	/* Before and after the rows of several intervals; false: likewise. May be NULL */
	bool (*hold)(bool hold, void *user);
	void *user;
	bool batches;		/* what is held may be late, up to 50 ms after its interval */
};

struct count_end {
	int status;		/* gpmu's exit status, the command's */
	int signal;		/* that ended the command; or 0 */
	bool executed;		/* false: there was a command, which cannot be executed */
	bool counted;		/* false: it ended before counting began, and has no rows */
	bool interrupted;	/* by SIGINT, SIGTERM or SIGHUP */
	double elapsed;		/* seconds */
	double user, system;	/* seconds of the command; -1: there was none */
};

/*
 * Between runs too, signals that end one wait for the next; @mask is what was blocked
 * before. count_heed_signals() after the last of them
 */
void count_hold_signals(sigset_t *mask);
void count_heed_signals(const sigset_t *mask);

/*
 * Before plugins are loaded, whose threads would take signals that a run waits for: these
 * are blocked, @mask is what was before, until count_heed_signals(). And the command, if
 * there is one, is started, and waits: CUDA is not to be in a process that forks. Dies if
 * that fails; whoever dies later ends the command
 */
void count_begin(struct child *child, char *const *argv, char *const *environment,
		 sigset_t *mask);

/*
 * Opens the session of a run, for a caller that needs it before counting begins. @count->child
 * has been started if there is a command. Dies if that fails.
 */
struct gpmu_session *count_open(const struct count *count);

/*
 * The session, disabled, whose total can be taken; the caller's to free. NULL: the
 * command cannot be executed, which was said. Dies if something else fails
 */
struct gpmu_session *count_run(const struct count *count, struct count_end *end);

#endif /* GPMU_COUNT_H */
