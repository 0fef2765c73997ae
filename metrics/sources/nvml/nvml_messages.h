/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of both GPU plugins: errors, messages for the user, and answers. */
#ifndef GPMU_NVML_MESSAGES_H
#define GPMU_NVML_MESSAGES_H

#include <jansson.h>
#include <pthread.h>
#include <stddef.h>

#include "gpmu.h"

/* Sets the error's text, truncated to its size; returns @ret. */
__attribute__((format(printf, 3, 4)))
int fail(struct gpmu_error *error, int ret, const char *fmt, ...);
int fail_memory(struct gpmu_error *error);

/* The reason why GPUs cannot be used, and the remedy */
struct trouble {
	const char *kind;	/* a word for programs: "busy"; NULL: no trouble */
	char text[256];
	char remedy[160];	/* "": none is known */
};

/* @remedy is copied; "": none is known */
__attribute__((format(printf, 4, 5)))
void trouble_set(struct trouble *trouble, const char *kind, const char *remedy, const char *fmt, ...);
/* Sets the error to "TEXT: REMEDY", after "WHO: " if @who is not NULL; returns @ret. */
int trouble_fail(const struct trouble *trouble, const char *who, int ret, struct gpmu_error *error);
/* An object with kind, text, and remedy, null if none is known; null without trouble */
json_t *trouble_object(const struct trouble *trouble);

/* A queue of messages, one line each; any thread can add one */
struct messages {
	pthread_mutex_t lock;
	char **list;
	size_t length;
	char *taken;
};

void messages_init(struct messages *messages);
void messages_release(struct messages *messages);
/* Adds a message; it is lost if memory is short or many wait. */
__attribute__((format(printf, 2, 3)))
void messages_add(struct messages *messages, const char *fmt, ...);
/* Takes the oldest message, valid until the next call; NULL if there is none */
const char *messages_take(struct messages *messages);

/* The text of a reference to JSON, which it takes; NULL if out of memory. errno was 0 before the JSON was made. */
char *answer_text(json_t *json);

#endif /* GPMU_NVML_MESSAGES_H */
