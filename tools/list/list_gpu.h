/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the metrics of GPUs, and the events that CUPTI can sample on a GPU's chip, with or without the GPU. */
#ifndef GPMU_LIST_GPU_H
#define GPMU_LIST_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "list/list.h"

struct list_gpu {
	const char *chip;	/* "GH100"; NULL: that of the first GPU */
	bool wants_chips;	/* print the names of chips only */
	bool wants_passes;	/* print numbers of passes, which takes seconds */
};

/*
 * Lists metrics and NVML's events, and the chip's own events, more than a thousand, only with the kind event or a pattern.
 * Returns the exit status.
 */
int list_gpu(struct list *list, const struct list_gpu *options);

#endif /* GPMU_LIST_GPU_H */
