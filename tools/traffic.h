/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow's numbers as text, CSV or JSON. */
#ifndef GPMU_TRAFFIC_H
#define GPMU_TRAFFIC_H

#include <stdbool.h>
#include <stdio.h>

#include "gpmu.h"

/* What is printed once, not with each interval */
struct traffic_said {
	char *lines[64];	/* notes */
	size_t n;
	bool origins;		/* of peaks */
};

/* What is written, and how */
struct traffic_view {
	FILE *file;
	const struct gpmu_flow *flow;
	double begin, end;	/* seconds */
	bool json, interval;
	const char *separator;	/* of CSV; NULL: text */
	struct traffic_said *said;
};

void traffic_text(const struct traffic_view *view);
void traffic_said_release(struct traffic_said *said);
/* CSV or JSON lines; CSV's first lines by the other */
void traffic_records(const struct traffic_view *view);
void traffic_header(const struct traffic_view *view);

#endif /* GPMU_TRAFFIC_H */
