/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parser of the ACPI table APMT (Arm DEN0117). The content of the table is not
 * trusted. This part does not depend on the kernel: tests/unit/driver/apmt.c builds it
 * for the host.
 */
#ifndef GRACE_CSPMU_APMT_H
#define GRACE_CSPMU_APMT_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

#define GRACE_APMT_HEADER	36	/* bytes of the header of an ACPI table */
#define GRACE_APMT_NODE		56	/* bytes of a node */
#define GRACE_APMT_NODES	256	/* maximum number of nodes; a socket has about five */

/**
 * enum grace_apmt_error - a finding about a node; the value reported with it follows the colon
 * @GRACE_APMT_OK: no error
 * @GRACE_APMT_TABLE: the table is shorter than its header: bytes of the table
 * @GRACE_APMT_REST: trailing bytes that hold no node: their number
 * @GRACE_APMT_SHORT: length below that of a node: length
 * @GRACE_APMT_CUT: the node extends past the end of the table: length
 * @GRACE_APMT_HIDES: the length covers another whole node: length
 * @GRACE_APMT_PAGE0: invalid address of page 0: address
 * @GRACE_APMT_PAGE1: invalid address of page 1: address
 * @GRACE_APMT_TAKEN: page of an earlier node: address
 * @GRACE_APMT_MANY: more than GRACE_APMT_NODES nodes: GRACE_APMT_NODES
 * @GRACE_APMT_TYPE: unknown node type, which is no error; the node is used: type
 * @GRACE_APMT_ID: id of an earlier node, which is no error; the node is used: id
 * @GRACE_APMT_ERRORS: number of values
 */
enum grace_apmt_error {
	GRACE_APMT_OK,
	GRACE_APMT_TABLE,
	GRACE_APMT_REST,
	GRACE_APMT_SHORT,
	GRACE_APMT_CUT,
	GRACE_APMT_HIDES,
	GRACE_APMT_PAGE0,
	GRACE_APMT_PAGE1,
	GRACE_APMT_TAKEN,
	GRACE_APMT_MANY,
	GRACE_APMT_TYPE,
	GRACE_APMT_ID,
	GRACE_APMT_ERRORS
};

/**
 * struct grace_apmt_found - a node, or an error found in place of one
 * @offset: offset in the table
 * @error: the error, or GRACE_APMT_OK
 * @remark: GRACE_APMT_TYPE or GRACE_APMT_ID if there is no error, or GRACE_APMT_OK
 * @value: the value that @error or @remark reports
 * @pages: number of pages, 1 or 2; 0 if no node begins at @offset. If @error is
 *         set, only @page[0] is valid, too.
 * @page: addresses of the pages
 * @gsi: overflow interrupt, 0 if none
 * @edge: the interrupt is edge-triggered
 * @wired: the interrupt is wired
 * @atomic: 64-bit counters can be read and written in one access
 * @container: @affinity identifies a processor container, not a processor
 * @affinity: ACPI UID of the processor or container that the PMU belongs to
 * @impl_id: value that replaces PMIIDR, 0 if PMIIDR is valid
 */
struct grace_apmt_found {
	__u32 offset;
	enum grace_apmt_error error;
	enum grace_apmt_error remark;
	__u64 value;
	unsigned int pages;
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
 * @lost: no further node could be found
 * @seen: number of nodes so far
 * @nodes: number of valid nodes so far
 * @ids: ids of the valid nodes
 * @pages: pages of the valid nodes; the second is 0 in a node of one page
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
