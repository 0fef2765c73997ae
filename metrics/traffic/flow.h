/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traffic from counts. Tables (flow_table.c) say for each kind of machine which events
 * a number is made of; here they are what the tables are made of, and a flow.
 */
#ifndef GPMU_FLOW_H
#define GPMU_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"
#include "base/list.h"

#define FLOW_MAX_SOCKETS	8
#define FLOW_PARTS		8	/* most of a rule */
#define FLOW_PAIR_EVENTS	3

/* Kinds of machine, as bits */
enum {
	FLOW_SUPERCHIP	= 1,
	FLOW_HOPPER	= 2,	/* one socket */
	FLOW_HOPPERS	= 4,	/* several */
};

enum flow_initiator {
	FLOW_CPU,
	FLOW_PCIE,
	FLOW_ATS,
	FLOW_NATS,
	FLOW_INITIATORS,
};

enum {
	FLOW_CMEM = 1,
	FLOW_GMEM = 2,
};

enum flow_way {
	FLOW_READ,
	FLOW_WRITE,
	FLOW_BOTH,
};

/* Events of one PMU that are counted together: of reads and of writes */
enum flow_pair_id {
	PAIR_CMEM,		/* CPUs to the socket's CMEM */
	PAIR_GMEM,
	PAIR_REMOTE,		/* CPUs to all other sockets */
	PAIR_SOCKET,		/* CPUs to socket N */
	PAIR_PCIE_LOC,
	PAIR_PCIE_REM,
	PAIR_C2C0_LOC,
	PAIR_C2C0_REM,
	PAIR_C2C1_LOC,
	PAIR_C2C1_REM,
	PAIR_CNVLINK,		/* GPU and PCIe of socket N to this one */
	FLOW_PAIRS,
};

struct flow_pair_event {
	const char *name;	/* of PAIR_SOCKET with %d */
	double bytes;		/* of a count */
	enum flow_way way;
};

struct flow_pair {
	enum gpmu_pmu_kind kind;
	bool numbered;		/* there is one for each other socket */
	const char *filter;	/* format whose bits select what counts; or NULL */
	struct flow_pair_event events[FLOW_PAIR_EVENTS];
};

extern const struct flow_pair flow_pairs[FLOW_PAIRS];

/* In which sockets a part of a rule is counted, and N of a numbered pair */
enum flow_at {
	AT_SOURCE,		/* N: the home */
	AT_HOME,		/* N: the source, of PAIR_CNVLINK */
	AT_HOME_FROM_ALL,	/* N: each other socket */
	AT_NOT_HOME,		/* all but the home; N: the home */
	AT_NOT_SOURCE,		/* all but the source; N: the source */
	AT_ALL,			/* all; N: each other one */
};

struct flow_part {
	enum flow_pair_id pair;
	enum flow_at at;
	bool minus;
	bool maybe;		/* may be of something else: the sum is a range */
};

/* What a rule is made for */
enum flow_each {
	EACH_LOCAL,		/* each socket, source and home */
	EACH_REMOTE,		/* each source and each other home */
	EACH_OTHERS,		/* each source, and all other sockets as homes */
	EACH_ONE,		/* the machine */
};

/* A flow of an initiator to one memory, or to several that are counted together */
struct flow_rule {
	unsigned int chips;
	enum flow_initiator initiator;
	enum flow_each each;
	unsigned int memories;
	bool view;		/* of one memory of another rule's, what can be said of it */
	struct flow_part parts[FLOW_PARTS];
	size_t n_parts;		/* 0: invisible */
	const char *note;
};

/* Totals: what a memory gets; all */
struct flow_total_rule {
	unsigned int chips, memory;	/* memory 0: all */
	struct flow_part parts[FLOW_PARTS];
	size_t n_parts;
	const char *note;
};

/* "%s" in a name is a socket's number: source, then home */
struct flow_link_rule {
	unsigned int chips;
	size_t least_sockets;
	enum flow_each each;
	const char *name;
	struct flow_part source[FLOW_PARTS], home[FLOW_PARTS];
	size_t n_source, n_home;
	const char *note;
};

struct flow_peak_rule {
	unsigned int chips;
	size_t least_sockets;
	enum flow_each each;
	const char *name;
	enum flow_way way;
	struct flow_part parts[FLOW_PARTS];
	size_t n_parts;
	double peak;		/* bytes a second, or a cycle of @clock where @cycles */
	bool cycles;
	enum gpmu_pmu_kind clock;
	const char *origin;
};

extern const struct flow_rule flow_rules[];
extern const size_t flow_n_rules;
extern const struct flow_total_rule flow_total_rules[];
extern const size_t flow_n_total_rules;
extern const struct flow_link_rule flow_link_rules[];
extern const size_t flow_n_link_rules;
extern const struct flow_peak_rule flow_peak_rules[];
extern const size_t flow_n_peak_rules;

/* What an event counted */
struct flow_count {
	enum gpmu_flow_state state;	/* OK, NOT_COUNTED or NOT_SUPPORTED */
	double count, rate, share;
	const char *why;
};

struct flow_event {
	char *text;		/* "nvidia_scf_pmu_0/cmem_rd_data/"; NULL: not to be counted */
	char *why;		/* then */
	struct flow_count count;
};

/* A pair's events in one socket */
struct flow_bundle {
	enum flow_pair_id pair;
	size_t socket, number;	/* indices of sockets; number SIZE_MAX: not numbered */
	struct flow_event events[FLOW_PAIR_EVENTS];
	size_t clock;		/* of flow->clocks */
};

/* A PMU's cycles */
struct flow_clock {
	enum gpmu_pmu_kind kind;
	size_t socket;
	struct flow_event event;
};

struct flow_sum {
	const struct flow_rule *rule;
	size_t source, home;	/* sockets */
	struct gpmu_flow_line line;
};

struct flow_link {
	const struct flow_link_rule *rule;
	size_t source, home;
	struct gpmu_flow_link link;
};

struct flow_peak {
	const struct flow_peak_rule *rule;
	size_t source, home, clock;
	struct gpmu_flow_peak peak;
};

struct gpmu_flow {
	const struct gpmu_machine *machine;
	unsigned int chip;
	int sockets[FLOW_MAX_SOCKETS];	/* numbers of their nodes */
	size_t n_sockets;
	size_t n_initiators, n_kinds;	/* of a socket: sources, memories */
	char *title;
	char **sources, **memories;
	struct flow_bundle *bundles;
	size_t n_bundles;
	struct flow_clock *clocks;
	size_t n_clocks;
	struct gpmu_flow_line *cells;	/* source by source */
	struct flow_sum *rules;		/* the rules' flows, also those of one cell */
	size_t n_rules;
	size_t *sums;			/* those of several cells: indices of rules */
	size_t n_sums;
	struct gpmu_flow_line *source_totals, *memory_totals, total;
	struct flow_link *links;
	size_t n_links;
	struct flow_peak *peaks;
	size_t n_peaks;
};

static inline size_t flow_n_sources(const struct gpmu_flow *flow)
{
	return flow->n_sockets * flow->n_initiators;
}

static inline size_t flow_n_memories(const struct gpmu_flow *flow)
{
	return flow->n_sockets * flow->n_kinds;
}

/* Sources and memories are socket by socket: the CPU of the first, its PCIe, ... */
static inline size_t flow_source_index(const struct gpmu_flow *flow, enum flow_initiator initiator,
				       size_t socket)
{
	return socket * flow->n_initiators + initiator;
}

static inline size_t flow_memory_index(const struct gpmu_flow *flow, unsigned int memory,
				       size_t socket)
{
	return socket * flow->n_kinds + (memory == FLOW_GMEM);
}

/* What the machine is: chip and sockets. 0 or -errno */
int flow_look(struct gpmu_flow *flow, enum gpmu_flow_chip chip, struct gpmu_error *error);

/*
 * Calls @visit for each bundle of a part: @source and @home are those of the rule. Ends at
 * the first that is not 0 and returns that.
 */
typedef int flow_visit(struct gpmu_flow *flow, const struct flow_part *part, size_t socket,
		       size_t number, void *user);
int flow_walk(struct gpmu_flow *flow, const struct flow_part *part, size_t source, size_t home,
	      flow_visit *visit, void *user);
/* The bundle, or NULL */
struct flow_bundle *flow_find_bundle(const struct gpmu_flow *flow, enum flow_pair_id pair,
				     size_t socket, size_t number);
/* All bundles of all rules, and their clocks. 0 or -ENOMEM */
int flow_make_events(struct gpmu_flow *flow);
/* Names of sources, memories, flows, links and peaks. 0 or -ENOMEM */
int flow_make_lines(struct gpmu_flow *flow);

/* The sum of parts */
void flow_add_up(struct gpmu_flow *flow, const struct flow_part *parts, size_t n_parts,
		 size_t source, size_t home, enum flow_way way, struct gpmu_flow_value *value);
/* Adds a value to another, from flow_nothing() on. */
void flow_add_value(struct gpmu_flow_value *sum, const struct gpmu_flow_value *value);
struct gpmu_flow_value flow_nothing(void);
/* All numbers, of the counts */
void flow_compute(struct gpmu_flow *flow);

#endif /* GPMU_FLOW_H */
