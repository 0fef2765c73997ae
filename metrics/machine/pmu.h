/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A PMU as described by sysfs or by a source. */
#ifndef GPMU_PMU_H
#define GPMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "gpmu.h"
#include "machine/sysfs.h"
#include "machine/pmu_attrs.h"

struct gpmu_source;
struct gpmu_source_gpu;
struct gpmu_source_pmu;

struct gpmu_pmu {
	char *name;
	char *identifier;	/* NULL: none */
	uint32_t type;
	enum gpmu_pmu_kind kind;
	int number;		/* -1: none */
	bool has_cpumask;
	struct cpus cpus;
	const struct gpmu_node *node;	/* NULL: none; set by the machine */
	struct pmu_attrs formats;
	struct pmu_attrs caps;
	struct pmu_attrs events;
	int counters;		/* from caps/; -1: unknown */
	int counter_width;
	int cycle_counter;
	/* the source that counts this PMU, borrowed from the machine; NULL: the kernel counts it */
	struct gpmu_source *source;
	size_t source_index;		/* the source's number of the PMU */
	const struct gpmu_gpu *gpu;	/* the GPU of this PMU, borrowed from the machine; NULL: none */
};

/*
 * Makes the PMU of the folder @name in @devices; the caller frees it by pmu_free().
 * @online: the CPUs that are online. Returns errors as functions of sysfs.h do,
 * except -ENOENT.
 */
int pmu_new(struct gpmu_pmu **pmu, const struct sysfs_dir *devices, const char *name,
	    const struct cpus *online);
void pmu_free(struct gpmu_pmu *pmu);

/*
 * Makes a PMU from a source's description, without node and source; the caller frees it.
 * @node: number of its node, or -1. @gpu: the source's GPU, or NULL. Returns 0, -ENOMEM,
 * or -EINVAL with the invalid part in @why.
 */
int pmu_new_shown(struct gpmu_pmu **pmu, const struct gpmu_source_pmu *shown, int *node,
		  const struct gpmu_source_gpu **gpu, const char **why);

/*
 * Returns whether an event string can contain the name: it has no blanks and no unprintable
 * characters.
 */
bool pmu_is_name(const char *name);

/*
 * Derives the kind from the name, GPMU_PMU_OTHER if it is none of Grace's, and the number,
 * -1 if there is none.
 */
enum gpmu_pmu_kind pmu_name_parse(const char *name, int *number);

/* Returns the content of a file of caps/; NULL if there is none */
const char *pmu_cap(const struct gpmu_pmu *pmu, const char *name);
/* Returns the factor from an event's count to its unit, by default 1 */
double pmu_event_scale(const struct gpmu_pmu *pmu, const char *name);

#endif /* GPMU_PMU_H */
