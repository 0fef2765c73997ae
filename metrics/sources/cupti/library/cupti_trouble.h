/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reason why GPUs cannot be sampled, and the remedy. */
#ifndef GPMU_CUPTI_TROUBLE_H
#define GPMU_CUPTI_TROUBLE_H

#include "gpmu.h"

struct trouble {
	const char *kind;	/* a word for programs: "busy"; NULL: no trouble */
	char text[256];
	char remedy[160];	/* "": none is known */
};

/* @remedy is copied; "": none is known */
__attribute__((format(printf, 4, 5)))
void trouble_set(struct trouble *trouble, const char *kind, const char *remedy, const char *fmt, ...);
/* Sets the error to "TEXT: REMEDY", after "WHO: " if @who is not NULL; returns @ret. */
int trouble_fail(const struct trouble *trouble, const char *who, int ret, struct gpmu_error *error);

#endif /* GPMU_CUPTI_TROUBLE_H */
