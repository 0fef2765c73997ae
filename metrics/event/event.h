/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events, parsed and ready to open. */
#ifndef GPMU_EVENT_H
#define GPMU_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "gpmu.h"

/* Events that libgpmu counts itself, as perf does: they have no attr and no PMU. */
enum event_tool {
	EVENT_TOOL_NONE,
	EVENT_TOOL_DURATION_TIME,	/* ns, measured */
	EVENT_TOOL_USER_TIME,		/* ns of the command */
	EVENT_TOOL_SYSTEM_TIME,
};

/* A cgroup whose tasks an event counts */
struct event_cgroup {
	char *name;
	int fd;				/* of its folder */
};

/* An event on one PMU */
struct event_instance {
	char *name; /* for "perf stat -e": "nvidia_scf_pmu_0/cmem_rd_data/" */
	const struct gpmu_pmu *pmu;	/* borrowed; NULL: sysfs shows no such PMU */
	enum event_tool tool;
	/*
	 * Only size, type, config..config4, exclude_*, precise_ip, exclusive, pinned can
	 * be nonzero.
	 */
	struct perf_event_attr attr;
	bool is_cycle_counter;		/* uses the PMU's cycle counter instead of a general one */
	bool is_weak;			/* modifier W: the group may be split */
	const struct event_cgroup *cgroup;	/* borrowed from the plan; NULL: all tasks */
};

struct gpmu_event {
	char *text;			/* the user's text */
	char *label;			/* from the term "name="; NULL: none */
	double scale;			/* factor from counts to the unit */
	char *unit;			/* NULL: a plain number */
	bool has_unit;			/* a PMU has set scale, unit and mean */
	/* raw is an integral over running: struct gpmu_source_event_info */
	bool is_mean;
	struct event_instance *instances;
	size_t length;			/* at least 1 */
};

/*
 * Appends terms to an event, or sets those that it has:
 * "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3ff/" with "root_port=0x3" becomes
 * "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3/". Removes backslashes before characters.
 * Returns a new string, which the caller frees, or NULL with errno ENOMEM or EINVAL (not
 * of the form PMU/terms/).
 */
char *event_with_terms(const char *text, const char *terms);

/*
 * Sets *@name to the event's name for perf if it is not the instance's, for the caller to free,
 * otherwise to NULL. 0 or -ENOMEM
 */
int event_perf_name(const struct gpmu_machine *machine, const struct event_instance *instance,
		    char **name);

/*
 * Returns whether all PMUs that the text's part before "/" names have this format: 1, 0, -ENODEV
 * (no such PMU), -EINVAL (no "/") or -ENOMEM
 */
int event_has_format(const struct gpmu_machine *machine, const char *text, const char *format);

#endif /* GPMU_EVENT_H */
