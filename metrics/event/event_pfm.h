/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libpfm4, whose header has a struct perf_event_attr that is not the kernel's. */
#ifndef GPMU_EVENT_PFM_H
#define GPMU_EVENT_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_pfm {
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv;
};

/* 0; -ENOENT, -ENODEV (a PMU that is not of this machine), -EINVAL, -ENOMEM: then @why is set */
int event_pfm_encode(const char *text, struct event_pfm *event, const char **why);

#endif /* GPMU_EVENT_PFM_H */
