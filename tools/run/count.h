/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts a plan while a command runs, until tasks have ended, or until a signal. */
#ifndef GPMU_COUNT_H
#define GPMU_COUNT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"

struct child;
struct control;

struct count {
	const struct gpmu_plan *plan;
	/* The target. If it is empty and there is a command, count_run() sets pids and on_exec. */
	struct gpmu_session_options session;
	char *const *argv;	/* the command; NULL: none */
	char *const *environment;	/* of the command; NULL: gpmu's */
	const struct child *child;	/* of count_begin(); NULL: count_run() starts it */
	const sigset_t *mask;	/* the command's blocked signals; NULL: gpmu's */
	int64_t delay;		/* ns before counting begins; < 0: never, or on a command */
	struct control *control;	/* open; pauses, resumes and ends counting. NULL: none */
	uint64_t interval;	/* ns; 0: no intervals */
	uint64_t intervals;	/* counting ends after so many; 0: no limit */
	uint64_t timeout;	/* ns after which counting ends and the command gets SIGTERM; 0: none */
	/* The session of count_open(), which count_run() takes over; NULL: count_run() opens one */
	struct gpmu_session *opened;
	/* Called when counting begins and ends. May be NULL. */
	void (*counts)(bool is_on, void *user);
	/* Takes an interval's rows. On false counting ends, the command continues. May be NULL. */
	bool (*rows)(const struct gpmu_rows *rows, void *user);
	void *user;
	/* ns for which rows() may hold rows; rows(NULL) then writes them. 0: it holds none */
	uint64_t latency;
};

struct count_end {
	int status;		/* gpmu's exit status for that of the command */
	int signal;		/* that ended the command, or 0 */
	bool is_executed;	/* false: the command cannot be executed */
	bool is_counted;	/* false: the run ended before counting began, and has no rows */
	bool is_interrupted;	/* by SIGINT, SIGTERM or SIGHUP */
	double elapsed;		/* seconds */
	double user, system;	/* seconds of the command; -1: no command */
};

/*
 * Blocks the signals that end a run, so that between two runs they stay pending for the next
 * one. Stores the old signal mask in @mask. Call count_heed_signals() after the last run.
 */
void count_hold_signals(sigset_t *mask);
void count_heed_signals(const sigset_t *mask);
/* Returns whether one of these signals is pending. */
bool count_signal_waits(void);

/*
 * Must be called before plugins are loaded. Blocks the signals that a run waits for until
 * count_heed_signals(), because threads of plugins would take them; stores the old mask in
 * @mask. Starts the command, if there is one, which then waits: a process that has initialised
 * CUDA must not fork. Dies on failure; if gpmu dies later, the waiting command exits.
 *
 * Until count_open() or count_run(), a signal that ends a run ends gpmu: see early_end_start().
 */
void count_begin(struct child *child, char *const *argv, char *const *environment, sigset_t *mask);

/*
 * Opens the session of a run, for a caller that needs it before counting begins. @count->child
 * has been started if there is a command. Dies on failure.
 */
struct gpmu_session *count_open(const struct count *count);

/*
 * Returns the session, disabled, for its total; the caller frees it. Returns NULL after a
 * message if the command cannot be executed. Dies on any other failure.
 */
struct gpmu_session *count_run(const struct count *count, struct count_end *end);

#endif /* GPMU_COUNT_H */
