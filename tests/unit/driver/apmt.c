/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The driver's bounds of APMT nodes (Arm DEN0117) on valid, malformed and random tables. Built
 * with ASan and UBSan; each table is in an allocation of exactly its size, so that a read past
 * its end is caught.
 */
#include <stdint.h>
#include <stdlib.h>

#include "kernel-drivers/apmt.h"
#include "tests/lib/tap.h"

/* The table that the test writes */
static uint8_t image[0x20000];
static uint32_t end;

static void put_length(uint32_t node, uint32_t length)
{
	image[node] = (uint8_t)length;
	image[node + 1] = (uint8_t)(length >> 8);
}

static void begin_table(void)
{
	memset(image, 0, sizeof(image));
	end = GRACE_APMT_HEADER;
}

/* Appends a node of @length bytes and returns its offset. */
static uint32_t add_node(uint32_t length)
{
	uint32_t node = end;

	put_length(node, length);
	end += length;
	return node;
}

/* Walks a table as the driver does. Sets @offset to where the walk ends. */
static unsigned int walk(const void *table, uint32_t len, uint32_t *offset)
{
	unsigned int nodes = 0;
	uint32_t length;

	for (*offset = GRACE_APMT_HEADER; (length = grace_apmt_length(table, len, *offset)); nodes++)
		*offset += length;
	return nodes;
}

/* Walks the first @len bytes of the image, in an allocation of their size. */
static unsigned int walk_len(uint32_t len, uint32_t *offset)
{
	uint8_t *copy = malloc(len ? len : 1);
	unsigned int nodes;

	memcpy(copy, image, len);
	nodes = walk(copy, len, offset);
	free(copy);
	return nodes;
}

static void test_valid(void)
{
	uint32_t offset;

	begin_table();
	is_u64(walk_len(end, &offset), 0, "APMT: a table without nodes yields no node");
	is_u64(offset, end, "APMT: the walk over a table without nodes ends at its end");

	add_node(GRACE_APMT_NODE);
	add_node(GRACE_APMT_NODE);
	add_node(72);
	add_node(GRACE_APMT_NODE);
	is_u64(walk_len(end, &offset), 4,
	       "APMT: all nodes are found, including a longer one of a later revision");
	is_u64(offset, end, "APMT: the walk over a valid table ends at its end");
}

static void test_length(void)
{
	static const uint32_t wrong[] = { 0, 1, 2, 3, 4, 8, 40, 55, 113, 1000, 0xffff };
	uint32_t node, offset;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin_table();
		add_node(GRACE_APMT_NODE);
		node = add_node(GRACE_APMT_NODE);
		add_node(GRACE_APMT_NODE);
		put_length(node, wrong[i]);
		ok(walk_len(end, &offset) == 1 && offset == node,
		   "APMT: a node of length %u ends the walk", wrong[i]);
	}
}

static void test_cut(void)
{
	bool is_right = true;
	uint32_t offset, last;

	begin_table();
	add_node(GRACE_APMT_NODE);
	last = add_node(GRACE_APMT_NODE);
	for (uint32_t len = 0; len <= end; len++)
		is_right &= walk_len(len, &offset) ==
			    (len < last ? 0u : 1u) + (len == end) && offset <= end;
	ok(is_right, "APMT: a table of two nodes that is cut at any byte has the nodes before the cut");
}

static void test_offset(void)
{
	uint32_t node;

	begin_table();
	node = add_node(GRACE_APMT_NODE);
	ok(grace_apmt_length(image, end, node) == GRACE_APMT_NODE, "APMT: a node within the table has its length");
	ok(!grace_apmt_length(image, end, 0) && !grace_apmt_length(image, end, GRACE_APMT_HEADER - 1),
	   "APMT: there is no node in the header");
	ok(!grace_apmt_length(image, end, end) && !grace_apmt_length(image, end, UINT64_C(1) << 32 | node) &&
	   !grace_apmt_length(image, end, UINT64_MAX),
	   "APMT: there is no node at an offset behind the table");
}

/* xorshift64: the tables are the same in each run */
static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % below;
}

/* Valid nodes with some bytes changed, tables cut anywhere, random bytes */
static void test_fuzz(void)
{
	uint32_t offset;

	for (unsigned int run = 0; run < 100000; run++) {
		uint32_t nodes = draw(12), changes = draw(20), len;

		begin_table();
		for (uint32_t i = 0; i < nodes; i++)
			add_node(GRACE_APMT_NODE);
		while (changes--)
			image[draw(end)] = (uint8_t)(draw(4) ? draw(256) : draw(2) * 0x38);
		if (run % 10 == 0) {
			for (uint32_t i = 0; i < end; i++)
				image[i] = (uint8_t)draw(256);
		}
		len = draw(3) ? end : draw(end + 1);
		if (walk_len(len, &offset) > len / GRACE_APMT_NODE ||
		    (len >= GRACE_APMT_HEADER && offset > len)) {
			ok(false, "APMT: the walk over table %u of %u bytes leaves it", run, len);
			return;
		}
	}
	ok(true, "APMT: each walk over 100000 damaged tables ends within the table");
}

int main(void)
{
	test_valid();
	test_length();
	test_cut();
	test_offset();
	test_fuzz();
	return done_testing();
}
