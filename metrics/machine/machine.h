/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine, as it is inside. */
#ifndef GPMU_MACHINE_H
#define GPMU_MACHINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpmu.h"
#include "machine/gpu.h"
#include "machine/machine_sysfs.h"
#include "machine/node.h"
#include "machine/pci.h"
#include "machine/pmu.h"

#define NEOVERSE_V2	0x410fd4f0	/* MIDR_EL1 without the revision, Arm Neoverse V2 TRM */

struct gpmu_machine {
	char *root;
	int fd;		/* of the root */
	struct warnings warnings;
	struct cpus possible, online;
	uint64_t midr;
	bool grace;	/* itself: a source's PMUs do not make it one */
	struct nodes nodes;
	struct gpmu_pmu **pmus;		/* by name */
	size_t pmus_len;
	/* Looked for when they are asked for, as few do that and there may be many */
	struct pcis pcis;
	atomic_bool has_pcis;
	pthread_mutex_t reading;
	struct gpmu_machine *self;
	struct gpmu_source **sources;	/* a reference of each; their PMUs are among those */
	size_t sources_len;
	struct gpus gpus;		/* of those sources */
};

/* Sockets, root ports and PMUs of a Grace's PCI devices; again when its PMUs have changed */
void machine_number_pcis(struct gpmu_machine *machine);

/* Puts the sources. PMUs of them are not to be used any more. */
void machine_sources_release(struct gpmu_machine *machine);

#endif /* GPMU_MACHINE_H */
