/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waiting for a change of a 32-bit word, by futex(2). Unlike the functions of pthreads, these may be called in a signal
 * handler.
 */
#ifndef GPMU_INJECT_WORD_H
#define GPMU_INJECT_WORD_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Waits until the word is no longer @value, @ms have passed, or a signal has arrived. */
static inline void word_wait(const uint32_t *word, uint32_t value, unsigned int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &time, NULL, 0);
}

/* Wakes all that wait for a change of the word. */
static inline void word_wake(const uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#endif /* GPMU_INJECT_WORD_H */
