/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpmu stat --regions: counts the regions that a command marks with gpmu-mark.h. */
#ifndef GPMU_STAT_REGIONS_H
#define GPMU_STAT_REGIONS_H

#include "stat/stat_options.h"

/* Runs the command and prints its regions. Returns the exit status. Dies on failure. */
int stat_regions(const struct stat_options *options);

#endif /* GPMU_STAT_REGIONS_H */
