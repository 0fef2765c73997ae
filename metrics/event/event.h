/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as they are opened. */
#ifndef GPMU_EVENT_H
#define GPMU_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "gpmu.h"

/* What libgpmu itself counts, as perf does: no attr, no PMU */
enum event_tool {
	EVENT_TOOL_NONE,
	EVENT_TOOL_DURATION_TIME,	/* ns that were measured */
	EVENT_TOOL_USER_TIME,		/* ns of the command */
	EVENT_TOOL_SYSTEM_TIME,
};

/* An event of one PMU */
struct event_instance {
	char *name; /* as "perf stat -e" takes it: "nvidia_scf_pmu_0/cmem_rd_data/" */
	const struct gpmu_pmu *pmu;	/* borrowed; NULL: of none that sysfs shows */
	enum event_tool tool;
	/* size, type, config..config4, exclude_*, precise_ip, exclusive, pinned; else 0 */
	struct perf_event_attr attr;
	bool cycle_counter;		/* it takes the PMU's cycle counter, none of the others */
	bool weak;			/* modifier W: its group may be broken up */
};

struct gpmu_event {
	char *text;			/* as it was given */
	char *label;			/* "name=" of its terms; or NULL */
	double scale;			/* counts times this are in */
	char *unit;			/* this unit; NULL: a number */
	bool has_unit;			/* scale, unit and mean are those of a PMU that has it */
	bool mean;			/* raw is an integral over running: struct gpmu_source_event_info */
	struct event_instance *instances;
	size_t length;			/* at least 1 */
};

/*
 * Appends terms, or sets those that are there:
 * "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3ff/" with "root_port=0x3" becomes
 * "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3/". New; NULL with errno ENOMEM or
 * EINVAL (not of the form PMU/terms/). Backslashes before characters are removed.
 */
char *event_with_terms(const char *text, const char *terms);

/*
 * Whether all PMUs that the text's part before "/" names have a format of that
 * name: 1, 0, -ENODEV (there are none), -EINVAL (no "/"), -ENOMEM
 */
int event_has_format(const struct gpmu_machine *machine, const char *text, const char *format);

#endif /* GPMU_EVENT_H */
