/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of a source: errors, and messages for the user. */
#ifndef GPMU_CUPTI_MESSAGES_H
#define GPMU_CUPTI_MESSAGES_H

#include <pthread.h>
#include <stddef.h>

#include "gpmu.h"

/* Sets the error's text, truncated to its size; returns @ret. */
__attribute__((format(printf, 3, 4)))
int fail(struct gpmu_error *error, int ret, const char *fmt, ...);
int fail_memory(struct gpmu_error *error);

/* A queue of messages, one line each; any thread can add one */
struct messages {
	pthread_mutex_t lock;
	struct message *first, **end;
	struct message *taken;
};

void messages_init(struct messages *messages);
void messages_release(struct messages *messages);
/* Adds a message; it is lost if memory is short. */
__attribute__((format(printf, 2, 3)))
void messages_add(struct messages *messages, const char *fmt, ...);
/* Takes the oldest message, valid until the next call; NULL if there is none */
const char *messages_take(struct messages *messages);

#endif /* GPMU_CUPTI_MESSAGES_H */
