/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links that some GPUs of a chip have and others lack; both GPU plugins ask NVML about them. */
#ifndef GPMU_NVML_LINKS_H
#define GPMU_NVML_LINKS_H

#include <stdbool.h>

#include "nvml_api.h"

enum nv_need {
	NEED_NOTHING,
	NEED_NVLINK,
	NEED_C2C,
	NEEDS
};

struct nv_links {
	unsigned long long nvlinks;	/* a bit for each active NVLink */
	/* NV_SUCCESS: the link is there; NV_NOT_SUPPORTED: it is not; NVML's error: it may be there */
	int results[NEEDS];
};

void nv_find_links(const struct nv_api *api, nv_device device, struct nv_links *links);
/* Returns whether the GPU lacks the link. */
bool nv_lacks(const struct nv_links *links, enum nv_need need);
/* The reason why events of a missing link cannot be counted; NULL for NEED_NOTHING */
const char *nv_need_why(enum nv_need need);

#endif /* GPMU_NVML_LINKS_H */
