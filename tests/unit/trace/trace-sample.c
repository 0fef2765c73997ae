// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packets of samples: byte for byte as protobuf-c packs them, entries of tables written once between two
 * restarts, sums of periods, and refused samples. trace-sql.t tests their meaning.
 */
#include <limits.h>
#include <stddef.h>

#include "trace-test.h"
#include "trace/trace.h"

static const struct gpmu_trace_frame frames[] = {
	{ "leaf", "/bin/app", UINT64_MAX }, { "middle \xff", "[kernel]", 0 }, { NULL, NULL, 1 },
};

static struct gpmu_trace_sample sample_of(int sampler)
{
	return (struct gpmu_trace_sample){
		.size = sizeof(struct gpmu_trace_sample), .sampler = sampler, .time = 12345678901234, .cpu = 71, .pid = 7, .tid = 8,
		.mode = GPMU_TRACE_USER, .period = 1000, .frames = frames, .frame_count = 3,
	};
}

/* Returns the packet of the @n-th sample, or NULL. */
static const GpmuPb__TracePacket *packet_of(const GpmuPb__Trace *read, size_t n)
{
	for (size_t i = 0; read && i < read->n_packet; i++)
		if (read->packet[i]->perf_sample && !n--)
			return read->packet[i];
	return NULL;
}

static void bytes(void)
{
	static struct gpmu_trace_frame deep[TRACE_FRAMES_MAX];
	const struct gpmu_trace_sample extreme = {
		.size = sizeof(extreme), .time = INT64_MAX, .cpu = TRACE_CPUS_MAX - 1, .pid = INT_MAX, .tid = INT_MAX,
		.period = UINT64_MAX, .frames = deep, .frame_count = TRACE_FRAMES_MAX,
	};
	struct gpmu_trace_sample sample;
	struct test_trace t;
	GpmuPb__Trace *read;
	uint8_t *written, *packed;
	size_t length;

	test_trace_init(&t, 1, 0);
	sample = sample_of(gpmu_trace_sampler(t.trace, "cycles"));
	ok(!gpmu_trace_sample(t.trace, &sample), "sample: a sample with a stack of three frames is written");
	for (size_t i = 0; i < TRACE_FRAMES_MAX; i++)
		deep[i] = (struct gpmu_trace_frame){ .function = frames[i % 2].function, .address = UINT64_MAX - i };
	sample = extreme;
	sample.sampler = 1;
	ok(!gpmu_trace_sample(t.trace, &sample), "sample: a sample with numbers at their limits and 512 frames is written");
	sample.cpu = UINT32_MAX;
	sample.frame_count = 0;
	ok(!gpmu_trace_sample(t.trace, &sample), "sample: a sample without a CPU and frames is written");
	read = test_trace_read(&t);
	ok(read && packet_of(read, 2), "sample: the packets of samples are whole");
	written = test_trace_bytes(&t, &length);
	packed = malloc(length);
	ok(read && gpmu_pb__trace__get_packed_size(read) == length && gpmu_pb__trace__pack(read, packed) == length &&
	   !memcmp(written, packed, length), "sample: protobuf-c packs the same bytes");
	ok(packet_of(read, 1)->perf_sample->has_cpu && !packet_of(read, 2)->perf_sample->has_cpu,
	   "sample: a CPU that is not known is left out");
	gpmu_pb__trace__free_unpacked(read, NULL);
	free(written);
	free(packed);
	test_trace_release(&t);
}

static size_t entries(const GpmuPb__TracePacket *packet)
{
	const GpmuPb__InternedData *tables = packet->interned_data;

	return tables ? tables->n_function_names + tables->n_mapping_paths + tables->n_mappings + tables->n_frames +
			tables->n_callstacks : 0;
}

static void tables(void)
{
	struct gpmu_trace_sample sample;
	const GpmuPb__TracePacket *packet;
	struct test_trace t;
	GpmuPb__Trace *read;

	test_trace_init(&t, 0, 1000);
	sample = sample_of(gpmu_trace_sampler(t.trace, "cycles \xff"));
	for (unsigned int i = 0; i < 100; i++) {
		sample.cpu = i % 2;
		sample.frame_count = 3 - i % 2;
		if (gpmu_trace_sample(t.trace, &sample))
			break;
	}
	gpmu_trace_flush(t.trace, NULL);
	read = test_trace_read(&t);
	packet = packet_of(read, 0);
	/* Two functions, three objects twice, three frames, a stack */
	ok(entries(packet) == 12, "sample: the first sample has the names, frames and stack that it uses (%zu)", entries(packet));
	is_str(packet->interned_data->function_names[1]->name, "middle \xef\xbf\xbd", "sample: invalid UTF-8 in a function's name becomes U+FFFD");
	ok(packet->interned_data->callstacks[0]->frame_ids[0] == 3, "sample: the outermost frame is the first of a stack");
	ok(entries(packet_of(read, 1)) == 1, "sample: a stack of known frames is the only entry of its packet");
	ok(!entries(packet_of(read, 2)) && !entries(packet_of(read, 3)), "sample: a stack that is known is not written again");
	ok(packet_of(read, 1)->perf_sample->timebase_count == 1000 && packet_of(read, 98)->perf_sample->timebase_count == 50000 &&
	   packet_of(read, 99)->perf_sample->timebase_count == 50000, "sample: the periods of a CPU are added up, also over restarts");
	size_t again = 0, cleared = 0;

	for (size_t i = 0; i < read->n_packet; i++) {
		if (read->packet[i]->perf_sample)
			again += entries(read->packet[i]) >= 9;
		else if (read->packet[i]->trusted_packet_sequence_id == 2)
			cleared += read->packet[i]->sequence_flags == TRACE_STATE_CLEARED;
	}
	ok(cleared > 3 && again == cleared, "sample: after each of %zu restarts the tables are written again", cleared);
	gpmu_pb__trace__free_unpacked(read, NULL);
	test_trace_release(&t);
}

static void refused(void)
{
	static const struct {
		const char *what;
		struct gpmu_trace_sample with;
	} wrong[] = {
		{ "no sampler", { .sampler = 0, .cpu = 1 } }, { "an unknown sampler", { .sampler = 2, .cpu = 1 } },
		{ "a CPU beyond the limit", { .sampler = 1, .cpu = TRACE_CPUS_MAX } },
		{ "a time beyond the limit", { .sampler = 1, .time = 1ULL << 63 } },
		{ "a negative process", { .sampler = 1, .pid = -1 } }, { "a negative thread", { .sampler = 1, .tid = -1 } },
		{ "too many frames", { .sampler = 1, .frames = frames, .frame_count = TRACE_FRAMES_MAX + 1 } },
		{ "no array of frames", { .sampler = 1, .frame_count = 1 } }, { "an unknown track", { .sampler = 1, .track = 1 } },
	};
	struct gpmu_trace_stats stats = { .size = sizeof(stats) };
	struct gpmu_trace_spe spe = { .size = sizeof(spe), .track = 1 };
	struct gpmu_trace_sample sample;
	struct test_trace t;

	test_trace_init(&t, 0, 0);
	ok(gpmu_trace_sampler(t.trace, NULL) == -EINVAL, "sample: an event without a name is refused");
	ok(gpmu_trace_sampler(t.trace, "cycles") == 1, "sample: the first event has the number 1");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		sample = wrong[i].with;
		sample.size = sizeof(sample);
		ok(gpmu_trace_sample(t.trace, &sample) == -EINVAL, "sample: %s is refused", wrong[i].what);
	}
	sample = sample_of(1);
	sample.size = sizeof(sample.size);
	ok(gpmu_trace_sample(t.trace, &sample) == -EINVAL, "sample: a structure without its required members is refused");
	ok(gpmu_trace_spe(t.trace, &spe) == -EINVAL, "sample: an operation of SPE on an unknown track is refused");
	spe.size = sizeof(spe.size);
	ok(gpmu_trace_spe(t.trace, &spe) == -EINVAL, "sample: an operation of SPE without its required members is refused");
	gpmu_trace_get_stats(t.trace, &stats);
	ok(!stats.bytes && !stats.events, "sample: refused samples write nothing");
	test_trace_release(&t);
}

int main(void)
{
	bytes();
	tables();
	refused();
	return done_testing();
}
