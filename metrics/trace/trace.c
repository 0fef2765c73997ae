// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "trace/trace.h"

#define BUFFER		(256U << 10)
#define RESTART_EACH	(4U << 20)

static int set_options(struct gpmu_trace *trace, const struct gpmu_trace_options *options)
{
	struct gpmu_trace_options own = { 0 };

	if (options)
		sized_copy(&own, sizeof(own), options);
	trace->flush_at = own.buffer ? own.buffer : BUFFER;
	trace->restart_each = own.restart ? own.restart : RESTART_EACH;
	trace->path = strdup(own.path ? own.path : "trace");
	trace->kernel = own.kernel ? strdup(own.kernel) : NULL;
	return trace->path && (trace->kernel || !own.kernel) ? 0 : -ENOMEM;
}

struct gpmu_trace *gpmu_trace_new(int fd, const struct gpmu_trace_options *options,
				  struct gpmu_error *error)
{
	struct gpmu_trace *trace;

	if (options && options->size < sizeof(options->size)) {
		error_set(error, 0, "the options have no size");
		errno = EINVAL;
		return NULL;
	}
	trace = calloc(1, sizeof(*trace));
	if (trace) {
		trace->fd = fd;
		trace->is_restart_due = true;
		if (!set_options(trace, options))
			return trace;
		gpmu_trace_free(trace);
	}
	error_no_memory(error);
	return NULL;
}

void gpmu_trace_free(struct gpmu_trace *trace)
{
	if (!trace)
		return;
	trace_names_release(&trace->names);
	trace_tracks_release(trace);
	trace_samplers_release(trace);
	trace_gpus_release(trace);
	trace_kernels_release(trace);
	free(trace->out.data);
	free(trace->scratch.data);
	free(trace->path);
	free(trace->kernel);
	free(trace);
}

int gpmu_trace_flush(struct gpmu_trace *trace, struct gpmu_error *error)
{
	int ret = trace_write(trace);

	if (ret)
		error_set(error, 0, "%s: %s", trace->path, error_text(-ret));
	return ret;
}

int gpmu_trace_get_stats(const struct gpmu_trace *trace, struct gpmu_trace_stats *stats)
{
	struct gpmu_trace_stats own = trace->stats;
	size_t size = stats->size;

	if (size < sizeof(stats->size))
		return -EINVAL;
	own.size = size;
	own.bytes = trace->written + trace->out.length;
	own.restarts = trace->restart;
	memset(stats, 0, size);
	memcpy(stats, &own, size < sizeof(own) ? size : sizeof(own));
	return 0;
}

int gpmu_trace_audit(struct gpmu_trace *trace, uint64_t time, const char *name,
		     const struct gpmu_trace_arg *args, size_t arg_count)
{
	struct gpmu_trace_event event = {
		.size = sizeof(event),
		.time = time,
		.name = name,
		.category = "audit",
		.args = args,
		.arg_count = arg_count,
	};

	if (!trace->audit) {
		int track = gpmu_trace_track(trace, 0, "audit");

		if (track < 0)
			return track;
		trace->audit = track;
	}
	event.track = trace->audit;
	return gpmu_trace_instant(trace, &event);
}

static struct gpmu_trace_arg count(const char *name, uint64_t value)
{
	return (struct gpmu_trace_arg){ .name = name, .integer = (int64_t)value };
}

int gpmu_trace_finish(struct gpmu_trace *trace, struct gpmu_error *error)
{
	struct gpmu_trace_stats stats = { .size = sizeof(stats) };
	int ret;

	gpmu_trace_get_stats(trace, &stats);
	const struct gpmu_trace_arg args[] = {
		count("events", stats.events),
		count("bytes", stats.bytes),
		count("restarts", stats.restarts),
		count("back", stats.back),
		count("gaps", stats.gaps),
		count("mended", stats.mended),
		count("cut", stats.cut),
	};
	ret = gpmu_trace_audit(trace, trace->last_time, "trace", args,
			       ARRAY_SIZE(args));
	if (ret == -ENOMEM) {
		error_no_memory(error);
		return ret;
	}
	return gpmu_trace_flush(trace, error);
}
