// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "message.h"
#include "run/waiting.h"

#define SHOW_AFTER	300000000	/* ns */
#define SECOND		1000000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended;
static pthread_t thread;
static struct timespec due;
static const char *reason;	/* NULL: printed, or the wait has ended */
static bool is_waiting;

static bool is_due(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > due.tv_sec || (now.tv_sec == due.tv_sec && now.tv_nsec >= due.tv_nsec);
}

/* Called with the lock held */
static void show(void)
{
	if (reason && is_due()) {
		say("waiting for %s", reason);
		reason = NULL;
	}
}

static void *wait_thread(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (reason) {
		pthread_cond_timedwait(&ended, &lock, &due);
		show();
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

void waiting_begin(const char *what)
{
	pthread_condattr_t attr;
	sigset_t all, mask;

	reason = what;
	clock_gettime(CLOCK_MONOTONIC, &due);
	due.tv_nsec += SHOW_AFTER;
	due.tv_sec += due.tv_nsec / SECOND;
	due.tv_nsec %= SECOND;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&ended, &attr);
	pthread_condattr_destroy(&attr);
	/* Signals are for the thread that counts. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	is_waiting = !pthread_create(&thread, NULL, wait_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (!is_waiting)
		pthread_cond_destroy(&ended);
}

void waiting_end(void)
{
	if (!is_waiting)
		return;
	pthread_mutex_lock(&lock);
	/* On a busy machine the thread may be late. */
	show();
	reason = NULL;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&ended);
	is_waiting = false;
}
