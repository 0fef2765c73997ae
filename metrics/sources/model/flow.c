// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flow.h"

#define NSEC_PER_SEC	1000000000ull

/* Length of the last request where it is shorter than the others, else 0. */
static uint32_t short_size(const struct flow *flow)
{
	return flow->bytes % flow->size;
}

static uint32_t beats(uint32_t bytes)
{
	return (bytes + FLOW_BEAT - 1) / FLOW_BEAT;
}

void flow_progress(const struct flow *flow, uint64_t elapsed,
		   struct flow_tally *tally)
{
	uint64_t n, total = 0;

	*tally = (struct flow_tally){ 0 };
	if (elapsed < flow->delay)
		return;
	elapsed -= flow->delay;

	if (flow->bytes) {
		total = (flow->bytes - 1) / flow->size + 1;
		if (elapsed >= flow->duration)
			n = total;
		else
			n = (flow_count_t)total * elapsed / flow->duration;
	} else {
		if (flow->duration && elapsed > flow->duration)
			elapsed = flow->duration;
		n = (flow_count_t)flow->rate * elapsed /
		    ((flow_count_t)flow->size * NSEC_PER_SEC);
	}

	tally->requests[0] = n / 2 + n % 2;
	tally->requests[1] = n / 2;
	if (n && n == total && short_size(flow))
		tally->short_requests[(n - 1) % 2] = 1;
}

bool flow_has_finished(const struct flow *flow, uint64_t elapsed)
{
	if (!flow->bytes && !flow->duration)
		return false;
	return elapsed >= flow->delay + flow->duration;
}

void flow_tally_add(struct flow_tally *sum, const struct flow_tally *more)
{
	int i;

	for (i = 0; i < 2; i++) {
		sum->requests[i] += more->requests[i];
		sum->short_requests[i] += more->short_requests[i];
	}
}

flow_count_t flow_measure(const struct flow *flow, const struct flow_tally *tally,
			  enum measure measure, unsigned int ports)
{
	flow_count_t requests = 0, shorts = 0;
	bool is_in_turn = flow->c2c_ports == 3;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		unsigned int uses = is_in_turn ? 1u << i : flow->c2c_ports;

		if (!(uses & ports))
			continue;
		requests += tally->requests[i];
		shorts += tally->short_requests[i];
	}

	switch (measure) {
	case MEASURE_REQUESTS:
	case MEASURE_OUTSTANDING:
		return requests;
	case MEASURE_BYTES:
		return (requests - shorts) * flow->size + shorts * short_size(flow);
	case MEASURE_BEATS:
		return (requests - shorts) * beats(flow->size) +
		       shorts * beats(short_size(flow));
	case MEASURE_ALLOCATED:
		return flow->is_allocating ? requests : 0;
	case MEASURE_MEMORY:
		return flow->is_from_cache ? 0 : requests;
	case MEASURE_CYCLES:
		break;
	}
	return 0;
}
