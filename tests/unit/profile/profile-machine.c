// SPDX-License-Identifier: LGPL-2.1-or-later
/* The memory of a recorded machine, by node, and its CPUs with SPE */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/perfdata-test.h"
#include "profile/profile_machine.h"

#define BLOCK	(128ULL << 20)

static struct profile_machine read_machine(struct gpmu_perfdata_memory *memory, size_t count)
{
	struct gpmu_perfdata_node node = { .cpus = (char *)"0-3" };
	const struct gpmu_perfdata_info info = {
		.block_bytes = BLOCK, .memory = memory, .memory_count = count, .nodes = &node, .node_count = 1,
	};
	struct profile_machine machine = { 0 };

	if (profile_machine_read(&machine, &info)) {
		printf("Bail out! out of memory\n");
		exit(1);
	}
	return machine;
}

static bool is_range(const struct gpmu_spe_range *range, uint64_t first, uint64_t end, int node)
{
	return range->begin == first * BLOCK && range->end == end * BLOCK && range->node == node;
}

static void test_ranges(void)
{
	uint64_t words[] = { 0xf0, 0x10f, 0x20 };
	struct gpmu_perfdata_memory memory[] = { { 1, 64, &words[0] }, { 0, 64, &words[1] }, { 2, 64, &words[2] } };
	struct profile_machine machine = read_machine(memory, 3);

	ok(machine.memory.count == 3 && is_range(&machine.memory.ranges[0], 0, 4, 0) &&
	   is_range(&machine.memory.ranges[1], 4, 8, 1) && is_range(&machine.memory.ranges[2], 8, 9, 0),
	   "profile: the ranges of memory of all nodes are in the order of addresses, without one that overlaps another");
	profile_machine_release(&machine);
}

/* Each second block is of the other node. */
static void test_many(void)
{
	enum { WORDS = 1 << 14 };
	static uint64_t words[2][WORDS];
	struct gpmu_perfdata_memory memory[] = { { 0, WORDS * 64, words[0] }, { 1, WORDS * 64, words[1] } };
	struct profile_machine machine;
	size_t wrong = 0;

	memset(words[0], 0xaa, sizeof(words[0]));
	memset(words[1], 0x55, sizeof(words[1]));
	alarm(60);
	machine = read_machine(memory, 2);
	alarm(0);
	is_u64(machine.memory.count, WORDS * 64, "profile: a million ranges of memory are read within a minute");
	for (size_t i = 0; i < machine.memory.count; i++)
		wrong += !is_range(&machine.memory.ranges[i], i, i + 1, !(i % 2));
	is_u64(wrong, 0, "profile: each of a million ranges of memory has its node");
	profile_machine_release(&machine);
}

static void test_no_homes(void)
{
	struct gpmu_perfdata_node node = { .cpus = (char *)"0-3" };
	uint64_t word = 1;
	struct gpmu_perfdata_memory memory = { 0, 64, &word };
	const struct {
		struct gpmu_perfdata_info info;
		const char *why, *what;
	} cases[] = {
		{ { .nodes = &node, .node_count = 1, .memory = &memory, .memory_count = 1, .block_bytes = BLOCK }, "",
		  "nodes and memory blocks" },
		{ { .memory = &memory, .memory_count = 1, .block_bytes = BLOCK }, "no list of NUMA nodes could be read from the recording",
		  "memory blocks but no nodes" },
		{ { .nodes = &node, .node_count = 1 }, "no list of the nodes' memory blocks could be read from the recording",
		  "nodes but no memory blocks" },
		{ { .nodes = &node, .node_count = 1, .memory_version = 7 }, "version 7 of MEM_TOPOLOGY is not known",
		  "memory blocks of an unknown version" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile_machine machine = { 0 };

		ok(!profile_machine_read(&machine, &cases[i].info) && !strcmp(machine.no_homes, cases[i].why) &&
		   machine.memory.count == !*cases[i].why, "profile: with %s, the reason why homes are not known is \"%s\"",
		   cases[i].what, cases[i].why);
		profile_machine_release(&machine);
	}
}

#define MAGIC	0x1010101010101010

/* Version, numbers of the head, PMU, CPUs; of each CPU a magic number, its number, number of parameters, MIDR and others */
static const uint64_t spe_info[] = { 2, 4, 9, 2, MAGIC, 0, 3, 0x410fd4f0, 9, 1024, MAGIC, 1, 1, 0x413fd0c1 };

/* Takes these numbers, of which one is replaced. Returns the error at the end of the recording; "": none. */
static const char *take_spe(struct profile_machine *machine, size_t index, uint64_t number)
{
	static struct made file, records;
	static struct gpmu_error error = { .size = sizeof(error) };
	uint64_t priv[sizeof(spe_info) / sizeof(spe_info[0])];
	const struct gpmu_perfdata_record *record, info = {
		.offset = 300, .auxtrace_info = { .type = GPMU_PERFDATA_ARM_SPE, .priv = priv, .count = sizeof(priv) / sizeof(priv[0]) },
	};
	struct gpmu_perfdata *perfdata;

	memcpy(priv, spe_info, sizeof(priv));
	priv[index] = number;
	records.length = 0;
	put_comm(&records, "app", 7, 100, 1);
	perfdata = open_records(&file, &records, &error);
	*machine = (struct profile_machine){ 0 };
	*error.text = '\0';
	if (!perfdata || profile_machine_add_spe(machine, perfdata, &info))
		return "no recording";
	while (gpmu_perfdata_next(perfdata, &record, &error) == 1)
		;
	gpmu_perfdata_free(perfdata);
	return error.text;
}

static void test_spe(void)
{
	static const struct {
		size_t index;
		uint64_t number;
		const char *what;
	} damages[] = {
		{ 1, 15, "a header that is longer than the record" }, { 1, 3, "a header that is too short" },
		{ 10, MAGIC + 1, "a wrong magic number of a CPU" }, { 12, 2, "more parameters of a CPU than the record has" },
		{ 12, 1000000, "a million parameters of a CPU" }, { 3, 3, "more CPUs than the record has" },
	};
	struct profile_machine machine;

	is_str(take_spe(&machine, 0, 2), "", "profile: a well-formed AUXTRACE_INFO of SPE is no damage");
	ok(machine.spe == 9 && !machine.unknown_version, "profile: AUXTRACE_INFO has the type of SPE's PMU");
	ok(profile_machine_midr(&machine, 0) == 0x410fd4f0 && profile_machine_midr(&machine, 1) == 0x413fd0c1 &&
	   profile_machine_midr(&machine, 2) == 0x410fd4f0,
	   "profile: each CPU of AUXTRACE_INFO has its MIDR after any number of parameters, and another CPU has the first MIDR");
	profile_machine_release(&machine);
	is_str(take_spe(&machine, 0, 99), "", "profile: an unknown version of AUXTRACE_INFO is no damage");
	ok(machine.unknown_version == 99 && profile_machine_midr(&machine, 1) == 0x413fd0c1,
	   "profile: an unknown version of AUXTRACE_INFO is reported, and read as version 2");
	profile_machine_release(&machine);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		const char *error = take_spe(&machine, damages[i].index, damages[i].number);

		ok(strstr(error, ":300: expected AUXTRACE_INFO of SPE with ") && machine.spe == 9,
		   "profile: %s in AUXTRACE_INFO is damage, and the type of the PMU is known", damages[i].what);
		profile_machine_release(&machine);
	}
}

int main(void)
{
	test_spe();
	test_ranges();
	test_no_homes();
	test_many();
	return done_testing();
}
