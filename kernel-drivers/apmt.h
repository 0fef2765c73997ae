/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ACPI table APMT (Arm DEN0117), read as bytes that nobody has checked. This
 * part knows nothing of the kernel: a unit test builds it for the host.
 */
#ifndef GRACE_CSPMU_APMT_H
#define GRACE_CSPMU_APMT_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

#define GRACE_APMT_HEADER	36	/* bytes of the header of an ACPI table */
#define GRACE_APMT_NODE		56	/* bytes of a node */
#define GRACE_APMT_NODES	256	/* the most that are read: a socket has five or so */

/**
 * enum grace_apmt_error - what is wrong with a node, and what value shows it
 * @GRACE_APMT_OK: nothing
 * @GRACE_APMT_TABLE: no room for the table's header: bytes of the table
 * @GRACE_APMT_REST: bytes after the last node that hold none: their number
 * @GRACE_APMT_SHORT: length less than a node's: length
 * @GRACE_APMT_CUT: node runs past the end of the table: length
 * @GRACE_APMT_HIDES: a whole node lies inside the length: length
 * @GRACE_APMT_TYPE: unknown type of node: type
 * @GRACE_APMT_PAGE0: address of page 0 cannot be: address
 * @GRACE_APMT_PAGE1: address of page 1 cannot be: address
 * @GRACE_APMT_ID: id of an earlier node: id
 * @GRACE_APMT_TAKEN: page of an earlier node: address
 * @GRACE_APMT_MANY: one node more than are read: how many are
 * @GRACE_APMT_ERRORS: number of the above
 */
enum grace_apmt_error {
	GRACE_APMT_OK,
	GRACE_APMT_TABLE,
	GRACE_APMT_REST,
	GRACE_APMT_SHORT,
	GRACE_APMT_CUT,
	GRACE_APMT_HIDES,
	GRACE_APMT_TYPE,
	GRACE_APMT_PAGE0,
	GRACE_APMT_PAGE1,
	GRACE_APMT_ID,
	GRACE_APMT_TAKEN,
	GRACE_APMT_MANY,
	GRACE_APMT_ERRORS
};

/**
 * struct grace_apmt_found - a node, or a place where there should be one
 * @offset: where it is in the table
 * @error: if not GRACE_APMT_OK, what is wrong
 * @value: the value that is wrong
 * @pages: 1 or 2, 0 if no node begins there; of a node with an error no more
 *         than @id and @page[0] mean anything
 * @id: unique id, 31 bits of it: the kernel numbers the device by it
 * @page: their addresses
 * @gsi: overflow interrupt, 0 if none
 * @edge: it is edge-triggered
 * @wired: it is a wired interrupt
 * @atomic: 64-bit counters can be read and written in one access
 * @container: @affinity is of a processor container, not of a processor
 * @affinity: ACPI UID of the processors that the PMU belongs to
 * @impl_id: what stands for PMIIDR, 0 if that is right
 */
struct grace_apmt_found {
	__u32 offset;
	enum grace_apmt_error error;
	__u64 value;
	unsigned int pages;
	__u32 id;
	__u64 page[2];
	__u32 gsi;
	bool edge;
	bool wired;
	bool atomic;
	bool container;
	__u32 affinity;
	__u32 impl_id;
};

/**
 * struct grace_apmt_walk - a walk over a table; all members are private
 * @table: the table
 * @len: its bytes
 * @next: offset of the next node
 * @phys_bits: bits of a physical address
 * @lost: the next node could not be found
 * @seen: nodes so far
 * @nodes: good ones among them
 * @ids: their ids
 * @pages: their pages, 0 for a second one that is not there
 */
struct grace_apmt_walk {
	const __u8 *table;
	__u32 len;
	__u32 next;
	unsigned int phys_bits;
	bool lost;
	unsigned int seen;
	unsigned int nodes;
	__u32 ids[GRACE_APMT_NODES];
	__u64 pages[GRACE_APMT_NODES][2];
};

void grace_apmt_begin(struct grace_apmt_walk *walk, const void *table, __u32 len,
		      unsigned int phys_bits);
bool grace_apmt_next(struct grace_apmt_walk *walk, struct grace_apmt_found *found);
const char *grace_apmt_strerror(enum grace_apmt_error error);

#endif /* GRACE_CSPMU_APMT_H */
