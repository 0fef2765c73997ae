/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder of a PMU, format/, caps/ or events/, which has one line of text in each file. */
#ifndef GPMU_PMU_ATTRS_H
#define GPMU_PMU_ATTRS_H

#include "machine/sysfs.h"

struct pmu_attr {
	char *name;
	char *text;	/* of an event: "event=0x1a5" */
	char *unit;	/* of an event, from its file .unit; NULL: none */
	double scale;	/* of an event, from its file .scale; 1 if there is none */
};

/* Zeroed: empty */
struct pmu_attrs {
	struct pmu_attr *list;	/* sorted by strverscmp() */
	size_t len;
};

/*
 * Reads the folder into empty attributes; it may be missing. Returns errors as functions of sysfs.h do; the caller releases the
 * attributes in any case.
 */
int pmu_attrs_read(struct pmu_attrs *attrs, const struct sysfs_dir *pmu, const char *folder);
void pmu_attrs_release(struct pmu_attrs *attrs);

/* Appends an attribute without a text, which the caller sets; NULL if out of memory. The caller sorts the list. */
struct pmu_attr *pmu_attrs_add(struct pmu_attrs *attrs, const char *name);
/* NULL if there is no attribute of that name */
const struct pmu_attr *pmu_attrs_find(const struct pmu_attrs *attrs, const char *name);

#endif /* GPMU_PMU_ATTRS_H */
