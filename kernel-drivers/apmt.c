// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parser of the ACPI table APMT (Arm DEN0117): a header, then nodes that begin
 * with their length. A malformed node is skipped. After an invalid length, the
 * next node is searched first at the architected size, then at the given length.
 */
#include "apmt.h"

/* Offsets in a node */
#define NODE_LENGTH	0
#define NODE_FLAGS	2
#define NODE_TYPE	3
#define NODE_ID		4
#define NODE_PAGE0	20
#define NODE_PAGE1	28
#define NODE_GSI	36
#define NODE_RESERVED	40
#define NODE_GSI_FLAGS	44
#define NODE_AFFINITY	48
#define NODE_IMPL_ID	52

#define FLAG_DUAL_PAGE	0x1
#define FLAG_CONTAINER	0x2
#define FLAG_ATOMIC	0x4
#define GSI_EDGE	0x1
#define GSI_NOT_WIRED	0x2

#define TYPES		5	/* memory controller, SMMU, PCIe root, ACPI device, cache */
#define PAGE_BYTES	0x1000

static const char *const messages[GRACE_APMT_ERRORS] = {
	[GRACE_APMT_OK]		= "no error",
	[GRACE_APMT_TABLE]	= "table is too short",
	[GRACE_APMT_REST]	= "trailing bytes hold no node",
	[GRACE_APMT_SHORT]	= "length is too short",
	[GRACE_APMT_CUT]	= "length runs past the end of the table",
	[GRACE_APMT_HIDES]	= "length covers the next node",
	[GRACE_APMT_PAGE0]	= "invalid address of page 0",
	[GRACE_APMT_PAGE1]	= "invalid address of page 1",
	[GRACE_APMT_TAKEN]	= "page belongs to an earlier node",
	[GRACE_APMT_MANY]	= "too many nodes",
	[GRACE_APMT_TYPE]	= "unknown type",
	[GRACE_APMT_ID]		= "duplicate id",
};

static __u64 get(const __u8 *p, unsigned int bytes)
{
	__u64 val = 0;

	while (bytes--)
		val = val << 8 | p[bytes];
	return val;
}

static bool possible_page(__u64 addr, unsigned int phys_bits)
{
	return addr && addr % PAGE_BYTES == 0 && addr >> phys_bits == 0;
}

/* Whether the bytes at @offset look like the beginning of a node */
static bool plausible(const struct grace_apmt_walk *walk, __u32 offset)
{
	const __u8 *p = walk->table + offset;

	return offset <= walk->len && walk->len - offset >= GRACE_APMT_NODE &&
	       get(p + NODE_LENGTH, 2) == GRACE_APMT_NODE &&
	       get(p + NODE_RESERVED, 4) == 0 &&
	       possible_page(get(p + NODE_PAGE0, 8), walk->phys_bits);
}

/* Whether there is a plausible node at a multiple of the architected size from @offset */
static bool plausible_beyond(const struct grace_apmt_walk *walk, __u32 offset)
{
	for (; walk->len - offset >= GRACE_APMT_NODE; offset += GRACE_APMT_NODE) {
		if (plausible(walk, offset))
			return true;
	}
	return false;
}

/* Finds the node after one with an invalid length */
static void resync(struct grace_apmt_walk *walk, __u32 offset, __u32 length)
{
	__u32 left = walk->len - offset;

	walk->next = walk->len;
	if (left <= GRACE_APMT_NODE)
		return;

	walk->next = offset + GRACE_APMT_NODE;
	if (plausible(walk, walk->next))
		return;
	if (length && length < left && plausible(walk, offset + length))
		walk->next = offset + length;
	else
		walk->lost = !plausible_beyond(walk, walk->next);
}

static enum grace_apmt_error step(struct grace_apmt_walk *walk, struct grace_apmt_found *found)
{
	__u32 offset = walk->next, left = walk->len - offset, length;
	enum grace_apmt_error error = GRACE_APMT_OK;

	if (walk->lost || left < NODE_FLAGS) {
		found->value = left;
		walk->next = walk->len;
		return GRACE_APMT_REST;
	}

	length = get(walk->table + offset + NODE_LENGTH, 2);
	if (length < GRACE_APMT_NODE)
		error = GRACE_APMT_SHORT;
	else if (length > left)
		error = GRACE_APMT_CUT;
	else if (length > GRACE_APMT_NODE && plausible(walk, offset + GRACE_APMT_NODE))
		error = GRACE_APMT_HIDES;

	if (error) {
		found->value = length;
		resync(walk, offset, length);
	} else {
		walk->next = offset + length;
	}
	return error;
}

/* Pages are aligned and of one size, so they overlap only if they are equal */
static bool taken(const struct grace_apmt_walk *walk, __u64 page)
{
	for (unsigned int i = 0; i < walk->nodes; i++) {
		if (walk->pages[i][0] == page || walk->pages[i][1] == page)
			return true;
	}
	return false;
}

static enum grace_apmt_error check_pages(const struct grace_apmt_walk *walk,
					 struct grace_apmt_found *found)
{
	for (unsigned int i = 0; i < found->pages; i++) {
		found->value = found->page[i];
		if (!possible_page(found->page[i], walk->phys_bits) ||
		    (i && found->page[1] == found->page[0]))
			return i ? GRACE_APMT_PAGE1 : GRACE_APMT_PAGE0;
		if (taken(walk, found->page[i]))
			return GRACE_APMT_TAKEN;
	}
	return GRACE_APMT_OK;
}

/* A field of a node, 0 if the table ends before it */
static __u64 field(const struct grace_apmt_walk *walk, __u32 node, __u32 offset,
		   unsigned int bytes)
{
	if (walk->len - node < offset + bytes)
		return 0;
	return get(walk->table + node + offset, bytes);
}

static void decode(const struct grace_apmt_walk *walk, struct grace_apmt_found *found)
{
	__u32 node = found->offset;
	__u32 flags = field(walk, node, NODE_FLAGS, 1);
	__u32 gsi_flags = field(walk, node, NODE_GSI_FLAGS, 4);

	found->pages = flags & FLAG_DUAL_PAGE ? 2 : 1;
	found->page[0] = field(walk, node, NODE_PAGE0, 8);
	found->page[1] = found->pages == 2 ? field(walk, node, NODE_PAGE1, 8) : 0;
	found->gsi = field(walk, node, NODE_GSI, 4);
	found->edge = gsi_flags & GSI_EDGE;
	found->wired = !(gsi_flags & GSI_NOT_WIRED);
	found->atomic = flags & FLAG_ATOMIC;
	found->container = flags & FLAG_CONTAINER;
	found->affinity = field(walk, node, NODE_AFFINITY, 4);
	found->impl_id = field(walk, node, NODE_IMPL_ID, 4);
}

/*
 * Later revisions may add node types, and the type does not matter here. The id does
 * not either: a node is identified by its pages.
 */
static void remark(struct grace_apmt_walk *walk, struct grace_apmt_found *found)
{
	__u32 type = field(walk, found->offset, NODE_TYPE, 1);
	__u32 id = field(walk, found->offset, NODE_ID, 4);

	for (unsigned int i = 0; i < walk->nodes; i++) {
		if (walk->ids[i] == id) {
			found->remark = GRACE_APMT_ID;
			found->value = id;
		}
	}
	if (type >= TYPES) {
		found->remark = GRACE_APMT_TYPE;
		found->value = type;
	}
	walk->ids[walk->nodes] = id;
}

/**
 * grace_apmt_begin() - begin a walk over a table
 * @walk: the walk
 * @table: the table, which must remain valid during the walk
 * @len: bytes of the table; the lengths in its nodes may exceed it
 * @phys_bits: bits of a physical address, less than 64
 */
void grace_apmt_begin(struct grace_apmt_walk *walk, const void *table, __u32 len,
		      unsigned int phys_bits)
{
	walk->table = table;
	walk->len = len;
	walk->next = 0;
	walk->phys_bits = phys_bits;
	walk->lost = false;
	walk->seen = 0;
	walk->nodes = 0;
}

/**
 * grace_apmt_next() - advance to the next node
 * @walk: the walk
 * @found: the node, or an error
 *
 * Each call advances, so that a walk ends for any content of the table.
 *
 * Return: false at the end of the table
 */
bool grace_apmt_next(struct grace_apmt_walk *walk, struct grace_apmt_found *found)
{
	if (!walk->next) {
		walk->next = GRACE_APMT_HEADER;
		if (walk->len < GRACE_APMT_HEADER) {
			*found = (struct grace_apmt_found) {
				.error = GRACE_APMT_TABLE,
				.value = walk->len,
			};
			return true;
		}
	}
	if (walk->next >= walk->len)
		return false;

	*found = (struct grace_apmt_found) { .offset = walk->next };
	if (walk->seen++ == GRACE_APMT_NODES) {
		found->error = GRACE_APMT_MANY;
		found->value = GRACE_APMT_NODES;
		walk->next = walk->len;
		return true;
	}

	found->error = step(walk, found);
	if (found->error != GRACE_APMT_REST)
		decode(walk, found);
	if (!found->error)
		found->error = check_pages(walk, found);
	if (!found->error) {
		remark(walk, found);
		walk->pages[walk->nodes][0] = found->page[0];
		walk->pages[walk->nodes][1] = found->page[1];
		walk->nodes++;
	}
	return true;
}

/**
 * grace_apmt_strerror() - describe an error
 * @error: the error
 *
 * Return: a constant string
 */
const char *grace_apmt_strerror(enum grace_apmt_error error)
{
	return error < GRACE_APMT_ERRORS ? messages[error] : "unknown error";
}
