/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine's GPUs, by UUID, and whether their profiler can be had. */
#ifndef GPMU_CUPTI_GPUS_H
#define GPMU_CUPTI_GPUS_H

#include "cupti_library.h"
#include "cupti_messages.h"

struct gpu {
	size_t ordinal;		/* CUDA's and CUPTI's number of it */
	int device;		/* CUDA's handle */
	unsigned int index;	/* NVML's, by the order on the PCI bus: nvidia_gpu_N */
	char uuid[64];
	char name[128];
	char pci[32];		/* "0009:01:00.0" */
	char chip[32];		/* "GH100" */
	nvmlDevice_t nvml;	/* NULL: it is not to be had */
	struct trouble trouble;	/* why it cannot be sampled */
};

/*
 * All GPUs by their index; a message says of which the driver knows nothing. Returns 0 or
 * -errno with the error set, and the library's trouble if CUPTI or the driver is why; the
 * caller frees them. CUPTI's times are then CLOCK_MONOTONIC_RAW's.
 */
int gpus_find(struct library *library, struct gpu **gpus, size_t *length,
	      struct messages *messages, struct gpmu_error *error);

/* Whether CUPTI can sample it; the trouble says why not. */
bool gpu_supported(const struct library *library, const struct gpu *gpu, struct trouble *trouble);
/* What a result of CUPTI's means where sampling begins */
void gpu_refusal(const struct library *library, int result, struct trouble *trouble);
/* MHz of its SMs; 0: not known */
unsigned int gpu_clock(const struct library *library, const struct gpu *gpu);
/* Whether NVML says that its clocks are what they are because it has nothing to do */
bool gpu_idle(const struct library *library, const struct gpu *gpu);

#endif /* GPMU_CUPTI_GPUS_H */
