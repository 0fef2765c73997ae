/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GPUs that sources add to a machine. */
#ifndef GPMU_GPU_H
#define GPMU_GPU_H

#include <stddef.h>

#include "gpmu.h"

struct gpmu_source_gpu;

struct gpmu_gpu {
	char *uuid, *name, *chip, *pci;	/* all but uuid may be NULL */
	size_t number;			/* number among the machine's GPUs */
};

struct gpus {
	struct gpmu_gpu **list;
	size_t len;
};

/*
 * Finds or adds the GPU of that UUID. If several sources describe it, the first one's
 * values stay. Returns 0, -ENOMEM, or -EINVAL if the UUID is missing or has unprintable
 * characters.
 */
int gpus_add(struct gpus *gpus, const struct gpmu_source_gpu *shown, const struct gpmu_gpu **gpu);
/* Removes the GPUs from index @len on. */
void gpus_shorten(struct gpus *gpus, size_t len);
void gpus_release(struct gpus *gpus);

#endif /* GPMU_GPU_H */
