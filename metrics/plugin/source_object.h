/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source: a loaded plugin and its open groups */
#ifndef GPMU_SOURCE_OBJECT_H
#define GPMU_SOURCE_OBJECT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "gpmu-source.h"
#include "gpmu.h"

struct plugin_group;

struct gpmu_source {
	atomic_uint references;
	void *library;				/* handle of dlopen() */
	/* a copy of the plugin's table; members that the table lacks are NULL */
	struct gpmu_source_plugin plugin;
	void *data;				/* the plugin's */
	pthread_mutex_t lock;			/* held during calls of the plugin; protects the members below */
	struct plugin_group *groups;		/* open groups */
	bool has_begun;				/* groups have been enabled */
	bool is_enabled;
	bool is_prepared;			/* all open groups are prepared */
	uint64_t time;				/* latest time that was passed to the plugin */
};

struct gpmu_source *source_get(struct gpmu_source *source);
void source_put(struct gpmu_source *source);

/*
 * Loads the plugin that @name names, into source->library and source->plugin.
 * Returns 0, -ENOENT, -EACCES, -EINVAL or -ENOMEM with the error set, and nothing loaded.
 */
int source_load(struct gpmu_source *source, const char *name, struct gpmu_error *error);
void source_unload(struct gpmu_source *source);
/*
 * Finds a file in the folders of $GPMU_PLUGINS, then in plugin_folder(). Returns 0, or with the
 * error set -ENOENT, or -EACCES if this program may not load it.
 */
int source_find_file(const char *file, char *path, size_t size, struct gpmu_error *error);

/* Logs the messages of the plugin. The lock is not held. */
void source_log_messages(struct gpmu_source *source);

struct gpmu_pmu;

/* --- source_event.c (machine/): finds an event by name; false if the source has none */
bool source_find_event(const struct gpmu_pmu *pmu, const char *name,
		       struct gpmu_source_event_info *event);
/* Gets one of the listed events by number; false after the last */
bool source_event(const struct gpmu_pmu *pmu, size_t index, struct gpmu_source_event_info *event);

#endif /* GPMU_SOURCE_OBJECT_H */
