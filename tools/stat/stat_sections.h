/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpmu stat --section: counts the metrics of section files that PM sampling has. */
#ifndef GPMU_STAT_SECTIONS_H
#define GPMU_STAT_SECTIONS_H

#include "stat/stat_options.h"

/*
 * Requests the metrics of the sections, after common_open(), and prints why others are not counted. Dies if a section
 * is missing or has no metric that can be counted.
 */
void stat_sections_request(struct stat_options *options);
/* A function for heading of struct gpmu_sink_options. @user: a struct stat_options */
const char *stat_sections_heading(const char *name, void *user);

#endif /* GPMU_STAT_SECTIONS_H */
