/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The driver's APMT parser (Arm DEN0117) on valid, malformed and random tables. Built with ASan
 * and UBSan; each table is in an allocation of exactly its size, so that a read past its end is
 * caught.
 */
#include <stdlib.h>

#include "kernel-drivers/apmt.h"
#include "tests/lib/tap.h"

#define PHYS_BITS	48
#define BASE		UINT64_C(0x3d000000)

/* The table that the test writes */
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

/* Appends a valid node and returns its offset. */
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

/*
 * The nodes of the last walk: "3d000000" or "3d020000+3d030000" (pages), with
 * "?11:0" if there is a remark (remark, value); "!5c:5:28" (offset, error, value)
 */
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
		if (found.error) {
			n += (size_t)snprintf(story + n, sizeof(story) - n, " !%x:%d:%llx",
					      found.offset, found.error,
					      (unsigned long long)found.value);
			continue;
		}
		n += (size_t)snprintf(story + n, sizeof(story) - n, " %llx",
				      (unsigned long long)found.page[0]);
		if (found.pages == 2)
			n += (size_t)snprintf(story + n, sizeof(story) - n, "+%llx",
					      (unsigned long long)found.page[1]);
		if (found.remark)
			n += (size_t)snprintf(story + n, sizeof(story) - n, "?%d:%llx", found.remark,
					      (unsigned long long)found.value);
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
	is_str(walk_table(), "", "APMT: a table without nodes yields no node");

	add_node(0);
	add_node(1);
	add_node(2);
	is_str(walk_table(), " 3d000000 3d020000 3d040000",
	       "APMT: three nodes are found in the table's order");

	begin_table();
	node = add_node(0);
	put_flags(node, 1);
	put_page1(node, BASE + 0x10000);
	is_str(walk_table(), " 3d000000+3d010000", "APMT: a dual-page node has two pages");
	put_flags(node, 6);
	is_str(walk_table(), " 3d000000",
	       "APMT: page 1 is used only if the dual-page flag is set");

	put_gsi(node, 36);
	put_gsi_flags(node, 1);
	walk = malloc(sizeof(*walk));
	grace_apmt_begin(walk, image, end, PHYS_BITS);
	grace_apmt_next(walk, &found);
	ok(found.gsi == 36 && found.edge && found.wired,
	   "APMT: an edge-triggered wired interrupt is decoded");
	put_gsi_flags(node, 2);
	grace_apmt_begin(walk, image, end, PHYS_BITS);
	grace_apmt_next(walk, &found);
	ok(found.gsi == 36 && !found.edge && !found.wired,
	   "APMT: a level-triggered interrupt that is not wired is decoded");
	free(walk);

	begin_table();
	node = add_node(0);
	put_length(node, 72);
	end += 16;
	add_node(1);
	is_str(walk_table(), " 3d000000 3d020000",
	       "APMT: a longer node of a later revision is read");

	begin_table();
	add_node(3);
	node = add_node(4);
	put_id(node, 0x80000003);
	is_str(walk_table(), " 3d060000 3d080000",
	       "APMT: ids that differ only in bit 31 are distinct");
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
		snprintf(name, sizeof(name),
			 "APMT: a node of length %u is skipped and the next one is "
			 "found", wrong[i]);
		ok(!strncmp(story, " 3d000000 !5c:", 14) &&
		   strstr(story, " 3d040000") && !strstr(story, "3d020000") &&
		   strlen(strstr(story, " 3d040000")) == 9, "%s", name) || (diag("%s", story), 0);
	}

	begin_table();
	add_node(0);
	node = add_node(1);
	put_length(node, 112);
	add_node(2);
	is_str(walk_table(), " 3d000000 !5c:5:70 3d040000",
	       "APMT: a length that spans the next node is reported");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_length(node, 40);
	end -= 16;
	add_node(2);
	is_str(walk_table(), " 3d000000 !5c:3:28 3d040000",
	       "APMT: a node that is as short as its length field is skipped");

	begin_table();
	add_node(0);
	put_length(add_node(1), 0);
	put_length(add_node(2), 12);
	add_node(3);
	is_str(walk_table(), " 3d000000 !5c:3:0 !94:3:c 3d060000",
	       "APMT: two consecutive wrong lengths lose two nodes");

	begin_table();
	node = add_node(0);
	put_length(node, 0);
	is_str(walk_table(), " !24:3:0", "APMT: a single node of length 0 causes one error");
	end += 4096;
	is_str(walk_table(), " !24:3:0 !5c:2:1000",
	       "APMT: zeros up to the end of the table cause one error");
}

static void test_cut(void)
{
	begin_table();
	add_node(0);
	add_node(1);
	end -= 20;
	is_str(walk_table(), " 3d000000 !5c:4:38",
	       "APMT: a node that the table's end cuts is skipped");
	end = GRACE_APMT_HEADER + GRACE_APMT_NODE + 1;
	is_str(walk_table(), " 3d000000 !5c:2:1",
	       "APMT: one byte after the last node is reported");
	end = 20;
	is_str(walk_table(), " !0:1:14", "APMT: a table shorter than its header is reported");
	end = 0;
	is_str(walk_table(), " !0:1:0", "APMT: an empty table is reported");

	begin_table();
	add_node(0);
	add_node(1);
	for (uint32_t len = 0, last = end; len <= last; len++) {
		if (walk_len(len) > 3) {
			ok(false, "APMT: a table cut to %u bytes yields at most 3 results", len);
			return;
		}
	}
	ok(true, "APMT: a table of two nodes can be cut at any byte");
}

static void test_content(void)
{
	static const struct {
		uint64_t page0;
		const char *what;
	} impossible[] = {
		{ 0, "address 0" },
		{ BASE + 0x20800, "an address that is not page-aligned" },
		{ UINT64_C(1) << 48, "an address beyond the physical address space" },
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
		ok(strstr(story, " !5c:6:") && strstr(story, " 3d000000") && strstr(story, " 3d040000"),
		   "APMT: %s as page 0 loses that node alone", impossible[i].what);
	}

	begin_table();
	add_node(0);
	node = add_node(1);
	put_flags(node, 1);
	put_page1(node, 0x123);
	is_str(walk_table(), " 3d000000 !5c:7:123", "APMT: a misaligned page 1 is reported");
	put_page1(node, BASE + 0x20000);
	is_str(walk_table(), " 3d000000 !5c:7:3d020000",
	       "APMT: a page 1 equal to page 0 is reported");
	put_page1(node, BASE);
	is_str(walk_table(), " 3d000000 !5c:8:3d000000",
	       "APMT: a page 1 equal to an earlier node's page 0 is reported");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_page0(node, BASE);
	add_node(2);
	is_str(walk_table(), " 3d000000 !5c:8:3d000000 3d040000",
	       "APMT: a page 0 of an earlier node is reported");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_type(node, 5);
	add_node(2);
	is_str(walk_table(), " 3d000000 3d020000?10:5 3d040000",
	       "APMT: a node of an unknown type is used with a remark");

	begin_table();
	add_node(0);
	node = add_node(1);
	put_id(node, 0);
	node = add_node(2);
	put_id(node, 0);
	is_str(walk_table(), " 3d000000 3d020000?11:0 3d040000?11:0",
	       "APMT: nodes with the id of an earlier node are used with a remark");
}

/* Returns the first node of the table. */
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
	ok(found.affinity == 0x12345 && found.impl_id == 0x1050036b,
	   "APMT: affinity and implementation id are decoded");
	ok(!found.container && !found.atomic,
	   "APMT: a node without flags has processor affinity and no 64-bit accesses");
	put_flags(node, 2);
	found = first();
	ok(found.container && !found.atomic,
	   "APMT: flag bit 1 means affinity to a processor container");
	put_flags(node, 4);
	found = first();
	ok(!found.container && found.atomic, "APMT: flag bit 2 means 64-bit accesses");

	put_length(node, 0);
	found = first();
	ok(found.error == GRACE_APMT_SHORT && found.value == 0 && found.page[0] == BASE + 0x60000,
	   "APMT: a node of a wrong length reports its address");
	end = node + 28;
	found = first();
	is_u64(found.page[0], BASE + 0x60000,
	       "APMT: a node cut after its address reports the address");
	end = node + 27;
	found = first();
	ok(found.error == GRACE_APMT_SHORT && !found.page[0],
	   "APMT: a node cut within its address reports none");
	end = node + 1;
	found = first();
	ok(found.error == GRACE_APMT_REST && !found.pages,
	   "APMT: a rest too short for a node reports no page");
}

static void test_many(void)
{
	unsigned int steps;

	begin_table();
	for (uint32_t i = 0; i < 1000; i++)
		add_node(i);
	steps = walk_len(end);
	is_u64(steps, GRACE_APMT_NODES + 1,
	       "APMT: 256 of 1000 nodes are read, and the rest is one error");
	ok(strstr(story, " !3824:9:100") != NULL,
	   "APMT: the error for too many nodes has their offset and number");

	for (uint32_t i = 0; i < 1000; i++)
		put_page0(GRACE_APMT_HEADER + i * GRACE_APMT_NODE, 0);
	steps = walk_len(end);
	is_u64(steps, GRACE_APMT_NODES + 1, "APMT: malformed nodes count towards the limit of 256");
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
		/* Each node causes at most one result, as does the rest. */
		if (most > len / 2 + 1) {
			ok(false,
			   "APMT: table %u: %u steps over %u bytes are too many", run, most, len);
			return;
		}
	}
	ok(true, "APMT: each walk over 100000 damaged tables ends within the table");
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
	ok(all, "APMT: each error has its own message");
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
