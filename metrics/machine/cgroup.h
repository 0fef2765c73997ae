/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups of perf events */
#ifndef GPMU_CGROUP_H
#define GPMU_CGROUP_H

#include "gpmu.h"

/*
 * Opens the folder of a cgroup, whose name is its path in its hierarchy: "app", "/system.slice".
 * The hierarchy is the one of cgroup v1's controller perf_event if the machine has mounted it,
 * else cgroup v2, as in perf. Returns a file descriptor, or -errno with the error set.
 */
int machine_cgroup_open(const struct gpmu_machine *machine, const char *name,
			struct gpmu_error *error);

#endif /* GPMU_CGROUP_H */
