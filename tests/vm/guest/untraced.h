/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces the driver's trace.h in a build without tracepoints, which shows the cost of tracepoints. */
#ifndef GRACE_CSPMU_TRACE_H
#define GRACE_CSPMU_TRACE_H

struct perf_event;

static inline void trace_counter_start(const struct perf_event *event) { }
static inline void trace_counter_stop(const struct perf_event *event) { }
static inline void trace_counter_read(const struct perf_event *event) { }
static inline void trace_counter_overflow(const struct perf_event *event) { }

#endif /* GRACE_CSPMU_TRACE_H */
