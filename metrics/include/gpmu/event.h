/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* event: what the kernel is asked to count */
#ifndef GPMU_EVENT_API_H
#define GPMU_EVENT_API_H

#include <gpmu/catalog.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perf_event_attr;
struct gpmu_event;

/**
 * gpmu_event_new() - finds an event by the text that perf's -e takes
 * @machine: whose PMUs, formats and events; it must outlive the event
 * @catalog: more events' names, or NULL
 * @text: one event, "nvidia_scf_pmu/cmem_rd_data/", "cycles:u", "r11",
 *	"sched:sched_switch", or a name of libpfm4, "arm_v2::INST_RETIRED". No braces,
 *	and no commas outside "/"
 * @error: set on failure, or NULL. Its offset is that in @text
 *
 * A PMU is an exact name, a name without the number that it ends with, which is
 * every PMU of that name, or a pattern, "nvidia_*_pmu_0". A name without a PMU is
 * an event of the cores if they have one of that name, else one of perf's generic
 * names, else an event of all other PMUs that have it. Only modifiers that have to
 * do with counting are taken.
 *
 * Return: new; NULL with errno EINVAL (not of that form, a value that the format has
 * no room for, a modifier), ENOENT (no such PMU, event, format, tracepoint), ENODEV (the
 * machine lacks the PMU or CPU that has it), ENOMEM, or that of reading tracefs, as EACCES
 */
struct gpmu_event *gpmu_event_new(const struct gpmu_machine *machine,
				  const struct gpmu_catalog *catalog, const char *text,
				  struct gpmu_error *error);
/* Why this process cannot see a machine's tracepoints, and what to do, one line; NULL: it can */
const char *gpmu_tracepoints_why(const struct gpmu_machine *machine);
/* NULL is allowed. */
void gpmu_event_free(struct gpmu_event *event);
/* What to show of it: "name=" of its terms, else the text */
const char *gpmu_event_label(const struct gpmu_event *event);
/* As it was given */
const char *gpmu_event_text(const struct gpmu_event *event);
/* A count times the scale, which is 1 if nothing is said, is in this unit: "Joules"; or NULL */
const char *gpmu_event_unit(const struct gpmu_event *event);
double gpmu_event_scale(const struct gpmu_event *event);
/*
 * One for each PMU that it is counted on, in the order of gpmu_machine_pmu(), and
 * for each tracepoint: at least 1. Below, all is borrowed, and NULL after the last.
 */
size_t gpmu_event_instances(const struct gpmu_event *event);
/* "nvidia_scf_pmu_0/cmem_rd_data/", as perf stat -e takes it */
const char *gpmu_event_instance_name(const struct gpmu_event *event, size_t index);
/* NULL also where sysfs shows no PMU for it */
const struct gpmu_pmu *gpmu_event_instance_pmu(const struct gpmu_event *event, size_t index);
/*
 * What perf_event_open() takes: size, type, config to config4, and what modifiers
 * set. NULL also where libgpmu itself counts: duration_time
 */
const struct perf_event_attr *gpmu_event_instance_attr(const struct gpmu_event *event,
						       size_t index);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_EVENT_API_H */
