/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* -G and --for-each-cgroup of gpmu stat */
#ifndef GPMU_STAT_CGROUP_H
#define GPMU_STAT_CGROUP_H

#include <stdbool.h>

struct common;
struct gpmu_plan;

struct stat_cgroups {
	const char *list;	/* names, separated by commas; NULL: no cgroups */
	bool wants_each;	/* --for-each-cgroup: all events in each cgroup */
};

/* Takes the argument of either option. Dies if one of them was given before. */
void stat_cgroups_parse(struct stat_cgroups *cgroups, const char *list, bool wants_each);
/* As common_plan(), for the tasks of these cgroups */
struct gpmu_plan *stat_cgroups_plan(const struct stat_cgroups *cgroups, const struct common *common,
				    bool is_system_wide);

#endif /* GPMU_STAT_CGROUP_H */
