/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal structure of a machine. */
#ifndef GPMU_MACHINE_H
#define GPMU_MACHINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpmu.h"
#include "machine/gpmu_midr.h"
#include "machine/gpu.h"
#include "machine/sysfs.h"
#include "machine/node.h"
#include "machine/pci.h"
#include "machine/pmu.h"

struct gpmu_machine {
	char *root;
	int fd;		/* the root directory, open */
	struct warnings warnings;
	/* machine_need_counters() reads these on first use: CPUs, nodes and PMUs. */
	struct cpus online;
	uint64_t midr;
	bool is_grace;	/* the hardware is a Grace; PMUs of sources do not make it one */
	struct nodes nodes;
	struct gpmu_pmu **pmus;		/* sorted by name */
	size_t pmus_len;
	atomic_bool has_counters;
	/* PMU of software events that was read before the others; NULL: not read, or in @pmus */
	struct gpmu_pmu *software;
	/* machine_need_pcis() reads these on first use: few callers need them and there can be many. */
	struct pcis pcis;
	atomic_bool has_pcis;
	pthread_mutex_t reading;
	struct gpmu_machine *self;
	struct gpmu_source **sources;	/* one reference each; their PMUs are in pmus */
	size_t sources_len;
	struct gpus gpus;		/* GPUs that the sources describe */
};

/* machine_read.c */

/*
 * Read a part on first use. Return 0 with errno unchanged, or -errno with errno and @error set: ENOMEM, EMFILE or
 * ENFILE. @error: or NULL
 */
int machine_need_counters(const struct gpmu_machine *machine, struct gpmu_error *error);
int machine_need_pcis(const struct gpmu_machine *machine);
void machine_release_counters(struct gpmu_machine *machine);
/* Finds a PMU by its name; NULL: there is none, or PMUs were not read yet */
const struct gpmu_pmu *machine_search_pmu(const struct gpmu_machine *machine, const char *name);
/*
 * Finds the PMU of software events, NULL if there is none, without reading the other PMUs. Returns errors as
 * machine_need_counters() does.
 */
int machine_find_software(const struct gpmu_machine *machine, const struct gpmu_pmu **pmu, struct gpmu_error *error);

/* The node with that number; NULL: none, or @machine is NULL */
const struct gpmu_node *machine_find_node(const struct gpmu_machine *machine, int number);

/* Numbers of a CPU's package, die and core, which perf's labels contain: S36-D0-C7 */
struct cpu_topology {
	int package;	/* -1: not known */
	int die;	/* 0 where the kernel shows none */
	int core;	/* the CPU's number where the kernel shows none */
};

/* topology.c: reads the numbers of a CPU. A node that a source describes has the package that it describes. */
struct cpu_topology topology_read(const struct gpmu_machine *machine, int cpu);

/*
 * cgroup.c: opens the folder of a cgroup, whose name is its path in its hierarchy: "app", "/system.slice".
 * The hierarchy is the one of cgroup v1's controller perf_event if the machine has mounted it,
 * else cgroup v2, as in perf. Returns a file descriptor, or -errno with the error set.
 */
int machine_cgroup_open(const struct gpmu_machine *machine, const char *name,
			struct gpmu_error *error);

/* Sets socket, root port and PMU of a Grace's PCI devices. The caller repeats it when PMUs change. */
void machine_number_pcis(struct gpmu_machine *machine);

#endif /* GPMU_MACHINE_H */
