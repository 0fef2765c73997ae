/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes traffic from counts. traffic_table.c lists, for each type of machine, the events
 * that each number is made of; this header defines the tables' types and a matrix.
 */
#ifndef GPMU_TRAFFIC_H
#define GPMU_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"
#include "traffic/gpmu_traffic.h"
#include "base/text/text.h"
#include "base/vector.h"

#define TRAFFIC_MAX_SOCKETS	8
#define TRAFFIC_PARTS		8	/* maximum of parts in a rule */
#define TRAFFIC_PAIR_EVENTS	3

/* Types of machine, as bits */
enum {
	TRAFFIC_SUPERCHIP	= 1,
	TRAFFIC_HOPPER	= 2,	/* one socket */
	TRAFFIC_HOPPERS	= 4,	/* several sockets */
};

enum traffic_initiator {
	TRAFFIC_CPU,
	TRAFFIC_PCIE,
	TRAFFIC_ATS,
	TRAFFIC_NATS,
	TRAFFIC_INITIATORS,
};

enum {
	TRAFFIC_CMEM = 1,
	TRAFFIC_GMEM = 2,
};

enum traffic_way {
	TRAFFIC_READ,
	TRAFFIC_WRITE,
	TRAFFIC_BOTH,
};

/* Events of one PMU that are counted together: for reads and for writes */
enum traffic_pair_id {
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
	PAIR_CNVLINK_LOC,	/* GPU and PCIe of socket N to this socket */
	PAIR_CNVLINK_REM,
	TRAFFIC_PAIRS,
};

struct traffic_pair_event {
	const char *name;	/* with %d for PAIR_SOCKET */
	double bytes;		/* for each count */
	enum traffic_way way;
};

struct traffic_pair {
	enum gpmu_pmu_kind kind;
	bool is_numbered;	/* one pair for each other socket */
	const char *filter;	/* format whose bits select what is counted; NULL: none */
	unsigned int memories;	/* whose traffic the events count */
	struct traffic_pair_event events[TRAFFIC_PAIR_EVENTS];
};

extern const struct traffic_pair traffic_pairs[TRAFFIC_PAIRS];

/* Sockets in which a part of a rule is counted, and N of a numbered pair */
enum traffic_at {
	AT_SOURCE,		/* N: the home */
	AT_HOME,		/* for PAIR_CNVLINK_*, N: the source */
	AT_HOME_FROM_ALL,	/* N: each other socket */
	AT_NOT_HOME,		/* all sockets but the home; N: the home */
	AT_NOT_SOURCE,		/* all sockets but the source; N: the source */
	AT_ALL,			/* all sockets; N: each other socket */
};

struct traffic_part {
	enum traffic_pair_id pair;
	enum traffic_at sockets;
	bool is_subtracted;
	unsigned int memory;	/* counts traffic to this memory only; 0: all of the pair's.
				 * The sum is a range if the pair counts other memories, too. */
};

struct traffic_parts {
	struct traffic_part list[TRAFFIC_PARTS];
	size_t count;		/* 0: not visible to any PMU */
};

/* Combinations of sockets for which a rule is applied */
enum traffic_each {
	EACH_LOCAL,		/* each socket, as source and home */
	EACH_REMOTE,		/* each source with each other home */
	EACH_OTHERS,		/* each source with all other sockets as homes */
	EACH_ONE,		/* once for the machine */
};

/* Traffic of an initiator to one memory, or to several memories that are counted together */
struct traffic_rule {
	unsigned int chips;
	enum traffic_initiator initiator;
	enum traffic_each each;
	unsigned int memories;
	bool is_view;		/* estimates one memory's part of another rule's sum */
	struct traffic_parts parts;
	const char *note;
};

/* Totals: of one memory, or of all */
struct traffic_total_rule {
	unsigned int chips, memory;	/* memory 0: all */
	struct traffic_parts parts;
	const char *note;
};

/* "%s" in the name is replaced by the number of a socket: source, then home */
struct traffic_link_rule {
	unsigned int chips;
	size_t sockets_min;
	enum traffic_each each;
	const char *name;
	struct traffic_parts source, home;
	bool is_alike;		/* both ends count the same reads; no two ends count the same writes */
	const char *note;
};

struct traffic_peak_rule {
	unsigned int chips;
	size_t sockets_min;
	enum traffic_each each;
	const char *name;
	enum traffic_way way;
	struct traffic_parts parts;
	double peak;		/* bytes per second, or per cycle of @clock if @is_cycles */
	bool is_cycles;
	enum gpmu_pmu_kind clock;
	const char *origin;
};

extern const struct traffic_rule traffic_rules[];
extern const size_t traffic_n_rules;
extern const struct traffic_total_rule traffic_total_rules[];
extern const size_t traffic_n_total_rules;
extern const struct traffic_link_rule traffic_link_rules[];
extern const size_t traffic_n_link_rules;
extern const struct traffic_peak_rule traffic_peak_rules[];
extern const size_t traffic_n_peak_rules;

/* Count of an event */
struct traffic_count {
	enum gpmu_traffic_state state;	/* OK, NOT_COUNTED or NOT_SUPPORTED */
	double count, rate, share;
	const char *why;
};

struct traffic_event {
	char *text;		/* "nvidia_scf_pmu_0/cmem_rd_data/"; NULL: cannot be counted */
	char *why;		/* the reason if text is NULL */
	struct traffic_count count;
};

/* The events of a pair in one socket */
struct traffic_bundle {
	enum traffic_pair_id pair;
	size_t socket, number;	/* indices of sockets; number SIZE_MAX: not numbered */
	struct traffic_event events[TRAFFIC_PAIR_EVENTS];
	size_t clock;		/* index in traffic->clocks */
};

/* A PMU's cycles */
struct traffic_clock {
	enum gpmu_pmu_kind kind;
	size_t socket;
	struct traffic_event event;
};

struct traffic_sum {
	const struct traffic_rule *rule;
	size_t source, home;	/* indices of sockets */
	struct gpmu_traffic_line line;
};

struct traffic_link {
	const struct traffic_link_rule *rule;
	size_t source, home;
	struct gpmu_traffic_link link;
};

struct traffic_peak {
	const struct traffic_peak_rule *rule;
	size_t source, home, clock;
	struct gpmu_traffic_peak peak;
};

struct gpmu_traffic {
	const struct gpmu_machine *machine;
	unsigned int chip;
	int sockets[TRAFFIC_MAX_SOCKETS];	/* numbers of the sockets' nodes */
	size_t socket_count;
	size_t initiator_count, kind_count;	/* for each socket: sources, memories */
	char *title;
	char **sources, **memories;
	struct traffic_bundle *bundles;
	size_t bundle_count;
	struct traffic_clock *clocks;
	size_t clock_count;
	struct gpmu_traffic_line *cells;	/* row by row; a row is a source */
	struct traffic_sum *rules;	/* results of all rules, including those of single cells */
	size_t rule_count;
	size_t *sums;			/* results that span several cells: indices in rules */
	size_t sum_count;
	struct gpmu_traffic_line *source_totals, *memory_totals, total;
	struct traffic_link *links;
	size_t link_count;
	struct traffic_peak *peaks;
	size_t peak_count;
};

static inline size_t traffic_n_sources(const struct gpmu_traffic *traffic)
{
	return traffic->socket_count * traffic->initiator_count;
}

static inline size_t traffic_n_memories(const struct gpmu_traffic *traffic)
{
	return traffic->socket_count * traffic->kind_count;
}

/* Sources and memories are grouped by socket: CPU of the first socket, its PCIe, ... */
static inline size_t traffic_source_index(const struct gpmu_traffic *traffic,
					  enum traffic_initiator initiator, size_t socket)
{
	return socket * traffic->initiator_count + initiator;
}

static inline size_t traffic_memory_index(const struct gpmu_traffic *traffic, unsigned int memory,
					  size_t socket)
{
	return socket * traffic->kind_count + (memory == TRAFFIC_GMEM);
}

/* Finds the machine's chip and sockets. Returns 0 or -errno. */
int traffic_look(struct gpmu_traffic *traffic, enum gpmu_traffic_chip chip,
		 struct gpmu_error *error);

/*
 * traffic_walk.c: calls @visit for each bundle of each part; @source and @home are the rule's.
 * Stops at the first nonzero result and returns it.
 */
typedef int traffic_visit(struct gpmu_traffic *traffic, const struct traffic_part *part,
			  size_t socket, size_t number, void *user);
int traffic_walk(struct gpmu_traffic *traffic, const struct traffic_parts *parts, size_t source,
		 size_t home, traffic_visit *visit, void *user);
/* NULL: none */
struct traffic_bundle *traffic_find_bundle(const struct gpmu_traffic *traffic,
					   enum traffic_pair_id pair, size_t socket, size_t number);
/* All events, of the clocks and the bundles, by index; NULL after the last */
struct traffic_event *traffic_event(const struct gpmu_traffic *traffic, size_t index);
/* Makes the bundles of all rules, and their clocks. Returns 0 or -ENOMEM. */
int traffic_make_events(struct gpmu_traffic *traffic);
/* Makes the names of sources, memories, flows, links and peaks. Returns 0 or -ENOMEM. */
int traffic_make_lines(struct gpmu_traffic *traffic);

/* The value of a cell that no rule sets */
struct gpmu_traffic_value traffic_nothing(void);
/* Computes all values from the counts. */
void traffic_compute(struct gpmu_traffic *traffic);

#endif /* GPMU_TRAFFIC_H */
