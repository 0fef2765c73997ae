/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of a source: errors, and what the user should know. */
#ifndef GPMU_CUPTI_MESSAGES_H
#define GPMU_CUPTI_MESSAGES_H

#include <pthread.h>
#include <stddef.h>

#include "gpmu.h"

/* Sets the error's text, cut if it is long; returns @ret. */
__attribute__((format(printf, 3, 4)))
int fail(struct gpmu_error *error, int ret, const char *fmt, ...);
int fail_memory(struct gpmu_error *error);

/* Lines, the oldest first; any thread can add one */
struct messages {
	pthread_mutex_t lock;
	struct message *first, **end;
	struct message *taken;
};

void messages_init(struct messages *messages);
void messages_release(struct messages *messages);
/* One for which there is no memory is lost. */
__attribute__((format(printf, 2, 3)))
void messages_add(struct messages *messages, const char *fmt, ...);
/* The oldest, valid until the next call; NULL: there is none */
const char *messages_take(struct messages *messages);

#endif /* GPMU_CUPTI_MESSAGES_H */
