// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tier and home, two independent columns */
#include <errno.h>

#include "spe-test.h"

#define NEOVERSE_V2	0x410fd4f0
#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))
#define GIB		(1ull << 30)

static struct gpmu_spe_record record_of(unsigned int op_class, unsigned int payload)
{
	struct gpmu_spe_record record = { .fields = 1u << GPMU_SPE_OP };

	record.value[GPMU_SPE_OP] = GPMU_SPE_OP_VALUE(op_class, payload);
	return record;
}

static void set(struct gpmu_spe_record *record, enum gpmu_spe_field field, uint64_t value)
{
	record->fields |= 1u << field;
	record->value[field] = value;
}

static void loads(void)
{
	static const struct {
		uint64_t number;
		enum gpmu_spe_tier_kind kind;
		const char *name;
	} cases[] = {
		{ 0x0, GPMU_SPE_TIER_L1D, "L1D" },
		{ 0x8, GPMU_SPE_TIER_L2, "L2" },
		{ 0x9, GPMU_SPE_TIER_PEER_CORE, "peer core" },
		{ 0xa, GPMU_SPE_TIER_LOCAL_CLUSTER, "local cluster" },
		{ 0xb, GPMU_SPE_TIER_SYSTEM_CACHE, "system cache" },
		{ 0xc, GPMU_SPE_TIER_PEER_CLUSTER, "peer cluster" },
		{ 0xd, GPMU_SPE_TIER_REMOTE, "remote" },
		{ 0xe, GPMU_SPE_TIER_DRAM, "DRAM" },
		{ 0x1, GPMU_SPE_TIER_UNKNOWN, "unknown" },
		{ 0xf, GPMU_SPE_TIER_UNKNOWN, "unknown" },
		{ 0x100, GPMU_SPE_TIER_UNKNOWN, "unknown" },
	};
	struct gpmu_spe_record record = record_of(GPMU_SPE_MEMORY, 0);
	struct gpmu_spe_tier tier = gpmu_spe_tier(&record, NEOVERSE_V2);

	ok(tier.kind == GPMU_SPE_TIER_ABSENT && tier.number == -1 && !strcmp(tier.name, "not recorded"),
	   "spe: a load without a data source is not an L1 hit: its tier is not recorded");
	for (size_t i = 0; i < LENGTH(cases); i++) {
		set(&record, GPMU_SPE_SOURCE, cases[i].number);
		/* Events do not matter */
		set(&record, GPMU_SPE_EVENTS, i % 2 ? 0x30c : 0);
		tier = gpmu_spe_tier(&record, NEOVERSE_V2 + 1);
		ok(tier.kind == cases[i].kind && !strcmp(tier.name, cases[i].name) && !tier.is_bound &&
		   tier.number == (int64_t)cases[i].number && *tier.text,
		   "spe: data source 0x%x of Neoverse V2 has the tier %s", (unsigned int)cases[i].number, cases[i].name);
	}
	set(&record, GPMU_SPE_SOURCE, 0xd);
	tier = gpmu_spe_tier(&record, 0x481fd010);
	ok(tier.kind == GPMU_SPE_TIER_FOREIGN && tier.number == 0xd && gpmu_spe_tier(&record, 0).kind == tier.kind,
	   "spe: a data source of another CPU has a number and no name");
}

static void stores(void)
{
	static const struct {
		uint64_t events;
		enum gpmu_spe_tier_kind kind;
		const char *name;
	} cases[] = {
		{ 0x000, GPMU_SPE_TIER_STORE_UNKNOWN, "not recorded" },
		{ 0x012, GPMU_SPE_TIER_STORE_UNKNOWN, "not recorded" },
		{ 0x006, GPMU_SPE_TIER_STORE_L1D, "L1D" },
		{ 0x00e, GPMU_SPE_TIER_STORE_BEYOND_L1D, "beyond L1D" },
		{ 0x10e, GPMU_SPE_TIER_STORE_LLC, "LLC or nearer" },
		{ 0x30e, GPMU_SPE_TIER_STORE_BEYOND_LLC, "beyond LLC" },
	};
	struct gpmu_spe_record record = record_of(GPMU_SPE_MEMORY, 1);
	struct gpmu_spe_tier tier = gpmu_spe_tier(&record, NEOVERSE_V2);

	ok(tier.kind == GPMU_SPE_TIER_STORE_UNKNOWN && tier.is_bound,
	   "spe: a store without events has no tier");
	for (size_t i = 0; i < LENGTH(cases); i++) {
		set(&record, GPMU_SPE_EVENTS, cases[i].events);
		tier = gpmu_spe_tier(&record, NEOVERSE_V2);
		ok(tier.kind == cases[i].kind && tier.is_bound && tier.number == -1 &&
		   !strcmp(tier.name, cases[i].name) && *tier.text,
		   "spe: a store with events 0x%x has the bound %s", (unsigned int)cases[i].events, cases[i].name);
	}
	set(&record, GPMU_SPE_SOURCE, 0xe);
	ok(gpmu_spe_tier(&record, NEOVERSE_V2).is_bound, "spe: the tier of a store is a bound whatever its data source");
	record = record_of(GPMU_SPE_MEMORY, 0x06);
	set(&record, GPMU_SPE_SOURCE, 0x8);
	ok(gpmu_spe_tier(&record, NEOVERSE_V2).kind == GPMU_SPE_TIER_L2, "spe: an atomic load has the tier of a load");
}

static void no_access(void)
{
	struct gpmu_spe_memory memory = { 0 };
	struct gpmu_spe_record records[] = {
		record_of(GPMU_SPE_OTHER, 0x08), record_of(GPMU_SPE_BRANCH, 1), record_of(GPMU_SPE_RESERVED, 1), { 0 },
	};
	bool is_right = true;

	for (size_t i = 0; i < LENGTH(records); i++)
		is_right = is_right && gpmu_spe_tier(&records[i], NEOVERSE_V2).kind == GPMU_SPE_TIER_NONE &&
			   gpmu_spe_home(&records[i], &memory, 0).kind == GPMU_SPE_HOME_NONE;
	ok(is_right, "spe: a record that is neither a load nor a store has no tier and no home");
}

static int add(struct gpmu_spe_memory *memory, uint64_t begin, uint64_t end, int node, enum gpmu_spe_memory_kind kind)
{
	const struct gpmu_spe_range range = { begin, end, node, kind };

	return gpmu_spe_memory_add(memory, &range);
}

/* A Grace Hopper of two sockets: nodes 0 and 1 have CPUs, 2 is a GPU's memory */
static void make_memory(struct gpmu_spe_memory *memory)
{
	*memory = (struct gpmu_spe_memory){ 0 };
	add(memory, 0x200000000000, 0x200000000000 + 96 * GIB, 2, GPMU_SPE_MEMORY_GPU);
	add(memory, 2 * GIB, 4 * GIB, 0, GPMU_SPE_MEMORY_CPU);
	add(memory, 0x100000000000, 0x100000000000 + GIB, 1, GPMU_SPE_MEMORY_CPU);
	add(memory, 4 * GIB, 258 * GIB, 0, GPMU_SPE_MEMORY_CPU);
}

static void homes(void)
{
	static const struct {
		uint64_t address;
		int node;	/* of the CPU */
		enum gpmu_spe_home_kind kind;
		int home;
		const char *name;
	} cases[] = {
		{ 2 * GIB, 0, GPMU_SPE_HOME_LOCAL, 0, "local CPU memory" },
		{ 258 * GIB - 1, 0, GPMU_SPE_HOME_LOCAL, 0, "local CPU memory" },
		{ 4 * GIB, 1, GPMU_SPE_HOME_OTHER, 0, "other CPU memory" },
		{ 0x100000000040, 0, GPMU_SPE_HOME_OTHER, 1, "other CPU memory" },
		{ 0x100000000040, 1, GPMU_SPE_HOME_LOCAL, 1, "local CPU memory" },
		{ 0x100000000040, -1, GPMU_SPE_HOME_CPU, 1, "CPU memory" },
		{ 0x200000000000, 0, GPMU_SPE_HOME_GPU, 2, "GPU memory" },
		{ 0x200000000000, -1, GPMU_SPE_HOME_GPU, 2, "GPU memory" },
		{ 0x300000000000, 0, GPMU_SPE_HOME_BARE, 3, "memory without CPUs" },
		{ 0, 0, GPMU_SPE_HOME_OUTSIDE, -1, "no node" },
		{ 258 * GIB, 0, GPMU_SPE_HOME_OUTSIDE, -1, "no node" },
		{ 0xffffffffffffff, 0, GPMU_SPE_HOME_OUTSIDE, -1, "no node" },
	};
	struct gpmu_spe_record record = record_of(GPMU_SPE_MEMORY, 0);
	struct gpmu_spe_memory memory;
	struct gpmu_spe_home home;

	make_memory(&memory);
	/* Another machine has memory without CPUs that is not a GPU's. */
	add(&memory, 0x300000000000, 0x300000000000 + GIB, 3, GPMU_SPE_MEMORY_BARE);
	set(&record, GPMU_SPE_SOURCE, 0xd);
	home = gpmu_spe_home(&record, &memory, 0);
	ok(home.kind == GPMU_SPE_HOME_ABSENT && home.node == -1 && !strcmp(home.name, "not recorded"),
	   "spe: a load without a physical address has no home, whatever its data source");
	for (size_t i = 0; i < LENGTH(cases); i++) {
		/* NS, NSE and a tag are no part of the address */
		set(&record, GPMU_SPE_PA, cases[i].address | 0xd9ull << 56);
		home = gpmu_spe_home(&record, &memory, cases[i].node);
		ok(home.kind == cases[i].kind && home.node == cases[i].home && !strcmp(home.name, cases[i].name),
		   "spe: physical address 0x%" PRIx64 " is %s of a CPU of node %d", cases[i].address, cases[i].name,
		   cases[i].node);
	}
	record = record_of(GPMU_SPE_MEMORY, 1);
	set(&record, GPMU_SPE_PA, 0x200000000000);
	ok(gpmu_spe_home(&record, &memory, 0).kind == GPMU_SPE_HOME_GPU &&
	   gpmu_spe_tier(&record, NEOVERSE_V2).kind == GPMU_SPE_TIER_STORE_UNKNOWN,
	   "spe: the home of a store does not depend on its tier");
	gpmu_spe_memory_release(&memory);
	home = gpmu_spe_home(&record, &memory, 0);
	ok(home.kind == GPMU_SPE_HOME_UNKNOWN && !strcmp(home.name, "not known"),
	   "spe: without memory ranges of nodes the home of a physical address is not known");
}

static void ranges(void)
{
	struct gpmu_spe_memory memory;

	make_memory(&memory);
	is_u64(memory.count, 3, "spe: adjacent ranges of a node are joined");
	ok(add(&memory, 1 * GIB, 2 * GIB + 1, 0, GPMU_SPE_MEMORY_CPU) == -EINVAL &&
	   add(&memory, 257 * GIB, 259 * GIB, 0, GPMU_SPE_MEMORY_CPU) == -EINVAL &&
	   add(&memory, 0, 1ull << 60, 3, GPMU_SPE_MEMORY_CPU) == -EINVAL &&
	   add(&memory, 3 * GIB, 4 * GIB, 0, GPMU_SPE_MEMORY_CPU) == -EINVAL && memory.count == 3,
	   "spe: a range that overlaps another is refused");
	ok(add(&memory, GIB, GIB, 0, GPMU_SPE_MEMORY_CPU) == -EINVAL && add(&memory, 2, 1, 0, GPMU_SPE_MEMORY_CPU) == -EINVAL,
	   "spe: an empty range is refused");
	ok(!add(&memory, 260 * GIB, 261 * GIB, 0, GPMU_SPE_MEMORY_CPU) && memory.count == 4 &&
	   !add(&memory, 258 * GIB, 260 * GIB, 0, GPMU_SPE_MEMORY_CPU) && memory.count == 3 &&
	   memory.ranges[0].end == 261 * GIB, "spe: a range between two of its node joins them");
	ok(!add(&memory, 261 * GIB, 262 * GIB, 5, GPMU_SPE_MEMORY_CPU) && memory.count == 4 &&
	   memory.ranges[1].node == 5, "spe: adjacent ranges of two nodes stay apart");
	ok(!add(&memory, 262 * GIB, 263 * GIB, 5, GPMU_SPE_MEMORY_GPU) && memory.count == 5,
	   "spe: adjacent ranges of CPU and GPU memory stay apart");
	gpmu_spe_memory_release(&memory);
}

int main(void)
{
	loads();
	stores();
	no_access();
	homes();
	ranges();
	return done_testing();
}
