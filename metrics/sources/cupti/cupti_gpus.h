/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine's GPUs, by UUID, and whether CUPTI can sample them. */
#ifndef GPMU_CUPTI_GPUS_H
#define GPMU_CUPTI_GPUS_H

#include "library/cupti_library.h"
#include "sources/nvml/nvml_messages.h"
#include "sources/nvml/nvml_links.h"

struct gpu {
	size_t ordinal;		/* its number in CUDA and CUPTI */
	int device;		/* CUDA's handle */
	unsigned int index;	/* NVML's, by the order on the PCI bus: nvidia_gpu_N */
	char uuid[64];
	char name[128];
	char pci[32];		/* "0009:01:00.0" */
	char chip[32];		/* "GH100" */
	nv_device nvml;		/* NULL if NVML does not have it */
	struct nv_links links;	/* unset without NVML */
	struct trouble trouble;	/* the reason why it cannot be sampled */
};

/*
 * Finds all GPUs, ordered by index, and makes CLOCK_MONOTONIC_RAW CUPTI's clock. A message names each GPU that the
 * driver cannot describe. Returns 0 or -errno with the error set, and the library's trouble if CUPTI or the driver is the
 * cause. The caller frees the GPUs.
 */
int gpus_find(struct library *library, struct gpu **gpus, size_t *length,
	      struct messages *messages, struct gpmu_error *error);

/* Returns whether CUPTI can sample the GPU; if not, sets the trouble. */
bool gpu_is_supported(const struct library *library, const struct gpu *gpu, struct trouble *trouble);
/* Sets the trouble for a CUPTI result with which sampling failed to begin */
void gpu_refusal(const struct library *library, int result, struct trouble *trouble);
/* Returns whether NVML reports that the GPU lacks a link. */
bool gpu_lacks(const struct gpu *gpu, enum nv_need need);
/* The SM clock in MHz; 0 if it is not known */
unsigned int gpu_clock(const struct library *library, const struct gpu *gpu);
/* Returns whether NVML reports idle as the reason for the GPU's clocks. */
bool gpu_is_idle(const struct library *library, const struct gpu *gpu);

#endif /* GPMU_CUPTI_GPUS_H */
