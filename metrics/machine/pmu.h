/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A PMU, as sysfs shows it. */
#ifndef GPMU_PMU_H
#define GPMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "gpmu.h"
#include "machine/machine_sysfs.h"
#include "machine/pmu_attrs.h"
#include "machine/pmu_events.h"

struct gpmu_source;
struct gpmu_source_gpu;
struct gpmu_source_pmu;

struct gpmu_pmu {
	char *name;
	char *identifier;	/* or NULL */
	uint32_t type;
	enum gpmu_pmu_kind kind;
	int number;		/* or -1 */
	bool has_cpumask;
	struct cpus cpus;
	const struct gpmu_node *node;	/* or NULL; set by the machine */
	struct pmu_attrs formats;
	struct pmu_attrs caps;
	struct pmu_events events;
	int counters;		/* of caps; or -1 */
	int counter_width;
	int cycle_counter;
	struct gpmu_source *source;	/* that counts it, borrowed from the machine; NULL: the kernel */
	size_t source_index;		/* its number there */
	const struct gpmu_gpu *gpu;	/* that it counts, likewise; or NULL */
};

/*
 * The PMU whose folder is @name of @devices, new; @online: the CPUs that are.
 * Returns as functions of machine_sysfs.h do, but -ENOENT.
 */
int pmu_new(struct gpmu_pmu **pmu, const struct sysfs_dir *devices, const char *name,
	    const struct cpus *online);
void pmu_free(struct gpmu_pmu *pmu);

/*
 * The PMU that a source shows, new, without node and source. @node: the number of its
 * node, or -1; @gpu: the source's, or NULL. Returns 0, -ENOMEM, or -EINVAL with @why: what it has that cannot be
 */
int pmu_new_shown(struct gpmu_pmu **pmu, const struct gpmu_source_pmu *shown, int *node,
		  const struct gpmu_source_gpu **gpu, const char **why);

/* An event string names it: no blanks, nothing that a terminal would not show. */
bool pmu_is_name(const char *name);

/* What the name says: a Grace's kind, or GPMU_PMU_OTHER; the number, or -1 */
enum gpmu_pmu_kind pmu_name_parse(const char *name, int *number);

#endif /* GPMU_PMU_H */
