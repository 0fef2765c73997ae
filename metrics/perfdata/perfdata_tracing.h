/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the formats of tracepoints. */
#ifndef GPMU_PERFDATA_TRACING_H
#define GPMU_PERFDATA_TRACING_H

#include "base/map.h"
#include "base/vector.h"
#include "perfdata/gpmu_perfdata_tracing.h"

/* Zeroed: empty */
struct perfdata_tracing {
	struct vector list;	/* struct gpmu_perfdata_tracepoint */
	struct map ids;		/* id: index */
};

/*
 * Adds the tracepoints in the data of HEADER_TRACING_DATA. Returns 0; -EINVAL, with the offset of the
 * damage in *@at, if a part is malformed: the tracepoints before it have been added; or -ENOMEM.
 */
int perfdata_tracing_parse(struct perfdata_tracing *tracing, const void *data, size_t size, size_t *at);
void perfdata_tracing_release(struct perfdata_tracing *tracing);

#endif /* GPMU_PERFDATA_TRACING_H */
