/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder of a PMU, format/ or caps/, which has one line of text in each file. */
#ifndef GPMU_PMU_ATTRS_H
#define GPMU_PMU_ATTRS_H

#include "machine/sysfs.h"

struct pmu_attr {
	char *name;
	char *text;
};

struct pmu_attrs {
	struct pmu_attr *list;	/* sorted by strverscmp() */
	size_t len;
};

/* Reads the folder; it may be missing. Returns errors as functions of sysfs.h do. */
int pmu_attrs_read(struct pmu_attrs *attrs, const struct sysfs_dir *pmu, const char *folder);
void pmu_attrs_release(struct pmu_attrs *attrs);

/* NULL if there is no attribute of that name */
const struct pmu_attr *pmu_attrs_find(const struct pmu_attrs *attrs, const char *name);

#endif /* GPMU_PMU_ATTRS_H */
