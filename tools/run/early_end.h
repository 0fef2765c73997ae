/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals that end gpmu before a run, while it reads files and loads plugins. */
#ifndef GPMU_EARLY_END_H
#define GPMU_EARLY_END_H

#include <signal.h>

/*
 * Until early_end_stop(), a signal of @set, which all threads block, ends gpmu. Functions of unfinished_remove_by() are
 * called, others of atexit() are not. Dies on failure.
 */
void early_end_start(const sigset_t *set);
/* A signal that arrives from now on stays pending. May be called without early_end_start(). */
void early_end_stop(void);

#endif /* GPMU_EARLY_END_H */
