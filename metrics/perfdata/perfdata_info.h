/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Features of a perf.data's header to struct gpmu_perfdata_info */
#ifndef GPMU_PERFDATA_INFO_H
#define GPMU_PERFDATA_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/gpmu_perfdata_info.h"

/* Feature bits of the header */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_EVENT_DESC = 12,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_STAT = 19,
	FEATURE_COUNT = 256,
};

/*
 * Adds a feature; one that is unknown, or that has been added, is ignored. Returns 0; -EINVAL if it
 * ends before its last field; -ENOMEM.
 */
int perfdata_info_add(struct gpmu_perfdata_info *info, unsigned int feature, const void *data, size_t size);
/* Adds the build id of a record's body. Returns 0, -EINVAL or -ENOMEM. */
int perfdata_info_add_build_id(struct gpmu_perfdata_info *info, uint16_t misc, const void *data, size_t size);
void perfdata_info_release(struct gpmu_perfdata_info *info);

#endif /* GPMU_PERFDATA_INFO_H */
