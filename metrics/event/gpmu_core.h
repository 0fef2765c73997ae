/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The PMU of the CPU cores */
#ifndef GPMU_CORE_H
#define GPMU_CORE_H

#include "gpmu.h"

/* Returns the PMU of all CPUs, borrowed; NULL: there is none, or there are several. */
const struct gpmu_pmu *gpmu_core_pmu(const struct gpmu_machine *machine);

#endif /* GPMU_CORE_H */
