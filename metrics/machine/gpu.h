/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GPUs, which sources bring to a machine. */
#ifndef GPMU_GPU_H
#define GPMU_GPU_H

#include <stddef.h>

#include "gpmu.h"

struct gpmu_source_gpu;

struct gpmu_gpu {
	char *uuid, *name, *chip, *pci;	/* all but the first may be NULL */
	size_t number;			/* in the machine's */
};

struct gpus {
	struct gpmu_gpu **list;
	size_t len;
};

/*
 * The GPU of that UUID, which is added if there is none; what several sources say of one
 * is what the first says. Returns 0, -ENOMEM, or -EINVAL: it has no UUID of printable
 * characters
 */
int gpus_add(struct gpus *gpus, const struct gpmu_source_gpu *shown, const struct gpmu_gpu **gpu);
/* Those from @len on are there no more. */
void gpus_shorten(struct gpus *gpus, size_t len);
void gpus_release(struct gpus *gpus);

#endif /* GPMU_GPU_H */
