/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks: their nodes, and stacks that are not in the call chains of samples */
#ifndef GPMU_PROFILE_STACK_H
#define GPMU_PROFILE_STACK_H

#include <stdint.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "perfdata/gpmu_perfdata.h"

/* --- stacks as nodes of a tree: a frame and the node of its caller. Stacks with the same outer frames share nodes. */

#define PROFILE_STACK_OBJECT	(1U << 31)	/* in a frame: the function is not known, the text is its object */

struct profile_stack_node {
	uint32_t caller, frame;
};

/* Zeroed: empty */
struct profile_stacks {
	VECTOR(struct profile_stack_node) nodes;
	struct map numbers;	/* by caller and frame */
};

/*
 * Sets the number of the node of a frame below @caller, 0 for the outermost frame. @frame: number of a text, plus 1,
 * and PROFILE_STACK_OBJECT. Numbers begin with 1. Returns 0 or -ENOMEM.
 */
int profile_stacks_add(struct profile_stacks *stacks, uint32_t caller, uint32_t frame, uint32_t *number);
/* The frames of a stack, outermost first, joined by semicolons; to be freed. NULL: out of memory */
char *profile_stacks_text(const struct profile_stacks *stacks, const struct strings *texts, uint32_t number);
void profile_stacks_release(struct profile_stacks *stacks);

/*
 * --- stacks that are not in the call chain of the sample
 *
 * Deferred stacks are those of processes, which perf record --call-graph fp,defer records at the return to user space. A sample
 * has a cookie in place of its stack in the process; a later record has the cookie and the stack.
 *
 * perf record --call-graph lbr records as branches the calls in user space that have not returned, the innermost first. They replace
 * the callers in user space of the call chain, which the kernel finds by frame pointers.
 */

/* Cookies count on each CPU, so that one may be used again by another thread after 2^31 others. */
struct profile_deferred_stack {
	uint32_t tid;
	size_t begin, count;		/* in the addresses */
};

struct profile_addresses {
	uint64_t *list;
	size_t n;
};

/* Zeroed: empty */
struct profile_deferred {
	VECTOR(struct profile_deferred_stack) stacks;	/* equal stacks of a thread are one */
	struct profile_addresses addresses;	/* of all stacks, with PERF_CONTEXT_ marks */
	struct map cookies;		/* index in @stacks */
	struct map hashes;		/* of threads and stacks: index in @stacks */
	struct profile_addresses joined;	/* the last chain of profile_deferred_join() */
};

/* Takes a CALLCHAIN_DEFERRED record; others are ignored. Returns 0 or -ENOMEM. */
int profile_deferred_add(struct profile_deferred *deferred, const struct gpmu_perfdata_record *record);
/*
 * Sets the whole call chain of a sample: with its branches in place of the callers in user space, or with the recorded stack in
 * place of the cookie at its end. The chain is valid until the next call. A PERF_CONTEXT_USER mark precedes the address of each
 * branch, because this is the address of a call and not a return address. Returns 0 or -ENOMEM.
 */
int profile_deferred_join(struct profile_deferred *deferred, const struct gpmu_perfdata_record *record,
			  const uint64_t **chain, size_t *count);
void profile_deferred_release(struct profile_deferred *deferred);

#endif /* GPMU_PROFILE_STACK_H */
