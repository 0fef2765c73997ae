/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, documented in grace-cspmu.rst. They are called under the lock of the
 * PMU. A program or an event that is attached to one may call the driver, see lock.c.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM grace_cspmu

#if !defined(GRACE_CSPMU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GRACE_CSPMU_TRACE_H

#include <linux/bits.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "cspmu.h"

/* Size of the name of a PMU in a record; a longer name is truncated */
#define GRACE_TRACE_NAME	32

DECLARE_EVENT_CLASS(grace_counter,
		    TP_PROTO(const struct perf_event *event),
		    TP_ARGS(event),
		    TP_STRUCT__entry(__array(char, pmu, GRACE_TRACE_NAME)
				     __field(u64, event)
				     __field(u64, raw)
				     __field(u64, count)
				     __field(u32, filter)
				     __field(int, counter)
		    ),
		    TP_fast_assign(const struct grace_pmu *gp = to_grace_pmu(event->pmu);

				   strscpy_pad(__entry->pmu, gp->name, GRACE_TRACE_NAME);
				   __entry->event = event->hw.idx == GRACE_CYCLE_IDX ?
						    GRACE_CYCLES : event->hw.config;
				   __entry->raw = local64_read(&event->hw.prev_count);
				   __entry->count = local64_read(&event->count);
				   __entry->filter = event->hw.config_base;
				   __entry->counter = event->hw.idx;
		    ),
		    TP_printk("pmu=%s counter=%d event=0x%llx filter=0x%x raw=0x%llx count=%llu",
			      __entry->pmu, __entry->counter, __entry->event,
			      __entry->filter, __entry->raw, __entry->count)
);

/* A counter starts at raw */
DEFINE_EVENT(grace_counter, counter_start,
	     TP_PROTO(const struct perf_event *event),
	     TP_ARGS(event)
);

/* A counter stopped. raw is its last value that could be read. */
DEFINE_EVENT(grace_counter, counter_stop,
	     TP_PROTO(const struct perf_event *event),
	     TP_ARGS(event)
);

/* A counter was read */
DEFINE_EVENT(grace_counter, counter_read,
	     TP_PROTO(const struct perf_event *event),
	     TP_ARGS(event)
);

/* The interrupt found the overflow flag of a counter set */
DEFINE_EVENT(grace_counter, counter_overflow,
	     TP_PROTO(const struct perf_event *event),
	     TP_ARGS(event)
);

#endif /* GRACE_CSPMU_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
