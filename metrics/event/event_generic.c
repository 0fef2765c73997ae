// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf's generic event names. */
#include <string.h>

#include "base/array.h"
#include "event/event_build.h"

/* The upper half of config selects one of several core PMUs (Linux 5.13). */
#define TYPE_SHIFT	32

#define CACHE(cache, operation, result)						\
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache |			\
	PERF_COUNT_HW_CACHE_OP_##operation << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* The names that "perf list" shows, then further names that perf accepts */
static const struct generic {
	const char *name;
	uint32_t type;
	uint64_t config;
} generics[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
	{ "L1-dcache-loads", CACHE(L1D, READ, ACCESS) },
	{ "L1-dcache-load-misses", CACHE(L1D, READ, MISS) },
	{ "L1-dcache-stores", CACHE(L1D, WRITE, ACCESS) },
	{ "L1-dcache-store-misses", CACHE(L1D, WRITE, MISS) },
	{ "L1-dcache-prefetches", CACHE(L1D, PREFETCH, ACCESS) },
	{ "L1-dcache-prefetch-misses", CACHE(L1D, PREFETCH, MISS) },
	{ "L1-icache-loads", CACHE(L1I, READ, ACCESS) },
	{ "L1-icache-load-misses", CACHE(L1I, READ, MISS) },
	{ "L1-icache-prefetches", CACHE(L1I, PREFETCH, ACCESS) },
	{ "L1-icache-prefetch-misses", CACHE(L1I, PREFETCH, MISS) },
	{ "LLC-loads", CACHE(LL, READ, ACCESS) },
	{ "LLC-load-misses", CACHE(LL, READ, MISS) },
	{ "LLC-stores", CACHE(LL, WRITE, ACCESS) },
	{ "LLC-store-misses", CACHE(LL, WRITE, MISS) },
	{ "LLC-prefetches", CACHE(LL, PREFETCH, ACCESS) },
	{ "LLC-prefetch-misses", CACHE(LL, PREFETCH, MISS) },
	{ "dTLB-loads", CACHE(DTLB, READ, ACCESS) },
	{ "dTLB-load-misses", CACHE(DTLB, READ, MISS) },
	{ "dTLB-stores", CACHE(DTLB, WRITE, ACCESS) },
	{ "dTLB-store-misses", CACHE(DTLB, WRITE, MISS) },
	{ "dTLB-prefetches", CACHE(DTLB, PREFETCH, ACCESS) },
	{ "dTLB-prefetch-misses", CACHE(DTLB, PREFETCH, MISS) },
	{ "iTLB-loads", CACHE(ITLB, READ, ACCESS) },
	{ "iTLB-load-misses", CACHE(ITLB, READ, MISS) },
	{ "branch-loads", CACHE(BPU, READ, ACCESS) },
	{ "branch-load-misses", CACHE(BPU, READ, MISS) },
	{ "node-loads", CACHE(NODE, READ, ACCESS) },
	{ "node-load-misses", CACHE(NODE, READ, MISS) },
	{ "node-stores", CACHE(NODE, WRITE, ACCESS) },
	{ "node-store-misses", CACHE(NODE, WRITE, MISS) },
	{ "node-prefetches", CACHE(NODE, PREFETCH, ACCESS) },
	{ "node-prefetch-misses", CACHE(NODE, PREFETCH, MISS) },
};

/*
 * A part of CACHE-OPERATION-RESULT, "l1d-read-miss". perf accepts these spellings besides the
 * names above.
 */
struct word {
	const char *name;
	unsigned int number;
};

static const struct word caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D }, { "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I }, { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL }, { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB }, { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB }, { "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB }, { "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branches", PERF_COUNT_HW_CACHE_BPU }, { "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU }, { "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU }, { "node", PERF_COUNT_HW_CACHE_NODE }, { NULL, 0 },
};

static const struct word operations[] = {
	{ "load", PERF_COUNT_HW_CACHE_OP_READ }, { "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ }, { "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE }, { "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH }, { NULL, 0 },
};

static const struct word results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS }, { NULL, 0 },
};

/* Bit masks of the operations of each cache; an instruction cache has no writes, for example. */
#define READ	 (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE	 (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

static const unsigned int has_operations[] = {
	[PERF_COUNT_HW_CACHE_L1D] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_L1I] = READ | PREFETCH,
	[PERF_COUNT_HW_CACHE_LL] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_DTLB] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_ITLB] = READ,
	[PERF_COUNT_HW_CACHE_BPU] = READ,
	[PERF_COUNT_HW_CACHE_NODE] = READ | WRITE | PREFETCH,
};

/* Finds the word at the beginning of *@name, and moves *@name past it and its "-". */
static const struct word *take_word(const char **name, const struct word *words)
{
	size_t length;

	for (; words->name; words++) {
		length = strlen(words->name);
		if (strncasecmp(*name, words->name, length))
			continue;
		if ((*name)[length] && (*name)[length] != '-')
			continue;
		*name += length + ((*name)[length] == '-');
		return words;
	}
	return NULL;
}

/*
 * The operation defaults to READ, the result to ACCESS; the result may come first,
 * "LLC-misses-load".
 */
static bool find_cache(const char *name, uint64_t *config)
{
	const struct word *cache = take_word(&name, caches), *operation, *result;
	unsigned int op;

	if (!cache)
		return false;
	operation = take_word(&name, operations);
	result = take_word(&name, results);
	if (result && !operation)
		operation = take_word(&name, operations);
	if (*name || name[-1] == '-')
		return false;
	op = operation ? operation->number : PERF_COUNT_HW_CACHE_OP_READ;
	if (!(has_operations[cache->number] & 1 << op))
		return false;
	*config = cache->number | op << 8 |
		  (result ? result->number : PERF_COUNT_HW_CACHE_RESULT_ACCESS) << 16;
	return true;
}

bool event_find_generic(const char *name, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++) {
		if (!strcmp(generics[i].name, name)) {
			*type = generics[i].type;
			*config = generics[i].config;
			return true;
		}
	}
	*type = PERF_TYPE_HW_CACHE;
	return find_cache(name, config);
}

const char *event_generic_name(size_t index)
{
	return index < ARRAY_SIZE(generics) ? generics[index].name : NULL;
}

const char *event_generic_of(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		if (generics[i].type == type && generics[i].config == config)
			return generics[i].name;
	return NULL;
}

uint64_t event_generic_config(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			      uint64_t config)
{
	if (event_count_cores(builder->machine) < 2)
		return config;
	return config | (uint64_t)gpmu_pmu_type(pmu) << TYPE_SHIFT;
}
