/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of CPUs, in text as the kernel prints it: "0-3,8". */
#ifndef GPMU_CPUS_H
#define GPMU_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#define CPUS_MAX	65536	/* a CPU's number is below; the kernel's limit is 8192 */

struct cpus {
	int *ids;	/* ascending, each once */
	size_t len;
};

/*
 * The CPUs of a list; they may be in any order, and "" has none.
 * Returns 0; -EINVAL (no such list), -ERANGE (a number from CPUS_MAX on) or
 * -ENOMEM, then with nothing to release.
 */
int cpus_parse(struct cpus *cpus, const char *text);
void cpus_release(struct cpus *cpus);

/* The list's length, of which as much as @size has room for is in @text, as with snprintf(). */
size_t cpus_format(const struct cpus *cpus, char *text, size_t size);

/* The lowest, or -1 */
int cpus_first(const struct cpus *cpus);
bool cpus_contain(const struct cpus *cpus, int cpu);
/* Whether all of @cpus are in @others */
bool cpus_within(const struct cpus *cpus, const struct cpus *others);
/* Removes from @cpus what is not in @others. */
void cpus_keep(struct cpus *cpus, const struct cpus *others);
/* 0 or -ENOMEM, then with nothing to release */
int cpus_copy(struct cpus *cpus, const struct cpus *from);

#endif /* GPMU_CPUS_H */
