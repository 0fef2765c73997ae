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
 * What can be counted and what it means, from JSON files in the schema of perf's
 * pmu-events: those that are built in, and others that are added. A file is for
 * the CPUs of its folder if it is in a tree like perf's, .../arch/ARCH/CPU/x.json,
 * and for every machine if it is in a folder "sys" of one, or elsewhere.
 *
 * A metric or an event is told from others by name, PMU, CPU and identifier
 * (Compat). One that is added later takes the place of the one for the same
 * thing, of two in the same file the first stays. There can be several of one
 * name for different machines: gpmu_catalog_find_metric() and
 * gpmu_catalog_find_event() find the one for this machine.
 *
 * All that is found stays valid and unchanged until the catalog is freed. Threads
 * may share a catalog while nothing is added to it.
 *
 * What is built in is loaded when something of the catalog is first asked for. Without
 * memory for that there is nothing in it, and errno is ENOMEM.
 */
struct gpmu_catalog;
struct gpmu_metric;
struct gpmu_event_def;

/**
 * gpmu_catalog_new() - a catalog of what is built in, and more
 * @paths: files and folders separated by ":", as in $GPMU_EVENTS; or NULL
 * @error: set on failure, or NULL; see gpmu_catalog_add()
 *
 * Return: new; NULL with errno, as gpmu_catalog_add()
 */
struct gpmu_catalog *gpmu_catalog_new(const char *paths, struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_catalog_free(struct gpmu_catalog *catalog);

/**
 * gpmu_catalog_add() - adds a JSON file, or every *.json below a folder
 * @catalog: it is as it was if this fails
 * @path: links to files are followed, and @path itself if it is one
 * @error: set on failure, or NULL. Its text begins "file:line: ", or "file: "; its
 * offset is that in the file
 *
 * Keys that perf does not have are warnings, not errors. ArchStdEvent finds what is
 * in the catalog, or in the same call.
 *
 * Return: 0; -EINVAL (the JSON is not that of pmu-events), -EFBIG (a file above
 * 64 MiB, or 256 MiB in all), -ENOMEM, or what the file system says
 */
int gpmu_catalog_add(struct gpmu_catalog *catalog, const char *path, struct gpmu_error *error);
/* "file:line: ..." of what was ignored or left out; NULL after the last; borrowed */
const char *gpmu_catalog_warning(const struct gpmu_catalog *catalog, size_t index);

/* All metrics and events in the order of their names; NULL after the last; borrowed */
const struct gpmu_metric *gpmu_catalog_metric(const struct gpmu_catalog *catalog, size_t index);
const struct gpmu_event_def *gpmu_catalog_event(const struct gpmu_catalog *catalog, size_t index);

/**
 * gpmu_catalog_find_metric() - a metric by its name
 * @catalog: where to look
 * @name: in upper or lower case
 * @machine: if there are several, one that it has is found, or, if it has none of
 * them, another. NULL: it has all
 *
 * Return: the last added of those; borrowed; NULL with errno ENOENT or ENOMEM
 */
const struct gpmu_metric *gpmu_catalog_find_metric(const struct gpmu_catalog *catalog,
						   const char *name,
						   const struct gpmu_machine *machine);
/*
 * Likewise an event of a PMU, "nvidia_scf_pmu" without a number, with or without perf's
 * "uncore_" before it; or NULL for the CPUs' own
 */
const struct gpmu_event_def *gpmu_catalog_find_event(const struct gpmu_catalog *catalog,
						     const char *pmu, const char *name,
						     const struct gpmu_machine *machine);

/* The groups that metrics are in, in the order of their names; NULL after the last; borrowed */
const char *gpmu_catalog_group(const struct gpmu_catalog *catalog, size_t index);
/* The metrics of a group, named in upper or lower case, in order; NULL after the last; borrowed */
const struct gpmu_metric *gpmu_catalog_group_metric(const struct gpmu_catalog *catalog,
						    const char *group, size_t index);

/*
 * What a metric says. All texts are borrowed; NULL where it says nothing, which
 * cannot be of name, expr and file.
 */
const char *gpmu_metric_name(const struct gpmu_metric *metric);
const char *gpmu_metric_expr(const struct gpmu_metric *metric);
/* An expression that is not 0 where the value deserves attention */
const char *gpmu_metric_threshold(const struct gpmu_metric *metric);
/* "NO_GROUP_EVENTS" and others of perf's: its events may not be one group */
const char *gpmu_metric_constraint(const struct gpmu_metric *metric);
/* NULL after the last */
const char *gpmu_metric_group(const struct gpmu_metric *metric, size_t index);
/* Short, and all that there is to say beyond that */
const char *gpmu_metric_description(const struct gpmu_metric *metric);
const char *gpmu_metric_details(const struct gpmu_metric *metric);
/* The value times the scale, which is 1 if nothing is said, is in this unit: "GB/s" */
const char *gpmu_metric_unit(const struct gpmu_metric *metric);
double gpmu_metric_scale(const struct gpmu_metric *metric);
/* The PMU that it is of, without a number: "nvidia_scf_pmu"; NULL: the CPUs' own, or any */
const char *gpmu_metric_pmu(const struct gpmu_metric *metric);
/* What that PMU's identifier must be, or match as a whole as an extended regular expression */
const char *gpmu_metric_compat(const struct gpmu_metric *metric);
/* The CPUs that it is for: "arm64/arm/neoverse-n2-v2"; NULL: all */
const char *gpmu_metric_cpu(const struct gpmu_metric *metric);
/* Where it is from: a path, or "built in: arch/..."; and the line */
const char *gpmu_metric_file(const struct gpmu_metric *metric);
unsigned int gpmu_metric_line(const struct gpmu_metric *metric);

/* Likewise what an event says; name, terms and file are never NULL */
const char *gpmu_event_def_name(const struct gpmu_event_def *event);	/* in lower case */
const char *gpmu_event_def_terms(const struct gpmu_event_def *event);	/* "event=0x1a5" */
/* "spec operation" of the file spec-operation.json */
const char *gpmu_event_def_topic(const struct gpmu_event_def *event);
/* The rest as of a metric */
const char *gpmu_event_def_description(const struct gpmu_event_def *event);
const char *gpmu_event_def_details(const struct gpmu_event_def *event);
const char *gpmu_event_def_unit(const struct gpmu_event_def *event);
double gpmu_event_def_scale(const struct gpmu_event_def *event);
const char *gpmu_event_def_pmu(const struct gpmu_event_def *event);
const char *gpmu_event_def_compat(const struct gpmu_event_def *event);
const char *gpmu_event_def_cpu(const struct gpmu_event_def *event);
const char *gpmu_event_def_file(const struct gpmu_event_def *event);
unsigned int gpmu_event_def_line(const struct gpmu_event_def *event);

/*
 * Whether a machine has what a metric or an event is for: its CPU, and its PMU
 * with that identifier. 1, 0, or -ENOMEM. Of CPUs in a tree like perf's those of
 * Neoverse V2 are known, no others. A metric that names neither is for any machine, and a plan
 * says which of its events there are not; such an event needs a PMU of the CPUs.
 */
int gpmu_metric_supported(const struct gpmu_metric *metric, const struct gpmu_machine *machine);
int gpmu_event_def_supported(const struct gpmu_event_def *event,
			     const struct gpmu_machine *machine);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_CATALOG_API_H */
