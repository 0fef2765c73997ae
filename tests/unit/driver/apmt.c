/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The driver's APMT parser (Arm DEN0117) on tables that are good, bad and
 * random. Built with ASan and UBSan; each table lies in an allocation of
 * exactly its size, so that a read past its end is caught.
 */
#include <stdlib.h>

#include "kernel-drivers/apmt.h"
#include "tests/lib/tap.h"

#define PHYS_BITS	48
#define BASE		UINT64_C(0x3d000000)

/* A table that is being written */
static uint8_t image[0x20000];
static uint32_t end;

static void put(uint32_t offset, uint64_t val, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		image[offset + i] = (uint8_t)(val >> 8 * i);
}

static void put_length(uint32_t node, uint64_t v)	{ put(node, v, 2); }
static void put_flags(uint32_t node, uint64_t v)	{ put(node + 2, v, 1); }
static void put_type(uint32_t node, uint64_t v)		{ put(node + 3, v, 1); }
static void put_id(uint32_t node, uint64_t v)		{ put(node + 4, v, 4); }
static void put_page0(uint32_t node, uint64_t v)	{ put(node + 20, v, 8); }
static void put_page1(uint32_t node, uint64_t v)	{ put(node + 28, v, 8); }
static void put_gsi(uint32_t node, uint64_t v)		{ put(node + 36, v, 4); }
static void put_gsi_flags(uint32_t node, uint64_t v)	{ put(node + 44, v, 4); }
static void put_affinity(uint32_t node, uint64_t v)	{ put(node + 48, v, 4); }
static void put_impl_id(uint32_t node, uint64_t v)	{ put(node + 52, v, 4); }

static void begin_table(void)
{
	memset(image, 0, sizeof(image));
	memcpy(image, "APMT", 4);
	end = GRACE_APMT_HEADER;
}

/* A good node at the end of the table; its offset */
static uint32_t add_node(uint32_t id)
{
	uint32_t node = end;

	put_length(node, GRACE_APMT_NODE);
	put_type(node, 3);
	put_id(node, id);
	put_page0(node, BASE + UINT64_C(0x20000) * id);
	end += GRACE_APMT_NODE;
	return node;
}

/* What a walk came by: "0:3d000000", "1:3d020000+3d030000", "!5c:5:28" (offset, error, value) */
static char story[0x10000];

static unsigned int walk_bytes(const uint8_t *bytes, uint32_t len)
{
	struct grace_apmt_walk *walk = malloc(sizeof(*walk));
	struct grace_apmt_found found;
	unsigned int steps = 0;
	size_t n = 0;

	story[0] = '\0';
	grace_apmt_begin(walk, bytes, len, PHYS_BITS);
	while (grace_apmt_next(walk, &found)) {
		steps++;
		if (sizeof(story) - n < 100)
			continue;
		if (found.error)
			n += (size_t)snprintf(story + n, sizeof(story) - n, " !%x:%d:%llx",
					      found.offset, found.error,
					      (unsigned long long)found.value);
		else if (found.pages == 2)
			n += (size_t)snprintf(story + n, sizeof(story) - n, " %u:%llx+%llx", found.id,
					      (unsigned long long)found.page[0],
					      (unsigned long long)found.page[1]);
		else
			n += (size_t)snprintf(story + n, sizeof(story) - n, " %u:%llx", found.id,
					      (unsigned long long)found.page[0]);
	}
	free(walk);
	return steps;
}

static unsigned int walk_len(uint32_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	unsigned int steps;

	memcpy(copy, image, len);
	steps = walk_bytes(copy, len);
	free(copy);
	return steps;
}

static const char *walk_table(void)
{
	walk_len(end);
	return story;
}

static void test_good(void)
{
	struct grace_apmt_found found;
	struct grace_apmt_walk *walk;
	uint32_t node;

	begin_table();
	is_str(walk_table(), "", "a table without nodes has none");

	add_node(0);
	add_node(1);
	add_node(2);
	is_str(walk_table(), " 0:3d000000 1:3d020000 2:3d040000", "three nodes in the table's order");

	begin_table();
	node = add_node(0);
	put_flags(node, 1);
	put_page1(node, BASE + 0x10000);
	is_str(walk_table(), " 0:3d000000+3d010000", "a dual-page node has two pages");
	put_flags(node, 6);
	is_str(walk_table(), " 0:3d000000", "page 1 counts only if the flag says so");

	put_gsi(node, 36);
	put_gsi_flags(node, 1);
	walk = malloc(sizeof(*walk));
	grace_apmt_begin(walk, image, end, PHYS_BITS);
	grace_apmt_next(walk, &found);
	ok(found.gsi == 36 && found.edge && found.wired, "an edge-triggered wired interrupt");
	put_gsi_flags(node, 2);
	grace_apmt_begin(walk, image, end, PHYS_BITS);
	grace_apmt_next(walk, &found);
	ok(found.gsi == 36 && !found.edge && !found.wired, "a level-triggered one that is not wired");
	free(walk);

	begin_table();
	node = add_node(0);
	put_length(node, 72);
	end += 16;
	add_node(1);
	is_str(walk_table(), " 0:3d000000 1:3d020000", "a longer node, as a later revision may have, is read");

	begin_table();
	add_node(0x80000003);
	put_page0(GRACE_APMT_HEADER, BASE);
	is_str(walk_table(), " 3:3d000000", "of an id the kernel's 31 bits are taken");
}

static void test_length(void)
{
	static const uint32_t wrong[] = { 0, 1, 2, 3, 4, 8, 40, 55, 57, 100, 111, 1000, 0xffff };
	uint32_t node;
	char name[100];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin_table();
		add_node(0);
		node = add_node(1);
		add_node(2);
		put_length(node, wrong[i]);
		walk_table();
		snprintf(name, sizeof(name), "length %u costs that node alone", wrong[i]);
		ok(!strncmp(story, " 0:3d000000 !5c:", 16) &&
		   strstr(story, " 2:3d040000") && !strstr(story, "1:3d020000") &&
		   strlen(strstr(story, " 2:3d040000")) == 11, "%s", name) || (diag("%s", story), 0);
	}

	begin_table();
	add_node(0);
	node = add_node(1);
	put_length(node, 112);
	add_node(2);
	is_str(walk_table(), " 0:3d000000 !5c:5:70 2:3d040000", "a length that hides the next node is told");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_length(node, 40);
	end -= 16;
	add_node(2);
	is_str(walk_table(), " 0:3d000000 !5c:3:28 2:3d040000", "a node that is as short as it says is stepped over");

	begin_table();
	add_node(0);
	put_length(add_node(1), 0);
	put_length(add_node(2), 12);
	add_node(3);
	is_str(walk_table(), " 0:3d000000 !5c:3:0 !94:3:c 3:3d060000", "two bad lengths in a row cost two nodes");

	begin_table();
	node = add_node(0);
	put_length(node, 0);
	is_str(walk_table(), " !24:3:0", "one node of length 0: one complaint");
	end += 4096;
	is_str(walk_table(), " !24:3:0 !5c:2:1000", "length 0 and zeros to the end: the rest is one complaint");
}

static void test_cut(void)
{
	begin_table();
	add_node(0);
	add_node(1);
	end -= 20;
	is_str(walk_table(), " 0:3d000000 !5c:4:38", "a node cut by the table's end is left out");
	end = GRACE_APMT_HEADER + GRACE_APMT_NODE + 1;
	is_str(walk_table(), " 0:3d000000 !5c:2:1", "one byte after the last node is told");
	end = 20;
	is_str(walk_table(), " !0:1:14", "a table shorter than its header is told");
	end = 0;
	is_str(walk_table(), " !0:1:0", "an empty table is told");

	begin_table();
	add_node(0);
	add_node(1);
	for (uint32_t len = 0, last = end; len <= last; len++) {
		if (walk_len(len) > 3) {
			ok(false, "a table cut to %u bytes", len);
			return;
		}
	}
	ok(true, "a table of two nodes can be cut at any byte");
}

static void test_content(void)
{
	static const struct {
		uint64_t page0;
		const char *what;
	} impossible[] = {
		{ 0, "address 0" },
		{ BASE + 0x20800, "an address within a page" },
		{ UINT64_C(1) << 48, "an address beyond the physical ones" },
		{ UINT64_C(0xfffffffffffff000), "the last page of 64 bits" },
	};
	uint32_t node;

	for (size_t i = 0; i < sizeof(impossible) / sizeof(impossible[0]); i++) {
		begin_table();
		add_node(0);
		node = add_node(1);
		add_node(2);
		put_page0(node, impossible[i].page0);
		walk_table();
		ok(strstr(story, " !5c:7:") && strstr(story, " 0:3d000000") && strstr(story, " 2:3d040000"),
		   "%s of page 0 costs that node alone", impossible[i].what);
	}

	begin_table();
	add_node(0);
	node = add_node(1);
	put_flags(node, 1);
	put_page1(node, 0x123);
	is_str(walk_table(), " 0:3d000000 !5c:8:123", "an impossible page 1");
	put_page1(node, BASE + 0x20000);
	is_str(walk_table(), " 0:3d000000 !5c:8:3d020000", "page 1 that is page 0");
	put_page1(node, BASE);
	is_str(walk_table(), " 0:3d000000 !5c:10:3d000000", "page 1 that is an earlier node's page 0");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_page0(node, BASE);
	add_node(2);
	is_str(walk_table(), " 0:3d000000 !5c:10:3d000000 2:3d040000", "a page of an earlier node");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_type(node, 5);
	add_node(2);
	is_str(walk_table(), " 0:3d000000 !5c:6:5 2:3d040000", "an unknown type");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_id(node, 0);
	add_node(2);
	is_str(walk_table(), " 0:3d000000 !5c:9:0 2:3d040000", "a duplicate id: the first keeps it");

	begin_table();
	node = add_node(0);
	put_type(node, 9);
	add_node(1);
	put_id(end - GRACE_APMT_NODE, 0);
	is_str(walk_table(), " !24:6:9 0:3d020000", "the id of a node that was left out is free");
}

/* The first node of the table */
static struct grace_apmt_found first(void)
{
	struct grace_apmt_walk *walk = malloc(sizeof(*walk));
	uint8_t *copy = malloc(end);
	struct grace_apmt_found found;

	memcpy(copy, image, end);
	grace_apmt_begin(walk, copy, end, PHYS_BITS);
	grace_apmt_next(walk, &found);
	free(copy);
	free(walk);
	return found;
}

static void test_fields(void)
{
	struct grace_apmt_found found;
	uint32_t node;

	begin_table();
	node = add_node(3);
	put_affinity(node, 0x12345);
	put_impl_id(node, 0x1050036b);
	found = first();
	ok(found.affinity == 0x12345 && found.impl_id == 0x1050036b, "affinity and implementation id");
	ok(!found.container && !found.atomic, "without flags: a processor, no 64-bit accesses");
	put_flags(node, 2);
	found = first();
	ok(found.container && !found.atomic, "flag 1: a processor container");
	put_flags(node, 4);
	found = first();
	ok(!found.container && found.atomic, "flag 2: 64-bit accesses");

	put_type(node, 9);
	found = first();
	ok(found.error == GRACE_APMT_TYPE && found.pages == 1 && found.id == 3 &&
	   found.page[0] == BASE + 0x60000, "a bad node has id and address, by which its device is found");
	put_length(node, 0);
	found = first();
	ok(found.error == GRACE_APMT_SHORT && found.value == 0 && found.id == 3 &&
	   found.page[0] == BASE + 0x60000, "also with a bad length");
	end = node + 28;
	found = first();
	is_u64(found.page[0], BASE + 0x60000, "also if the table ends after the address");
	end = node + 27;
	found = first();
	ok(found.error == GRACE_APMT_SHORT && !found.page[0], "but not if it ends before");
	end = node + 1;
	found = first();
	ok(found.error == GRACE_APMT_REST && !found.pages, "what holds no node has neither");
}

static void test_many(void)
{
	unsigned int steps;

	begin_table();
	for (uint32_t i = 0; i < 1000; i++)
		add_node(i);
	steps = walk_len(end);
	is_u64(steps, GRACE_APMT_NODES + 1, "of 1000 nodes 256 are read, the rest is one complaint");
	ok(strstr(story, " !3824:11:100") != NULL, "which says where and how many");

	for (uint32_t i = 0; i < 1000; i++)
		put_type(GRACE_APMT_HEADER + i * GRACE_APMT_NODE, 9);
	steps = walk_len(end);
	is_u64(steps, GRACE_APMT_NODES + 1, "bad nodes count among the 256");
}

/* xorshift64: the same tables in each run */
static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % below;
}

/* Good nodes with some bytes changed, cut anywhere, or bytes at random */
static void test_fuzz(void)
{
	unsigned int longest = 0;

	for (unsigned int run = 0; run < 100000; run++) {
		uint32_t nodes = draw(12), changes = draw(20), len, most;

		begin_table();
		for (uint32_t i = 0; i < nodes; i++)
			add_node(i);
		while (changes--)
			image[draw(end)] = (uint8_t)(draw(4) ? draw(256) : draw(2) * 0x38);
		if (run % 10 == 0) {
			for (uint32_t i = 0; i < end; i++)
				image[i] = (uint8_t)draw(256);
		}
		len = draw(3) ? end : draw(end + 1);
		most = walk_len(len);
		if (most > longest)
			longest = most;
		/* each node is told once, and so is what is left over */
		if (most > len / 2 + 1) {
			ok(false, "table %u: %u steps over %u bytes", run, most, len);
			return;
		}
	}
	ok(true, "100000 damaged tables: each walk ends within the table");
	diag("at most %u steps", longest);
}

static void test_words(void)
{
	bool all = true;

	for (int e = GRACE_APMT_OK; e < GRACE_APMT_ERRORS; e++) {
		const char *words = grace_apmt_strerror((enum grace_apmt_error)e);

		if (!words || !*words) {
			all = false;
			break;
		}
		for (int f = GRACE_APMT_OK; f < e; f++)
			all &= strcmp(words, grace_apmt_strerror((enum grace_apmt_error)f)) != 0;
	}
	ok(all, "each error has words of its own");
}

int main(void)
{
	test_good();
	test_length();
	test_cut();
	test_content();
	test_fields();
	test_many();
	test_words();
	test_fuzz();
	return done_testing();
}
