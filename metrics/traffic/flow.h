/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes traffic from counts. flow_table.c lists, for each type of machine, the events
 * that each number is made of; this header defines the tables' types and a flow.
 */
#ifndef GPMU_FLOW_H
#define GPMU_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"
#include "base/list.h"

#define FLOW_MAX_SOCKETS	8
#define FLOW_PARTS		8	/* maximum of parts in a rule */
#define FLOW_PAIR_EVENTS	3

/* Types of machine, as bits */
enum {
	FLOW_SUPERCHIP	= 1,
	FLOW_HOPPER	= 2,	/* one socket */
	FLOW_HOPPERS	= 4,	/* several sockets */
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

/* Events of one PMU that are counted together: for reads and for writes */
enum flow_pair_id {
	PAIR_CMEM,		/* CPUs to their socket's CMEM */
	PAIR_GMEM,
	PAIR_REMOTE,		/* CPUs to all other sockets */
	PAIR_SOCKET,		/* CPUs to socket N */
	PAIR_PCIE_LOC,
	PAIR_PCIE_REM,
	PAIR_C2C0_LOC,
	PAIR_C2C0_REM,
	PAIR_C2C1_LOC,
	PAIR_C2C1_REM,
	PAIR_CNVLINK,		/* GPU and PCIe of socket N to this socket */
	FLOW_PAIRS,
};

struct flow_pair_event {
	const char *name;	/* with %d for PAIR_SOCKET */
	double bytes;		/* for each count */
	enum flow_way way;
};

struct flow_pair {
	enum gpmu_pmu_kind kind;
	bool numbered;		/* one pair for each other socket */
	const char *filter;	/* format whose bits select what is counted; NULL: none */
	struct flow_pair_event events[FLOW_PAIR_EVENTS];
};

extern const struct flow_pair flow_pairs[FLOW_PAIRS];

/* Sockets in which a part of a rule is counted, and N of a numbered pair */
enum flow_at {
	AT_SOURCE,		/* N: the home */
	AT_HOME,		/* for PAIR_CNVLINK, N: the source */
	AT_HOME_FROM_ALL,	/* N: each other socket */
	AT_NOT_HOME,		/* all sockets but the home; N: the home */
	AT_NOT_SOURCE,		/* all sockets but the source; N: the source */
	AT_ALL,			/* all sockets; N: each other socket */
};

struct flow_part {
	enum flow_pair_id pair;
	enum flow_at at;
	bool minus;
	bool maybe;		/* can include other traffic: the sum is a range */
};

/* Combinations of sockets for which a rule is applied */
enum flow_each {
	EACH_LOCAL,		/* each socket, as source and home */
	EACH_REMOTE,		/* each source with each other home */
	EACH_OTHERS,		/* each source with all other sockets as homes */
	EACH_ONE,		/* once for the machine */
};

/* Traffic of an initiator to one memory, or to several memories that are counted together */
struct flow_rule {
	unsigned int chips;
	enum flow_initiator initiator;
	enum flow_each each;
	unsigned int memories;
	bool view;		/* estimates one memory's part of another rule's sum */
	struct flow_part parts[FLOW_PARTS];
	size_t part_count;		/* 0: not visible to any PMU */
	const char *note;
};

/* Totals: of one memory, or of all */
struct flow_total_rule {
	unsigned int chips, memory;	/* memory 0: all */
	struct flow_part parts[FLOW_PARTS];
	size_t part_count;
	const char *note;
};

/* "%s" in the name is replaced by the number of a socket: source, then home */
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
	size_t part_count;
	double peak;		/* bytes per second, or per cycle of @clock if @cycles */
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

/* Count of an event */
struct flow_count {
	enum gpmu_flow_state state;	/* OK, NOT_COUNTED or NOT_SUPPORTED */
	double count, rate, share;
	const char *why;
};

struct flow_event {
	char *text;		/* "nvidia_scf_pmu_0/cmem_rd_data/"; NULL: cannot be counted */
	char *why;		/* the reason if text is NULL */
	struct flow_count count;
};

/* The events of a pair in one socket */
struct flow_bundle {
	enum flow_pair_id pair;
	size_t socket, number;	/* indices of sockets; number SIZE_MAX: not numbered */
	struct flow_event events[FLOW_PAIR_EVENTS];
	size_t clock;		/* index in flow->clocks */
};

/* A PMU's cycles */
struct flow_clock {
	enum gpmu_pmu_kind kind;
	size_t socket;
	struct flow_event event;
};

struct flow_sum {
	const struct flow_rule *rule;
	size_t source, home;	/* indices of sockets */
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
	int sockets[FLOW_MAX_SOCKETS];	/* numbers of the sockets' nodes */
	size_t n_sockets;
	size_t n_initiators, kind_count;	/* for each socket: sources, memories */
	char *title;
	char **sources, **memories;
	struct flow_bundle *bundles;
	size_t n_bundles;
	struct flow_clock *clocks;
	size_t n_clocks;
	struct gpmu_flow_line *cells;	/* row by row; a row is a source */
	struct flow_sum *rules;		/* results of all rules, including those of single cells */
	size_t n_rules;
	size_t *sums;			/* results that span several cells: indices in rules */
	size_t sum_count;
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
	return flow->n_sockets * flow->kind_count;
}

/* Sources and memories are grouped by socket: CPU of the first socket, its PCIe, ... */
static inline size_t flow_source_index(const struct gpmu_flow *flow, enum flow_initiator initiator,
				       size_t socket)
{
	return socket * flow->n_initiators + initiator;
}

static inline size_t flow_memory_index(const struct gpmu_flow *flow, unsigned int memory,
				       size_t socket)
{
	return socket * flow->kind_count + (memory == FLOW_GMEM);
}

/* Finds the machine's chip and sockets. Returns 0 or -errno. */
int flow_look(struct gpmu_flow *flow, enum gpmu_flow_chip chip, struct gpmu_error *error);

/*
 * flow_walk.c: calls @visit for each bundle of a part; @source and @home are the rule's.
 * Stops at the first nonzero result and returns it.
 */
typedef int flow_visit(struct gpmu_flow *flow, const struct flow_part *part, size_t socket,
		       size_t number, void *user);
int flow_walk(struct gpmu_flow *flow, const struct flow_part *part, size_t source, size_t home,
	      flow_visit *visit, void *user);
/* NULL: none */
struct flow_bundle *flow_find_bundle(const struct gpmu_flow *flow, enum flow_pair_id pair,
				     size_t socket, size_t number);
/* Makes the bundles of all rules, and their clocks. Returns 0 or -ENOMEM. */
int flow_make_events(struct gpmu_flow *flow);
/* Makes the names of sources, memories, flows, links and peaks. Returns 0 or -ENOMEM. */
int flow_make_lines(struct gpmu_flow *flow);

/* Adds up the parts of a rule. */
void flow_add_up(struct gpmu_flow *flow, const struct flow_part *parts, size_t part_count,
		 size_t source, size_t home, enum flow_way way, struct gpmu_flow_value *value);
/* Adds a value to a sum, which begins as flow_nothing(). */
void flow_add_value(struct gpmu_flow_value *sum, const struct gpmu_flow_value *value);
struct gpmu_flow_value flow_nothing(void);
/* Computes all values from the counts. */
void flow_compute(struct gpmu_flow *flow);

#endif /* GPMU_FLOW_H */
