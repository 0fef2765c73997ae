/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress of reading or writing a long file, on a terminal, and the end of reading by SIGINT */
#ifndef GPMU_PROGRESS_H
#define GPMU_PROGRESS_H

#include <stdint.h>
#include <time.h>

struct progress {
	const char *what;
	struct timespec begin;
	double shown;		/* s after @begin; 0: never */
};

/* @what: "reading". From now on a SIGINT ends reading, unless it is blocked; a second one ends gpmu. */
void progress_begin(struct progress *progress, const char *what);
/* As progress() of struct gpmu_profile_options, with a struct progress as @user */
int progress_show(void *user, uint64_t done, uint64_t total);
/* As waiting() of struct gpmu_profile_options, with a struct progress as @user */
int progress_wait(void *user, const char *server, uint64_t done, uint64_t total);
/* Clears the line. */
void progress_end(const struct progress *progress);

#endif /* GPMU_PROGRESS_H */
