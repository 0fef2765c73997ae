/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a PMU, with their .scale and .unit files. */
#ifndef GPMU_PMU_EVENTS_H
#define GPMU_PMU_EVENTS_H

#include "machine/sysfs.h"

struct pmu_event {
	char *name;
	char *text;	/* "event=0x1a5" */
	char *unit;	/* NULL: none */
	double scale;	/* 1 if there is none */
};

struct pmu_events {
	struct pmu_event *list;	/* sorted by strverscmp() */
	size_t len;
};

/*
 * Reads the events; the folder may be missing. Returns errors as functions of sysfs.h
 * do.
 */
int pmu_events_read(struct pmu_events *events, const struct sysfs_dir *pmu);
void pmu_events_release(struct pmu_events *events);

/* NULL if there is no event of that name */
const struct pmu_event *pmu_events_find(const struct pmu_events *events, const char *name);

#endif /* GPMU_PMU_EVENTS_H */
