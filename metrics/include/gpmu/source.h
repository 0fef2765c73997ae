/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* source: what counts beside the kernel's perf events */
#ifndef GPMU_SOURCE_API_H
#define GPMU_SOURCE_API_H

#include <gpmu/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A source is opened by a plugin (gpmu-source.h): a shared object gpmu-NAME.so in one
 * of the folders of $GPMU_PLUGINS, separated by ":", which a program that runs with
 * more rights than its user's does not look at, or in the folder that libgpmu was
 * built with. Sources have references, and threads may share them. One session at a
 * time counts with a source: while it has groups open another one is refused, EBUSY.
 */
struct gpmu_source;

/**
 * gpmu_source_new() - opens a source
 * @spec: "NAME", "NAME=OPTIONS", or in place of NAME the path of the shared object,
 *	with a "/" in it: "model=steady.scenario,sockets=2", "./gpmu-x.so=FILE".
 *	What is behind the first "=" is for the plugin
 * @error: set on failure, or NULL; its offset is one in @spec
 *
 * Return: new, the caller's to put; NULL with errno ENOENT (no such plugin; the message
 * lists where it was looked for), EINVAL (not such a text, no plugin, one for another
 * libgpmu, options that it refuses), ENOMEM, or another one of the plugin
 */
struct gpmu_source *gpmu_source_new(const char *spec, struct gpmu_error *error);
/* One more reference, which needs a gpmu_source_put() of its own. Returns @source */
struct gpmu_source *gpmu_source_get(struct gpmu_source *source);
/* The last reference closes the source and unloads the plugin. NULL is allowed. */
void gpmu_source_put(struct gpmu_source *source);
/* The plugin's: "model"; borrowed */
const char *gpmu_source_name(const struct gpmu_source *source);

/**
 * gpmu_machine_add_source() - adds the PMUs of a source to a machine
 * @machine: it is as it was if this fails. Nothing may share it yet, and what was asked
 *	of it before, nodes and PMUs, is not valid any more
 * @source: the machine keeps a reference
 * @error: set on failure, or NULL
 *
 * A PMU takes the place of one of the same name. Nodes are added where the machine has
 * none of the number; they have no CPUs. If the machine itself is a Grace, its PCI devices
 * are counted by the PMUs that it has then; those of another machine by none.
 *
 * Return: 0; -EINVAL (the source shows what cannot be), -ENOMEM
 */
int gpmu_machine_add_source(struct gpmu_machine *machine, struct gpmu_source *source,
			    struct gpmu_error *error);
/* What counts the PMU's events; borrowed from the machine; NULL: the kernel */
struct gpmu_source *gpmu_pmu_source(const struct gpmu_pmu *pmu);

/**
 * gpmu_source_query() - asks a source something that is no count
 * @source: what it can be asked is for its plugin to say
 * @question: "gpus"
 * @answer: gets a text in JSON, to be freed by free()
 * @error: set on failure, or NULL
 *
 * Return: 0; -ENOENT (it knows no such question), -ENOMEM, or another one of the plugin; then
 * *answer is NULL
 */
int gpmu_source_query(struct gpmu_source *source, const char *question, char **answer,
		      struct gpmu_error *error);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SOURCE_API_H */
