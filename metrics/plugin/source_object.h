/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source: a plugin that is loaded, and what it has opened. */
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
	void *library;				/* of dlopen() */
	struct gpmu_source_plugin plugin;	/* a copy; what its table lacks is NULL */
	void *data;				/* the plugin's */
	pthread_mutex_t lock;			/* of calls of the plugin, and what follows */
	struct plugin_group *groups;		/* that are open */
	bool begun;				/* they have been enabled */
	bool enabled;
	bool prepared;				/* all those that are open */
	uint64_t time;				/* the last that the plugin was given */
};

struct gpmu_source *source_get(struct gpmu_source *source);
void source_put(struct gpmu_source *source);

/*
 * Loads the plugin that @name names, into source->library and source->plugin.
 * Returns 0, -ENOENT, -EINVAL or -ENOMEM with the error set, and nothing loaded.
 */
int source_load(struct gpmu_source *source, const char *name, struct gpmu_error *error);
void source_unload(struct gpmu_source *source);
/*
 * Finds a file in the folders of $GPMU_PLUGINS, then in plugin_folder(). Returns 0, or -ENOENT
 * with the error set.
 */
int source_find_file(const char *file, char *path, size_t size, struct gpmu_error *error);

/* What the plugin says that the user should know goes to the log. Not with the lock held */
void source_tell(struct gpmu_source *source);

struct gpmu_pmu;

/* --- source_event.c: whether its source has such an event, in a structure of this size */
bool source_find_event(const struct gpmu_pmu *pmu, const char *name,
		       struct gpmu_source_event_info *event);
/* Those that are worth to be listed, by number */
bool source_event(const struct gpmu_pmu *pmu, size_t index, struct gpmu_source_event_info *event);

/*
 * Fills @to, of @size bytes, from a structure that begins with its own size: what that
 * lacks stays as it is in @to.
 */
void source_copy_sized(void *to, size_t size, const void *from);

#endif /* GPMU_SOURCE_OBJECT_H */
