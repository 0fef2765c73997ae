/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine, as it is inside. */
#ifndef GPMU_MACHINE_H
#define GPMU_MACHINE_H

#include "gpmu.h"
#include "machine_sysfs.h"
#include "node.h"
#include "pci.h"
#include "pmu.h"

struct gpmu_machine {
	char *root;
	int fd;		/* of the root */
	struct warnings warnings;
	struct cpus possible, online;
	uint64_t midr;
	struct nodes nodes;
	struct gpmu_pmu **pmus;		/* by name */
	size_t pmus_len;
	struct pcis pcis;
	struct gpmu_source **sources;	/* a reference of each; their PMUs are among those */
	size_t sources_len;
};

/* Puts the sources. PMUs of them are not to be used any more. */
void machine_sources_release(struct gpmu_machine *machine);

#endif /* GPMU_MACHINE_H */
