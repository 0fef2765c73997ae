// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "plugin/source_object.h"

/* Sets the error to the plugin's message, or to a default one. */
static int open_source(struct gpmu_source *source, const char *options, size_t offset,
		       struct gpmu_error *error)
{
	const struct gpmu_source_plugin *plugin = &source->plugin;
	struct gpmu_error own = { .size = sizeof(own) };
	int ret = plugin->open(&source->data, options, &own);

	if (!ret)
		return 0;
	ret = ret > 0 ? -EINVAL : ret;
	own.text[sizeof(own.text) - 1] = '\0';
	if (own.text[0])
		error_set(error, offset + own.offset, "%s", own.text);
	else
		error_set(error, offset, "%s: %s; use %s=%s", plugin->name,
			  error_text(-ret), plugin->name,
			  plugin->usage ? plugin->usage : "OPTIONS");
	return ret;
}

static int init(struct gpmu_source *source, char *name, size_t len, const char *spec,
		struct gpmu_error *error)
{
	const char *options = spec[len] ? spec + len + 1 : spec + len;
	int ret;

	name[len] = '\0';
	ret = source_load(source, name, error);
	if (ret)
		return ret;
	ret = open_source(source, options, (size_t)(options - spec), error);
	if (ret)
		source_unload(source);
	return ret;
}

struct gpmu_source *gpmu_source_new(const char *spec, struct gpmu_error *error)
{
	struct gpmu_source *source = calloc(1, sizeof(*source));
	char *name = strdup(spec);
	int ret = -ENOMEM;

	if (source && name)
		ret = init(source, name, strcspn(spec, "="), spec, error);
	else
		error_set(error, 0, "%s: out of memory", spec);
	free(name);
	if (ret) {
		free(source);
		errno = -ret;
		return NULL;
	}
	atomic_init(&source->references, 1);
	pthread_mutex_init(&source->lock, NULL);
	source_log_messages(source);
	return source;
}

/*
 * Copies the next message; false if there is none. The lock is not held while a message is logged.
 */
static bool next_message(struct gpmu_source *source, char *line, size_t size)
{
	const char *text;

	pthread_mutex_lock(&source->lock);
	text = source->plugin.message(source->data);
	if (text)
		snprintf(line, size, "%s", text);
	pthread_mutex_unlock(&source->lock);
	return text;
}

void source_log_messages(struct gpmu_source *source)
{
	char line[512];

	while (source->plugin.message && next_message(source, line, sizeof(line)))
		log_line(GPMU_LOG_WARNING, "%s", line);
}

int gpmu_source_query(struct gpmu_source *source, const char *question, char **answer,
		      struct gpmu_error *error)
{
	struct gpmu_error own = { .size = sizeof(own) };
	int ret = -ENOENT;

	*answer = NULL;
	if (source->plugin.query) {
		pthread_mutex_lock(&source->lock);
		ret = source->plugin.query(source->data, question, answer, &own);
		pthread_mutex_unlock(&source->lock);
	}
	if (!ret && *answer)
		return 0;
	ret = ret < 0 ? ret : -EIO;
	free(*answer);
	*answer = NULL;
	own.text[sizeof(own.text) - 1] = '\0';
	if (own.text[0])
		error_set(error, 0, "%s", own.text);
	else
		error_set(error, 0, "source %s, query \"%.64s\": %s", source->plugin.name,
			  question, ret == -ENOENT ? "the plugin has no such query" :
			  error_text(-ret));
	return ret;
}

struct gpmu_source *source_get(struct gpmu_source *source)
{
	atomic_fetch_add_explicit(&source->references, 1, memory_order_relaxed);
	return source;
}

void source_put(struct gpmu_source *source)
{
	/* Orders all uses by other threads before the release. */
	if (!source ||
	    atomic_fetch_sub_explicit(&source->references, 1, memory_order_acq_rel) != 1)
		return;
	source->plugin.close(source->data);
	source_unload(source);
	pthread_mutex_destroy(&source->lock);
	free(source);
}

void gpmu_source_put(struct gpmu_source *source)
{
	source_put(source);
}

const char *gpmu_source_name(const struct gpmu_source *source)
{
	return source->plugin.name;
}
