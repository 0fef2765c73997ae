/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin's functions for groups; gpmu-source.h describes them. */
#ifndef GPMU_NVML_GROUP_H
#define GPMU_NVML_GROUP_H

#include "nvml_source.h"

int nv_group_open(void *data, size_t pmu, const struct gpmu_source_event *events, size_t length,
		  void **result, struct gpmu_error *error);
void nv_group_close(void *data, void *handle);
int nv_prepare(void *data, struct gpmu_error *error);
int nv_enable(void *data, uint64_t time);
int nv_disable(void *data, uint64_t time);
int nv_group_read(void *data, void *handle, uint64_t time, struct gpmu_source_count *counts);

#endif /* GPMU_NVML_GROUP_H */
