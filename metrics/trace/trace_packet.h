/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs packets by protobuf-c. */
#ifndef GPMU_TRACE_PACKET_H
#define GPMU_TRACE_PACKET_H

#include "trace/trace.h"
#include "trace.pb-c.h"

/* Appends a packet to the buffer. Returns 0 or -ENOMEM. */
int trace_put(struct gpmu_trace *trace, GpmuPb__TracePacket *packet);

#endif /* GPMU_TRACE_PACKET_H */
