// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writes what must precede an event in the file: clocks, names and tracks, repeated from
 * time to time.
 */
#include <errno.h>

#include "trace/trace.h"

/*
 * Restarts the sequence: clocks are written again; names and tracks follow when they are
 * next used.
 */
static int restart(struct gpmu_trace *trace, uint64_t time)
{
	uint64_t begin = trace->written + trace->out.length;
	int ret;

	if (trace->names.count >= TRACE_NAMES_MAX || trace->names.bytes >= TRACE_NAMES_BYTES)
		trace_names_forget(&trace->names);
	/*
	 * If a write fails, later time stamps would refer to clocks unknown to the reader:
	 * stay due.
	 */
	trace->is_restart_due = true;
	ret = trace_put_restart(trace, time);
	if (ret)
		return ret;
	trace->is_restart_due = false;
	trace->restart++;
	trace->restart_begin = begin;
	trace->restart_bytes = trace->written + trace->out.length;
	return 0;
}

/* Writes what the packet of an event refers to. */
int trace_prepare(struct gpmu_trace *trace, int track, uint64_t time)
{
	if (trace->failed)
		return trace->failed;
	if (trace->is_restart_due || trace->names.count >= TRACE_NAMES_MAX ||
	    trace->names.bytes >= TRACE_NAMES_BYTES ||
	    trace->written + trace->out.length - trace->restart_bytes >= trace->restart_each) {
		int ret = restart(trace, time);

		if (ret)
			return ret;
	}
	while (track && trace->tracks[track - 1].given != trace->restart) {
		int top = track, parent;

		while ((parent = trace->tracks[top - 1].parent) &&
		       trace->tracks[parent - 1].given != trace->restart)
			top = parent;
		if (trace_put_track(trace, top))
			return -ENOMEM;
		trace->tracks[top - 1].given = trace->restart;
	}
	return 0;
}

int trace_done(struct gpmu_trace *trace)
{
	return trace->out.length >= trace->flush_at ? trace_write(trace) : 0;
}
