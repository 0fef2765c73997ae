// SPDX-License-Identifier: LGPL-2.1-or-later
/* How a flow becomes requests, bytes, beats over time. */
#include "flow.h"
#include "tap.h"

#define SEC	1000000000ull

static uint64_t measure(const struct flow *f, uint64_t elapsed,
			enum measure m, unsigned int ports)
{
	struct flow_tally tally;

	flow_progress(f, elapsed, &tally);
	return flow_measure(f, &tally, m, ports);
}

static void one_shot(void)
{
	/* 1000 bytes in requests of 64: 15 whole ones and one of 40 bytes. */
	const struct flow f = {
		.op = OP_RD, .size = 64, .bytes = 1000, .duration = 16000,
		.c2c_ports = 3, .allocates = true,
	};

	is_u64(measure(&f, 0, MEASURE_REQUESTS, 3), 0, "nothing is done at the start");
	is_u64(measure(&f, 999, MEASURE_REQUESTS, 3), 0, "a request counts only when it is done");
	is_u64(measure(&f, 1000, MEASURE_REQUESTS, 3), 1, "a sixteenth of the time does one of 16 requests");
	is_u64(measure(&f, 1000, MEASURE_BYTES, 3), 64, "a whole request counts its size");
	is_u64(measure(&f, 15999, MEASURE_BYTES, 3), 960, "the short request comes last");
	is_u64(measure(&f, 16000, MEASURE_REQUESTS, 3), 16, "a short request is a request");
	is_u64(measure(&f, 16000, MEASURE_BYTES, 3), 1000, "at the end the bytes are exact");
	is_u64(measure(&f, 16000, MEASURE_BEATS, 3), 32, "40 bytes take two beats of 32");
	is_u64(measure(&f, UINT64_MAX, MEASURE_BYTES, 3), 1000, "nothing comes after the end");
	ok(!flow_finished(&f, 15999), "a one-shot flow is not finished before its duration");
	ok(flow_finished(&f, 16000), "a one-shot flow is finished after its duration");
}

static void steady(void)
{
	/* 3.2 GB/s in requests of 32 bytes: 10^8 a second, one each 10 ns. */
	struct flow f = {
		.op = OP_WR, .size = 32, .rate = 3200000000ull, .c2c_ports = 3,
	};

	is_u64(measure(&f, 9, MEASURE_REQUESTS, 3), 0, "no request before its time");
	is_u64(measure(&f, 10, MEASURE_REQUESTS, 3), 1, "a steady flow's first request");
	is_u64(measure(&f, SEC, MEASURE_BYTES, 3), 3200000000ull, "a second of a steady flow is its rate");
	is_u64(measure(&f, 31536000 * SEC, MEASURE_REQUESTS, 3), 3153600000000000ull,
	       "a year of a steady flow does not overflow");
	ok(!flow_finished(&f, UINT64_MAX), "a steady flow has no end");

	f.duration = 100;
	is_u64(measure(&f, SEC, MEASURE_REQUESTS, 3), 10, "a steady flow with a duration ends");
	ok(flow_finished(&f, 100), "and is finished then");
	f.delay = 50;
	is_u64(measure(&f, 49, MEASURE_REQUESTS, 3), 0, "a delayed flow waits");
	is_u64(measure(&f, 60, MEASURE_REQUESTS, 3), 1, "and then runs from its own start");
	ok(!flow_finished(&f, 149), "a delayed flow is not finished before delay and duration");
	ok(flow_finished(&f, 150), "a delayed flow is finished after both");
}

static void extremes(void)
{
	const struct flow f = {
		.op = OP_RD, .size = 1, .bytes = FLOW_MAX_BYTES,
		.duration = FLOW_MAX_TIME, .c2c_ports = 3,
	};

	is_u64(measure(&f, FLOW_MAX_TIME / 2, MEASURE_BYTES, 3), 1ull << 59,
	       "the largest flow is half done after half its time");
	is_u64(measure(&f, FLOW_MAX_TIME, MEASURE_BYTES, 3), 1ull << 60,
	       "the largest flow is exact at its end");
}

static void ports(void)
{
	/* 5 requests: 3 on port 0, 2 on port 1; the last, of 8 bytes, on port 0. */
	struct flow f = {
		.op = OP_RD, .size = 64, .bytes = 264, .duration = 10, .c2c_ports = 3,
	};

	is_u64(measure(&f, 10, MEASURE_REQUESTS, 1), 3, "port 0 takes the first of two requests");
	is_u64(measure(&f, 10, MEASURE_REQUESTS, 2), 2, "port 1 takes the second");
	is_u64(measure(&f, 10, MEASURE_BYTES, 1), 136, "the short request is on its own port only");
	is_u64(measure(&f, 10, MEASURE_BYTES, 2), 128, "and not on the other");
	is_u64(measure(&f, 10, MEASURE_BYTES, 0), 0, "no port, no bytes");
	f.c2c_ports = 2;
	is_u64(measure(&f, 10, MEASURE_BYTES, 2), 264, "a flow of one port is whole there");
	is_u64(measure(&f, 10, MEASURE_BYTES, 1), 0, "and absent from the other");
}

static void cache(void)
{
	struct flow f = {
		.op = OP_RD, .size = 64, .bytes = 640, .duration = 1, .c2c_ports = 3,
		.allocates = true,
	};

	is_u64(measure(&f, 1, MEASURE_ALLOCATED, 3), 10, "requests that allocate count as such");
	is_u64(measure(&f, 1, MEASURE_MEMORY, 3), 10, "requests that reach the memory count as such");
	f.allocates = false;
	f.from_cache = true;
	is_u64(measure(&f, 1, MEASURE_ALLOCATED, 3), 0, "requests that do not allocate do not");
	is_u64(measure(&f, 1, MEASURE_MEMORY, 3), 0, "requests that the cache serves do not");
}

static void monotonic(void)
{
	const struct flow f = {
		.op = OP_RD, .size = 48, .bytes = 123457, .duration = 7919, .c2c_ports = 3,
	};
	uint64_t t, last[2] = { 0 }, now;
	bool grows = true, adds = true;

	for (t = 0; t <= 8000; t++) {
		now = measure(&f, t, MEASURE_BYTES, 3);
		grows = grows && now >= last[0];
		adds = adds && now == measure(&f, t, MEASURE_BYTES, 1) +
				      measure(&f, t, MEASURE_BYTES, 2);
		last[0] = now;
	}
	ok(grows, "bytes never shrink as time goes on");
	ok(adds, "at any time the two ports add up to both");
	is_u64(last[0], 123457, "and end at the flow's bytes");
}

int main(void)
{
	one_shot();
	steady();
	extremes();
	ports();
	cache();
	monotonic();
	return done_testing();
}
