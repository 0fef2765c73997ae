/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a folder of a PMU holds, format/ or caps/: a line of text in each file. */
#ifndef GPMU_PMU_ATTRS_H
#define GPMU_PMU_ATTRS_H

#include "machine/machine_sysfs.h"

struct pmu_attr {
	char *name;
	char *text;
};

struct pmu_attrs {
	struct pmu_attr *list;	/* in the order of strverscmp() */
	size_t len;
};

/* 0 also if there is no such folder; else as functions of machine_sysfs.h. */
int pmu_attrs_read(struct pmu_attrs *attrs, const struct sysfs_dir *pmu, const char *folder);
void pmu_attrs_release(struct pmu_attrs *attrs);

/* NULL if there is none of that name */
const struct pmu_attr *pmu_attrs_find(const struct pmu_attrs *attrs, const char *name);

#endif /* GPMU_PMU_ATTRS_H */
