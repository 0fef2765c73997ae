// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "sources/nvml/nvml_messages.h"

#define MESSAGES_MAX	1024	/* pending messages */

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

void trouble_set(struct trouble *trouble, const char *kind, const char *remedy, const char *fmt, ...)
{
	va_list args;

	trouble->kind = kind;
	snprintf(trouble->remedy, sizeof(trouble->remedy), "%s", remedy);
	va_start(args, fmt);
	vsnprintf(trouble->text, sizeof(trouble->text), fmt, args);
	va_end(args);
}

int trouble_fail(const struct trouble *trouble, const char *who, int ret, struct gpmu_error *error)
{
	return fail(error, ret, "%s%s%s%s%s", who ? who : "", who ? ": " : "", trouble->text,
		    *trouble->remedy ? ": " : "", trouble->remedy);
}

json_t *trouble_object(const struct trouble *trouble)
{
	if (!trouble->kind)
		return json_null();
	return json_pack("{s:s, s:s, s:o}", "kind", trouble->kind, "text", trouble->text, "remedy",
			 *trouble->remedy ? json_string(trouble->remedy) : json_null());
}

void messages_init(struct messages *messages)
{
	*messages = (struct messages){ .length = 0 };
	pthread_mutex_init(&messages->lock, NULL);
}

void messages_release(struct messages *messages)
{
	while (messages_take(messages))
		;
	free(messages->list);
	pthread_mutex_destroy(&messages->lock);
}

void messages_add(struct messages *messages, const char *fmt, ...)
{
	char *text, **added = NULL;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0)
		return;
	pthread_mutex_lock(&messages->lock);
	if (messages->length < MESSAGES_MAX)
		added = vector_append(messages->list, messages->length);
	if (added)
		*added = text;
	else
		free(text);
	pthread_mutex_unlock(&messages->lock);
}

const char *messages_take(struct messages *messages)
{
	char *text;

	pthread_mutex_lock(&messages->lock);
	free(messages->taken);
	text = messages->taken = messages->length ? messages->list[0] : NULL;
	if (text)
		memmove(messages->list, messages->list + 1, --messages->length * sizeof(char *));
	pthread_mutex_unlock(&messages->lock);
	return text;
}

char *answer_text(json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	/* jansson can also succeed and drop a member that it had no memory for. */
	if (errno != ENOMEM)
		return text;
	free(text);
	return NULL;
}
