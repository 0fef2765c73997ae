/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodes events with libpfm4 in a file of its own: its header defines a struct
 * perf_event_attr that differs from the kernel's.
 */
#ifndef GPMU_EVENT_PFM_H
#define GPMU_EVENT_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_pfm {
	uint32_t type;
	uint64_t config, config1, config2;
	bool is_user_excluded, is_kernel_excluded, is_hv_excluded;
};

/*
 * Returns 0, or -ENOENT, -ENODEV (the PMU is not in this machine), -EINVAL or -ENOMEM with
 * @why set.
 */
int event_pfm_encode(const char *text, struct event_pfm *event, const char **why);

#endif /* GPMU_EVENT_PFM_H */
