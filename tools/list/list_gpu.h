/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints what CUPTI can sample on a GPU's chip, with or without the GPU, by the plugin cupti. */
#ifndef GPMU_LIST_GPU_H
#define GPMU_LIST_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "list/list.h"

struct list_gpu {
	const char *chip;	/* "GH100"; NULL: that of the first GPU */
	bool chips;		/* print the names of chips only */
	bool passes;		/* print numbers of passes, which takes seconds */
};

/* Returns the exit status. */
int list_gpu(const struct list *list, const struct list_gpu *options);

#endif /* GPMU_LIST_GPU_H */
