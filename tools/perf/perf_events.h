/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names the cores' PMU in lists of events for perf. */
#ifndef GPMU_PERF_EVENTS_H
#define GPMU_PERF_EVENTS_H

#include "gpmu.h"

/*
 * Gives each event of an argument of -e that has no PMU, and that both the cores' PMU and another
 * PMU have, the cores' PMU: "{cycles,instructions}:u" becomes
 * "{armv8_pmuv3_0/cpu_cycles/,instructions}:u". All other text is unchanged. The caller frees the new
 * list; NULL: there is no such event, or there are no or several PMUs of cores.
 */
char *perf_events_on_cores(const struct gpmu_machine *machine, const char *list);

#endif /* GPMU_PERF_EVENTS_H */
