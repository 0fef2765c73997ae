/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of CPUs, and its text as the kernel prints it: "0-3,8". */
#ifndef GPMU_CPUS_H
#define GPMU_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#define CPUS_MAX	65536	/* exclusive limit of CPU numbers; the kernel's limit is 8192 */

struct cpus {
	int *ids;	/* ascending and unique */
	size_t len;
};

/*
 * Parses a list of CPUs in any order; "" is the empty set. Returns 0, or -EINVAL (not a
 * list), -ERANGE (a number of CPUS_MAX or more) or -ENOMEM. On failure there is nothing to
 * release.
 */
int cpus_parse(struct cpus *cpus, const char *text);
void cpus_release(struct cpus *cpus);

/*
 * Formats the list into @text, truncated to @size. Returns the full length, as snprintf()
 * does.
 */
size_t cpus_format(const struct cpus *cpus, char *text, size_t size);

/* Lowest CPU; -1 if the set is empty */
int cpus_first(const struct cpus *cpus);
bool cpus_contain(const struct cpus *cpus, int cpu);
/* Returns whether @others contains all of @cpus. */
bool cpus_are_within(const struct cpus *cpus, const struct cpus *others);
/* Removes CPUs from @cpus that are not in @others. */
void cpus_keep(struct cpus *cpus, const struct cpus *others);
/* Returns 0, or -ENOMEM with nothing to release. */
int cpus_copy(struct cpus *cpus, const struct cpus *from);

#endif /* GPMU_CPUS_H */
