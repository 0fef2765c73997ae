/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* source: plugins that count in place of the kernel's perf events */
#ifndef GPMU_SOURCE_API_H
#define GPMU_SOURCE_API_H

#include <gpmu/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A source counts events in place of the kernel's perf events. A plugin (gpmu-source.h) opens
 * it. A plugin is a shared object gpmu-NAME.so in one of the folders of $GPMU_PLUGINS,
 * separated by ":", or in the folder gpmu beside libgpmu.so, wherever that was moved. A
 * program whose file has the set-user-ID bit or capabilities ignores $GPMU_PLUGINS, and loads only
 * plugins that root alone can write (PRIVILEGES in gpmu(1)). Sources are reference-counted, and
 * threads may share them. One session at a time counts with a source: while it has groups open,
 * another session fails with EBUSY.
 */
struct gpmu_source;

/**
 * gpmu_source_new() - opens a source
 * @spec: "NAME" or "NAME=OPTIONS": "model=steady.scenario,sockets=2". In place of NAME the path
 *	of the shared object, with a "/" in it: "./gpmu-x.so=FILE". The plugin interprets the
 *	text after the first "="
 * @error: set on failure, or NULL. Its offset is a byte offset in @spec
 *
 * Return: a new reference, which the caller drops by gpmu_source_put(); NULL with errno ENOENT (no
 * such plugin; the error lists the folders that were searched), EACCES (this program has
 * privileges that its user lacks, and other users than root can write the plugin), EINVAL (syntax
 * error, a file that is no plugin, a plugin for another libgpmu, options that it refuses), ENOMEM,
 * or another error of the plugin
 */
struct gpmu_source *gpmu_source_new(const char *spec, struct gpmu_error *error);
/* Drops a reference; the last one closes the source and unloads the plugin. NULL is allowed. */
void gpmu_source_put(struct gpmu_source *source);
/* Returns the name of the plugin, "model"; borrowed */
const char *gpmu_source_name(const struct gpmu_source *source);

/**
 * gpmu_machine_add_source() - adds the PMUs of a source to a machine
 * @machine: unchanged on failure. Nothing may share it yet, and nodes and PMUs obtained from it
 *	before become invalid
 * @source: the machine takes a reference
 * @error: set on failure, or NULL
 *
 * A PMU of the source replaces a PMU of the same name. A node is added if the machine has none
 * with its number; such nodes have no CPUs. If the machine itself is a Grace, the resulting
 * PMUs count its PCI devices; no PMU counts the PCI devices of another machine.
 *
 * Return: 0; -EINVAL if the source describes impossible PMUs or nodes; -ENOMEM
 */
int gpmu_machine_add_source(struct gpmu_machine *machine, struct gpmu_source *source,
			    struct gpmu_error *error);
/* Returns the source that counts the PMU's events, borrowed from the machine; NULL: the kernel */
struct gpmu_source *gpmu_pmu_source(const struct gpmu_pmu *pmu);

/**
 * gpmu_source_query() - asks a source for information that is not a count
 * @source: the source; the manual of its plugin lists the questions
 * @question: "gpus"
 * @answer: set to a new text in JSON, which the caller frees with free()
 * @error: set on failure, or NULL
 *
 * Return: 0; -ENOENT if the source does not support the question; -ENOMEM; or another error of the
 * plugin. *@answer is NULL on failure
 */
int gpmu_source_query(struct gpmu_source *source, const char *question, char **answer,
		      struct gpmu_error *error);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SOURCE_API_H */
