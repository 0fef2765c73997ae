// SPDX-License-Identifier: LGPL-2.1-or-later
/* How a flow becomes requests, bytes and beats over time */
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
		.c2c_ports = 3, .is_allocating = true,
	};

	is_u64(measure(&f, 0, MEASURE_REQUESTS, 3), 0, "flow: no request is done at the start");
	is_u64(measure(&f, 999, MEASURE_REQUESTS, 3), 0,
	       "flow: a request counts only when it is done");
	is_u64(measure(&f, 1000, MEASURE_REQUESTS, 3), 1,
	       "flow: one of 16 requests is done after a sixteenth of the time");
	is_u64(measure(&f, 1000, MEASURE_BYTES, 3), 64, "flow: a whole request counts its size");
	is_u64(measure(&f, 15999, MEASURE_BYTES, 3), 960, "flow: the short request comes last");
	is_u64(measure(&f, 16000, MEASURE_REQUESTS, 3), 16,
	       "flow: a short request counts as a request");
	is_u64(measure(&f, 16000, MEASURE_BYTES, 3), 1000, "flow: the bytes are exact at the end");
	is_u64(measure(&f, 16000, MEASURE_BEATS, 3), 32,
	       "flow: a request of 40 bytes takes two beats of 32");
	is_u64(measure(&f, UINT64_MAX, MEASURE_BYTES, 3), 1000,
	       "flow: nothing is added after the end");
	ok(!flow_has_finished(&f, 15999), "flow: a one-shot flow is not finished before its duration");
	ok(flow_has_finished(&f, 16000), "flow: a one-shot flow is finished after its duration");
}

static void steady(void)
{
	/* 3.2 GB/s in requests of 32 bytes: 10^8 a second, one each 10 ns. */
	struct flow f = {
		.op = OP_WR, .size = 32, .rate = 3200000000ull, .c2c_ports = 3,
	};

	is_u64(measure(&f, 9, MEASURE_REQUESTS, 3), 0, "flow: no request is done before its time");
	is_u64(measure(&f, 10, MEASURE_REQUESTS, 3), 1,
	       "flow: a steady flow's first request is done after its time");
	is_u64(measure(&f, SEC, MEASURE_BYTES, 3), 3200000000ull,
	       "flow: a steady flow has its rate's bytes after a second");
	is_u64(measure(&f, 31536000 * SEC, MEASURE_REQUESTS, 3), 3153600000000000ull,
	       "flow: a year of a steady flow does not overflow");
	ok(!flow_has_finished(&f, UINT64_MAX), "flow: a steady flow has no end");

	f.duration = 100;
	is_u64(measure(&f, SEC, MEASURE_REQUESTS, 3), 10,
	       "flow: a steady flow with a duration ends");
	ok(flow_has_finished(&f, 100), "flow: a steady flow with a duration is finished after it");
	f.delay = 50;
	is_u64(measure(&f, 49, MEASURE_REQUESTS, 3), 0,
	       "flow: a delayed flow does nothing before its delay");
	is_u64(measure(&f, 60, MEASURE_REQUESTS, 3), 1,
	       "flow: a delayed flow runs from its own start");
	ok(!flow_has_finished(&f, 149),
	   "flow: a delayed flow is not finished before delay and duration");
	ok(flow_has_finished(&f, 150), "flow: a delayed flow is finished after delay and duration");
}

static void extremes(void)
{
	const struct flow f = {
		.op = OP_RD, .size = 1, .bytes = FLOW_MAX_BYTES,
		.duration = FLOW_MAX_TIME, .c2c_ports = 3,
	};

	is_u64(measure(&f, FLOW_MAX_TIME / 2, MEASURE_BYTES, 3), 1ull << 59,
	       "flow: half of the largest flow is done after half its time");
	is_u64(measure(&f, FLOW_MAX_TIME, MEASURE_BYTES, 3), 1ull << 60,
	       "flow: the largest flow is exact at its end");
}

static void ports(void)
{
	/* 5 requests: 3 on port 0, 2 on port 1; the last, of 8 bytes, on port 0. */
	struct flow f = {
		.op = OP_RD, .size = 64, .bytes = 264, .duration = 10, .c2c_ports = 3,
	};

	is_u64(measure(&f, 10, MEASURE_REQUESTS, 1), 3,
	       "flow: port 0 gets the first of two requests");
	is_u64(measure(&f, 10, MEASURE_REQUESTS, 2), 2,
	       "flow: port 1 gets the second of two requests");
	is_u64(measure(&f, 10, MEASURE_BYTES, 1), 136,
	       "flow: the short request counts on its own port");
	is_u64(measure(&f, 10, MEASURE_BYTES, 2), 128,
	       "flow: the short request does not count on the other port");
	is_u64(measure(&f, 10, MEASURE_BYTES, 0), 0, "flow: a mask without ports has no bytes");
	f.c2c_ports = 2;
	is_u64(measure(&f, 10, MEASURE_BYTES, 2), 264,
	       "flow: a flow of one port has all bytes there");
	is_u64(measure(&f, 10, MEASURE_BYTES, 1), 0,
	       "flow: a flow of one port has no bytes on the other");
}

static void cache(void)
{
	struct flow f = {
		.op = OP_RD, .size = 64, .bytes = 640, .duration = 1, .c2c_ports = 3,
		.is_allocating = true,
	};

	is_u64(measure(&f, 1, MEASURE_ALLOCATED, 3), 10,
	       "flow: requests that allocate are counted as allocations");
	is_u64(measure(&f, 1, MEASURE_MEMORY, 3), 10,
	       "flow: requests that reach the memory are counted as such");
	f.is_allocating = false;
	f.is_from_cache = true;
	is_u64(measure(&f, 1, MEASURE_ALLOCATED, 3), 0,
	       "flow: requests that do not allocate are no allocations");
	is_u64(measure(&f, 1, MEASURE_MEMORY, 3), 0,
	       "flow: requests that the cache serves do not reach the memory");
}

static void monotonic(void)
{
	const struct flow f = {
		.op = OP_RD, .size = 48, .bytes = 123457, .duration = 7919, .c2c_ports = 3,
	};
	uint64_t t, last[2] = { 0 }, now;
	bool is_growing = true, is_additive = true;

	for (t = 0; t <= 8000; t++) {
		now = measure(&f, t, MEASURE_BYTES, 3);
		is_growing = is_growing && now >= last[0];
		is_additive = is_additive && now == measure(&f, t, MEASURE_BYTES, 1) +
				      measure(&f, t, MEASURE_BYTES, 2);
		last[0] = now;
	}
	ok(is_growing, "flow: bytes never decrease over time");
	ok(is_additive, "flow: the bytes of both ports add up at any time");
	is_u64(last[0], 123457, "flow: the bytes end at the flow's total");
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
