/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What CUPTI can sample of a GPU's chip, with or without the GPU. The plugin cupti is asked. */
#ifndef GPMU_LIST_GPU_H
#define GPMU_LIST_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "list.h"

struct list_gpu {
	const char *chip;	/* "GH100"; NULL: that of the first GPU */
	bool chips;		/* the names of chips alone */
	bool passes;		/* which takes seconds */
};

/* Returns the exit status. */
int list_gpu(const struct list *list, const struct list_gpu *options);

#endif /* GPMU_LIST_GPU_H */
