/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpmu stat --regions: counts the regions that a command marks with gpmu-mark.h. */
#ifndef GPMU_STAT_REGIONS_H
#define GPMU_STAT_REGIONS_H

#include <stdbool.h>

#include "common.h"
#include "gpmu.h"
#include "output.h"

struct stat_regions {
	const struct common *common;
	const char *events;		/* counted without -e and -M */
	char **argv;			/* the command */
	const char *path;		/* -o, or NULL */
	enum output_mode mode;
	enum gpmu_sink_kind format;
	const char *separator;
	enum gpmu_aggregation aggregation;
	bool per_thread;
};

/* Runs the command and prints its regions. Returns the exit status. Dies on failure. */
int stat_regions(const struct stat_regions *regions);

#endif /* GPMU_STAT_REGIONS_H */
