/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalog: events and metrics */
#ifndef GPMU_CATALOG_API_H
#define GPMU_CATALOG_API_H

#include <stddef.h>

#include <gpmu/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A catalog holds events and metrics of JSON files in the schema of perf's pmu-events: the
 * built-in ones, and files that a program adds. A file in a tree like perf's,
 * .../arch/ARCH/CPU/x.json, applies to the CPUs of its folder. A file in a folder "sys" of such
 * a tree, or anywhere else, applies to every machine.
 *
 * Name, PMU, CPU and identifier (Compat) together identify a metric or an event. An entry that
 * is added later replaces an entry in which all four are the same. Of two such entries in one file
 * the first is kept. Entries for different machines can have the same name:
 * gpmu_catalog_find_metric() returns the one for a given machine.
 *
 * Everything that a catalog returns stays valid and unchanged until the catalog is freed.
 * Threads may share a catalog while nothing is added to it.
 */
struct gpmu_catalog;
struct gpmu_metric;
struct gpmu_event_def;

/**
 * gpmu_catalog_new() - creates a catalog of the built-in entries and of JSON files
 * @paths: files and folders separated by ":", as in $GPMU_EVENTS; or NULL
 * @error: set on failure, as by gpmu_catalog_add(); or NULL
 *
 * Return: a new catalog; NULL with the errno of gpmu_catalog_add()
 */
struct gpmu_catalog *gpmu_catalog_new(const char *paths, struct gpmu_error *error);
/* Frees @catalog; NULL is allowed. */
void gpmu_catalog_free(struct gpmu_catalog *catalog);

/**
 * gpmu_catalog_add() - adds a JSON file, or every *.json below a folder
 * @catalog: unchanged on failure
 * @path: a file or folder. Symbolic links to files are followed, and so is @path itself
 * @error: set on failure, or NULL. Its text begins with "file:line:" or "file:", and its offset
 *	is a byte offset in the file. An error in the members of an object has the line and offset
 *	at which the object begins
 *
 * A key that perf does not have is ignored with a warning. ArchStdEvent refers to an event of
 * the catalog or of a file that the same call adds.
 *
 * Return: 0; -EINVAL if the JSON does not follow pmu-events' schema; -EFBIG for a file larger
 * than 64 MiB, or more than 256 MiB in all; -ENOMEM; or the error of a file operation
 */
int gpmu_catalog_add(struct gpmu_catalog *catalog, const char *path, struct gpmu_error *error);
/*
 * Returns a warning about an ignored key or entry, "file:line: ..."; NULL after the last;
 * borrowed.
 */
const char *gpmu_catalog_warning(const struct gpmu_catalog *catalog, size_t index);

/* Return the metric and the event at @index, sorted by name; NULL after the last; borrowed */
const struct gpmu_metric *gpmu_catalog_metric(const struct gpmu_catalog *catalog, size_t index);
const struct gpmu_event_def *gpmu_catalog_event(const struct gpmu_catalog *catalog, size_t index);

/**
 * gpmu_catalog_find_metric() - finds a metric by its name
 * @catalog: the catalog to search
 * @name: name of the metric, its alias in pmu-events/aliases.tsv, grace_mem_bw for GraceMemBW, or
 *	a name of CUPTI's former APIs that PM sampling can count, dram_read_bytes, from
 *	pmu-events/gpu/legacy.tsv. Case is ignored
 * @machine: of several metrics with this name, one that @machine supports is preferred. NULL:
 *	all are treated as supported
 *
 * Return: the metric that was added last, borrowed; NULL with errno ENOENT or ENOMEM
 */
const struct gpmu_metric *gpmu_catalog_find_metric(const struct gpmu_catalog *catalog,
						   const char *name,
						   const struct gpmu_machine *machine);

/* Returns the name of the metric group at @index, sorted; NULL after the last; borrowed */
const char *gpmu_catalog_group(const struct gpmu_catalog *catalog, size_t index);
/*
 * Returns the metric at @index of a group, sorted by name. Case of @group is ignored. NULL
 * after the last; borrowed.
 */
const struct gpmu_metric *gpmu_catalog_group_metric(const struct gpmu_catalog *catalog,
						    const char *group, size_t index);

/*
 * Return the members of a metric. All texts are borrowed. A text is NULL if the JSON does not
 * have it; name, expr and file are never NULL.
 */
const char *gpmu_metric_name(const struct gpmu_metric *metric);
const char *gpmu_metric_expr(const struct gpmu_metric *metric);
/* Returns MetricThreshold: an expression that is not 0 when the value deserves attention */
const char *gpmu_metric_threshold(const struct gpmu_metric *metric);
/* Returns the name of a group that the metric is in (MetricGroup); NULL after the last */
const char *gpmu_metric_group(const struct gpmu_metric *metric, size_t index);
/* Returns BriefDescription, or PublicDescription if the JSON has only that */
const char *gpmu_metric_description(const struct gpmu_metric *metric);
/* Returns PublicDescription; NULL if gpmu_metric_description() returns the same text */
const char *gpmu_metric_details(const struct gpmu_metric *metric);
/* Returns the unit of the metric's values in rows, "GB/s"; NULL: no unit */
const char *gpmu_metric_unit(const struct gpmu_metric *metric);
/*
 * Returns the name of the metric's PMU without a number, "nvidia_scf_pmu"; NULL: the PMU of the
 * CPUs, or any PMU.
 */
const char *gpmu_metric_pmu(const struct gpmu_metric *metric);
/* Returns Compat: the PMU's identifier, or an extended regular expression that matches all of it */
const char *gpmu_metric_compat(const struct gpmu_metric *metric);
/* Returns the folder of the CPUs that it applies to, "arm64/arm/neoverse-n2-v2"; NULL: all CPUs */
const char *gpmu_metric_cpu(const struct gpmu_metric *metric);
/* Return the path of its file, or "built in: arch/...", and its line there */
const char *gpmu_metric_file(const struct gpmu_metric *metric);
unsigned int gpmu_metric_line(const struct gpmu_metric *metric);

/* Return the members of an event in the same way; name, terms and file are never NULL. */
const char *gpmu_event_def_name(const struct gpmu_event_def *event);	/* in lower case */
const char *gpmu_event_def_terms(const struct gpmu_event_def *event);	/* "event=0x1a5" */
/*
 * Returns the topic, which is from the name of the file: "spec operation" for
 * spec-operation.json.
 */
const char *gpmu_event_def_topic(const struct gpmu_event_def *event);
/* Return the same as the functions for metrics */
const char *gpmu_event_def_description(const struct gpmu_event_def *event);
const char *gpmu_event_def_details(const struct gpmu_event_def *event);
const char *gpmu_event_def_unit(const struct gpmu_event_def *event);
const char *gpmu_event_def_pmu(const struct gpmu_event_def *event);
const char *gpmu_event_def_compat(const struct gpmu_event_def *event);
const char *gpmu_event_def_cpu(const struct gpmu_event_def *event);
const char *gpmu_event_def_file(const struct gpmu_event_def *event);
unsigned int gpmu_event_def_line(const struct gpmu_event_def *event);

/*
 * Return 1 if the machine has the CPU, and the PMU with the identifier, that a metric or an
 * event requires; 0 if not; or -ENOMEM. Of the CPU folders of a tree like perf's only those of
 * Neoverse V2 are recognized. A metric that names neither CPU nor PMU is supported by every
 * machine; a plan reports which of its events are missing. A metric of a source's PMU also
 * requires that a PMU of this name can count each of its events, such as those of NVLink-C2C,
 * which not every GPU of a chip has. An event that names neither requires a PMU of the CPUs.
 */
int gpmu_metric_supported(const struct gpmu_metric *metric, const struct gpmu_machine *machine);
int gpmu_event_def_supported(const struct gpmu_event_def *event,
			     const struct gpmu_machine *machine);
/*
 * Returns the reason why the machine does not support the metric, "this GPU has no NVLink-C2C"; the
 * caller frees the text. NULL with errno ENOMEM. The machine must not support the metric.
 */
char *gpmu_metric_why_not(const struct gpmu_metric *metric, const struct gpmu_machine *machine);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_CATALOG_API_H */
