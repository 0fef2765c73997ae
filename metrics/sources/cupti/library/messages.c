// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "library/cupti_messages.h"

struct message {
	struct message *next;
	char *text;
};

int fail(struct gpmu_error *error, int ret, const char *fmt, ...)
{
	va_list args;

	error->offset = 0;
	va_start(args, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, args);
	va_end(args);
	return ret;
}

int fail_memory(struct gpmu_error *error)
{
	return fail(error, -ENOMEM, "%s", ERROR_NO_MEMORY);
}

void messages_init(struct messages *messages)
{
	pthread_mutex_init(&messages->lock, NULL);
	messages->first = NULL;
	messages->end = &messages->first;
	messages->taken = NULL;
}

static void message_free(struct message *message)
{
	if (message)
		free(message->text);
	free(message);
}

void messages_release(struct messages *messages)
{
	while (messages_take(messages))
		;
	pthread_mutex_destroy(&messages->lock);
}

void messages_add(struct messages *messages, const char *fmt, ...)
{
	struct message *message = calloc(1, sizeof(*message));
	va_list args;

	if (!message)
		return;
	va_start(args, fmt);
	if (vasprintf(&message->text, fmt, args) < 0)
		message->text = NULL;
	va_end(args);
	if (!message->text) {
		free(message);
		return;
	}
	pthread_mutex_lock(&messages->lock);
	*messages->end = message;
	messages->end = &message->next;
	pthread_mutex_unlock(&messages->lock);
}

const char *messages_take(struct messages *messages)
{
	struct message *message;

	pthread_mutex_lock(&messages->lock);
	message = messages->first;
	if (message) {
		messages->first = message->next;
		if (!messages->first)
			messages->end = &messages->first;
	}
	message_free(messages->taken);
	messages->taken = message;
	pthread_mutex_unlock(&messages->lock);
	return message ? message->text : NULL;
}
