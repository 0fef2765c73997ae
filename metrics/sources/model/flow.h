/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One flow of memory traffic: initiator, memory, amount and time.
 *
 * A flow is a sequence of equal requests; only the last of a one-shot flow may
 * be shorter. A request counts as a whole when it is done, so at any time
 * requests, bytes, beats and outstanding cycles agree with each other.
 */
#ifndef GPMU_MODEL_FLOW_H
#define GPMU_MODEL_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "chip.h"

#define FLOW_BEAT		32u		/* bytes of a data beat */
#define FLOW_LINE		64u		/* bytes of a cache line */
#define FLOW_MAX_SIZE		4096u		/* bytes of a request */
#define FLOW_MAX_BYTES		(1ull << 60)
#define FLOW_MAX_RATE		10000000000000ull	/* bytes per second */
#define FLOW_MAX_TIME		31536000000000000ull	/* ns: a year */
#define FLOW_MAX_LATENCY	100000000ull	/* ps: 100 us */
#define FLOW_MAX_CLOCK		10000000000ull	/* Hz */

typedef unsigned __int128 flow_count_t;

struct flow {
	unsigned int line;		/* of the scenario file */
	enum initiator initiator;
	unsigned int source;		/* the initiator's socket */
	unsigned int root_port;		/* of a PCIe initiator */
	unsigned int c2c_ports;		/* ports of the C2C link it uses, bits */
	enum memory memory;
	unsigned int home;		/* the memory's socket */
	unsigned int op;		/* one OP_* bit */
	bool is_from_cache;		/* the home's SCF cache serves all requests */
	bool is_allocating;		/* a line of the SCF cache */
	uint32_t size;			/* bytes of a request */
	uint64_t bytes;			/* one-shot: in all; steady: 0 */
	uint64_t rate;			/* steady: bytes per second */
	uint64_t delay;			/* ns after the scenario's start */
	uint64_t duration;		/* ns; 0 for a steady flow: no end */
	uint64_t latency;		/* ps of a read, as the source's PMU sees it */
	uint64_t home_latency;		/* ps, as the home's PMU sees it */
};

/*
 * Requests that a flow has done. Those with an even and with an odd number are
 * counted separately because a flow over both C2C ports alternates between
 * them.
 */
struct flow_tally {
	uint64_t requests[2];
	uint64_t short_requests[2];	/* among them, the shorter last ones */
};

/* The requests done @elapsed ns after the start of the flow's scenario. */
void flow_progress(const struct flow *flow, uint64_t elapsed,
		   struct flow_tally *tally);

/* Returns whether the flow is finished @elapsed ns after the scenario's start. */
bool flow_has_finished(const struct flow *flow, uint64_t elapsed);

void flow_tally_add(struct flow_tally *sum, const struct flow_tally *more);

/*
 * The count that the requests in @tally add to an event of @measure, over the
 * C2C ports in @ports (bits; all ports for a PMU that does not distinguish
 * them). For MEASURE_OUTSTANDING it is the number of requests: the caller knows
 * clock and latency.
 */
flow_count_t flow_measure(const struct flow *flow, const struct flow_tally *tally,
			  enum measure measure, unsigned int ports);

/* Returns whether the flow is local: initiator and memory in one socket. */
static inline bool flow_is_local(const struct flow *flow)
{
	return flow->source == flow->home;
}

#endif /* GPMU_MODEL_FLOW_H */
