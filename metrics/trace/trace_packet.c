// SPDX-License-Identifier: LGPL-2.1-or-later
/* Packs the packets that are not events. */
#include <errno.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/array.h"
#include "trace/gpmu_clock.h"
#include "trace/trace.h"
#include "trace.pb-c.h"

static int put_on(struct gpmu_trace *trace, uint32_t sequence, GpmuPb__TracePacket *packet)
{
	GpmuPb__TracePacket *packets[] = { packet };
	GpmuPb__Trace file = GPMU_PB__TRACE__INIT;
	uint8_t *room;

	file.n_packet = 1;
	file.packet = packets;
	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = sequence;
	room = trace_room(&trace->out, gpmu_pb__trace__get_packed_size(&file));
	if (!room)
		return -ENOMEM;
	trace->out.length += gpmu_pb__trace__pack(&file, room);
	return 0;
}

int trace_put(struct gpmu_trace *trace, GpmuPb__TracePacket *packet)
{
	return put_on(trace, TRACE_SEQUENCE, packet);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Adds a kernel clock's value at @time in the past, assuming that it has advanced as
 * CLOCK_MONOTONIC_RAW has since. Perfetto rejects clocks that go backwards between
 * snapshots, except CLOCK_REALTIME, which can be set.
 */
static void look(struct gpmu_trace *trace, clockid_t id, enum trace_clock clock, uint64_t time)
{
	struct gpmu_clock_pair pair;
	uint64_t now, shown = 0;

	if (gpmu_clock_read(id, &pair))
		return;
	now = pair.before + (pair.after - pair.before) / 2;
	if (time >= now || now - time <= pair.other)
		shown = pair.other - (now - time);
	trace->snapshot[clock] = clock == TRACE_CLOCK_REALTIME ? shown :
				 later(shown, trace->snapshot[clock]);
}

/*
 * Adds a clock snapshot. A time before that of the last snapshot is raised to it, as the
 * clock would go backwards. Our own clocks count from this time on.
 */
static void snapshot(struct gpmu_trace *trace, uint64_t time)
{
	time = later(time, trace->snapshot[TRACE_CLOCK_RAW]);
	trace->snapshot[TRACE_CLOCK_RAW] = time;
	trace->steps = time;
	trace->ends = time;
	if (trace->kernel)
		return;
	look(trace, CLOCK_BOOTTIME, TRACE_CLOCK_BOOTTIME, time);
	look(trace, CLOCK_MONOTONIC, TRACE_CLOCK_MONOTONIC, time);
	look(trace, CLOCK_REALTIME, TRACE_CLOCK_REALTIME, time);
}

int trace_put_restart(struct gpmu_trace *trace, uint64_t time)
{
	static const enum trace_clock ids[] = {
		TRACE_CLOCK_RAW, TRACE_CLOCK_BOOTTIME, TRACE_CLOCK_MONOTONIC,
		TRACE_CLOCK_REALTIME, TRACE_CLOCK_STEPS, TRACE_CLOCK_ENDS,
	};
	enum { N = ARRAY_SIZE(ids) };
	GpmuPb__TracePacketDefaults defaults = GPMU_PB__TRACE_PACKET_DEFAULTS__INIT;
	GpmuPb__ClockSnapshot all = GPMU_PB__CLOCK_SNAPSHOT__INIT;
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT;
	GpmuPb__ClockSnapshot__Clock clocks[N], *each[N];
	size_t n = 0;

	snapshot(trace, time);
	for (size_t i = 0; i < N; i++) {
		bool is_own = ids[i] >= TRACE_CLOCK_STEPS;

		if (trace->kernel && !is_own && ids[i] != TRACE_CLOCK_RAW)
			continue;
		gpmu_pb__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = 1;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = trace->snapshot[is_own ? TRACE_CLOCK_RAW : ids[i]];
		clocks[i].has_is_incremental = clocks[i].has_unit_multiplier_ns = is_own;
		clocks[i].is_incremental = is_own;
		clocks[i].unit_multiplier_ns = 1;
		each[n++] = &clocks[i];
	}
	all.n_clocks = n;
	all.clocks = each;
	all.has_primary_trace_clock = 1;
	all.primary_trace_clock = TRACE_CLOCK_RAW;
	defaults.has_timestamp_clock_id = 1;
	defaults.timestamp_clock_id = TRACE_CLOCK_STEPS;
	packet.clock_snapshot = &all;
	packet.trace_packet_defaults = &defaults;
	packet.has_sequence_flags = 1;
	packet.sequence_flags = TRACE_STATE_CLEARED;
	return trace_put(trace, &packet);
}

int trace_put_system(struct gpmu_trace *trace)
{
	GpmuPb__Utsname names = GPMU_PB__UTSNAME__INIT;
	GpmuPb__SystemInfo system = GPMU_PB__SYSTEM_INFO__INIT;
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT;
	struct utsname uts;

	uname(&uts);
	names.sysname = uts.sysname;
	names.release = trace->kernel ? trace->kernel : uts.release;
	names.version = trace->kernel ? NULL : uts.version;
	names.machine = trace->kernel ? NULL : uts.machine;
	system.utsname = &names;
	packet.system_info = &system;
	return trace_put(trace, &packet);
}

/*
 * TrackDescriptor.sibling_merge_behavior; by default Perfetto merges sibling tracks of the
 * same name.
 */
enum { NOT_MERGED = 2 };

/* Perfetto's number of a unit; 0: the unit is written as a name */
static uint32_t unit_of(const char *unit)
{
	if (!strcmp(unit, "ns"))
		return 1;
	return strcmp(unit, "B") ? 0 : 3;
}

static void describe_counter(GpmuPb__CounterDescriptor *counter, const struct trace_track *track)
{
	counter->has_is_incremental = 1;
	if (!track->unit)
		return;
	counter->unit = unit_of(track->unit);
	counter->has_unit = counter->unit != 0;
	if (!counter->unit)
		counter->unit_name = track->unit;
}

int trace_put_track(struct gpmu_trace *trace, int number)
{
	const struct trace_track *track = &trace->tracks[number - 1];
	GpmuPb__TrackDescriptor descriptor = GPMU_PB__TRACK_DESCRIPTOR__INIT;
	GpmuPb__ProcessDescriptor process = GPMU_PB__PROCESS_DESCRIPTOR__INIT;
	GpmuPb__ThreadDescriptor thread = GPMU_PB__THREAD_DESCRIPTOR__INIT;
	GpmuPb__CounterDescriptor counter = GPMU_PB__COUNTER_DESCRIPTOR__INIT;
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT;

	descriptor.has_uuid = 1;
	descriptor.uuid = (uint64_t)number;
	descriptor.has_parent_uuid = track->parent != 0;
	descriptor.parent_uuid = (uint64_t)track->parent;
	process.has_pid = thread.has_pid = thread.has_tid = 1;
	process.pid = thread.pid = track->pid;
	thread.tid = track->tid;
	switch (track->kind) {
	case TRACE_TRACK_PROCESS:
		process.process_name = track->name;
		descriptor.process = &process;
		break;
	case TRACE_TRACK_THREAD:
		thread.thread_name = track->name;
		descriptor.thread = &thread;
		break;
	case TRACE_TRACK_COUNTER:
		describe_counter(&counter, track);
		descriptor.counter = &counter;
		descriptor.name = track->name;
		break;
	case TRACE_TRACK_PLAIN:
		descriptor.name = track->name;
		descriptor.has_sibling_merge_behavior = 1;
		descriptor.sibling_merge_behavior = NOT_MERGED;
		break;
	case TRACE_TRACK_QUEUE:
	case TRACE_TRACK_GPU_COUNTER:
		return 0;
	}
	packet.track_descriptor = &descriptor;
	return trace_put(trace, &packet);
}

/* Restarts the sequence of a sampler. Time stamps of samples are CLOCK_MONOTONIC_RAW. */
int trace_put_sampler(struct gpmu_trace *trace, int sampler)
{
	GpmuPb__PerfSampleDefaults__Timebase timebase = GPMU_PB__PERF_SAMPLE_DEFAULTS__TIMEBASE__INIT;
	GpmuPb__PerfSampleDefaults samples = GPMU_PB__PERF_SAMPLE_DEFAULTS__INIT;
	GpmuPb__TracePacketDefaults defaults = GPMU_PB__TRACE_PACKET_DEFAULTS__INIT;
	GpmuPb__TracePacket packet = GPMU_PB__TRACE_PACKET__INIT;

	timebase.name = trace->samplers[sampler - 1].event;
	samples.timebase = &timebase;
	defaults.perf_sample_defaults = &samples;
	defaults.has_timestamp_clock_id = 1;
	defaults.timestamp_clock_id = TRACE_CLOCK_RAW;
	packet.trace_packet_defaults = &defaults;
	packet.has_sequence_flags = 1;
	packet.sequence_flags = TRACE_STATE_CLEARED;
	return put_on(trace, TRACE_SEQUENCE + (uint32_t)sampler, &packet);
}
