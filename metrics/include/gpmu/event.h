/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* event: perf's event syntax, resolved for perf_event_open() */
#ifndef GPMU_EVENT_API_H
#define GPMU_EVENT_API_H

#include <gpmu/catalog.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perf_event_attr;
struct gpmu_event;

/**
 * gpmu_event_new() - resolves an event in the syntax of perf's option -e
 * @machine: provides PMUs, formats and events; must outlive the event
 * @catalog: provides more names of events; or NULL
 * @text: one event: "nvidia_scf_pmu/cmem_rd_data/", "cycles:u", "r11", "sched:sched_switch", or
 *	a name of libpfm4, "arm_v2::INST_RETIRED". Braces, and commas outside "/", are not
 *	allowed
 * @error: set on failure, or NULL. Its offset is a byte offset in @text
 *
 * A PMU is an exact name, a name without its final number, which selects every PMU of that
 * name, or a pattern, "nvidia_*_pmu_0". A name without a PMU is resolved in this order: an
 * event of the cores, one of perf's generic events, an event of all other PMUs that have the
 * name. Only modifiers that affect counting are accepted.
 *
 * Return: a new event; NULL with errno EINVAL (syntax error, a value that does not fit its
 * format, a modifier), ENOENT (no such PMU, event, format or tracepoint), ENODEV (the machine
 * lacks the PMU or CPU of the event), ENOMEM, or the error of reading tracefs, such as EACCES
 */
struct gpmu_event *gpmu_event_new(const struct gpmu_machine *machine,
				  const struct gpmu_catalog *catalog, const char *text,
				  struct gpmu_error *error);
/*
 * Returns why this process cannot see tracepoints and the remedy, one line; NULL if it can see
 * them.
 */
const char *gpmu_tracepoints_why(const struct gpmu_machine *machine);
/* Frees @event; NULL is allowed. */
void gpmu_event_free(struct gpmu_event *event);
/* Return the unit of a count times the scale, "Joules" or NULL, and the scale, by default 1 */
const char *gpmu_event_unit(const struct gpmu_event *event);
double gpmu_event_scale(const struct gpmu_event *event);
/*
 * Returns the name of an instance in the syntax of perf stat -e,
 * "nvidia_scf_pmu_0/cmem_rd_data/". There is an instance for each PMU that counts the event, in
 * the order of gpmu_machine_pmu(), and one for each tracepoint. The pointers that this function and
 * the functions below return are borrowed, and NULL after the last instance.
 */
const char *gpmu_event_instance_name(const struct gpmu_event *event, size_t index);
/* Returns the PMU of the instance; NULL also if sysfs has no PMU for it */
const struct gpmu_pmu *gpmu_event_instance_pmu(const struct gpmu_event *event, size_t index);
/*
 * Returns the argument for perf_event_open(2): size, type, config to config4, and the fields
 * that modifiers set. NULL also for events that libgpmu itself counts, such as duration_time.
 */
const struct perf_event_attr *gpmu_event_instance_attr(const struct gpmu_event *event,
						       size_t index);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_EVENT_API_H */
