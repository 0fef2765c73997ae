// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf's generic event names. */
#include <string.h>

#include "base/array.h"
#include "event/event_build.h"

/* The upper half of config selects one of several core PMUs (Linux 5.13). */
#define TYPE_SHIFT	32

#define HARDWARE(text, event)	{ .name = text, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##event }
#define SOFTWARE(text, event)	{ .name = text, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event }
#define CACHE(text, cache, operation, result)						\
	{ .name = text, .type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache |	\
	  PERF_COUNT_HW_CACHE_OP_##operation << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16 }

/* The names that "perf list" shows, then further names that perf accepts */
static const struct generic {
	const char *name;
	uint32_t type;
	uint64_t config;
} generics[] = {
	HARDWARE("cycles", CPU_CYCLES),
	HARDWARE("cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", INSTRUCTIONS),
	HARDWARE("cache-references", CACHE_REFERENCES),
	HARDWARE("cache-misses", CACHE_MISSES),
	HARDWARE("branches", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", BRANCH_MISSES),
	HARDWARE("bus-cycles", BUS_CYCLES),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("ref-cycles", REF_CPU_CYCLES),
	SOFTWARE("cpu-clock", CPU_CLOCK),
	SOFTWARE("task-clock", TASK_CLOCK),
	SOFTWARE("page-faults", PAGE_FAULTS),
	SOFTWARE("faults", PAGE_FAULTS),
	SOFTWARE("context-switches", CONTEXT_SWITCHES),
	SOFTWARE("cs", CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS),
	SOFTWARE("migrations", CPU_MIGRATIONS),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", EMULATION_FAULTS),
	SOFTWARE("dummy", DUMMY),
	SOFTWARE("bpf-output", BPF_OUTPUT),
	SOFTWARE("cgroup-switches", CGROUP_SWITCHES),
	CACHE("L1-dcache-loads", L1D, READ, ACCESS),
	CACHE("L1-dcache-load-misses", L1D, READ, MISS),
	CACHE("L1-dcache-stores", L1D, WRITE, ACCESS),
	CACHE("L1-dcache-store-misses", L1D, WRITE, MISS),
	CACHE("L1-dcache-prefetches", L1D, PREFETCH, ACCESS),
	CACHE("L1-dcache-prefetch-misses", L1D, PREFETCH, MISS),
	CACHE("L1-icache-loads", L1I, READ, ACCESS),
	CACHE("L1-icache-load-misses", L1I, READ, MISS),
	CACHE("L1-icache-prefetches", L1I, PREFETCH, ACCESS),
	CACHE("L1-icache-prefetch-misses", L1I, PREFETCH, MISS),
	CACHE("LLC-loads", LL, READ, ACCESS),
	CACHE("LLC-load-misses", LL, READ, MISS),
	CACHE("LLC-stores", LL, WRITE, ACCESS),
	CACHE("LLC-store-misses", LL, WRITE, MISS),
	CACHE("LLC-prefetches", LL, PREFETCH, ACCESS),
	CACHE("LLC-prefetch-misses", LL, PREFETCH, MISS),
	CACHE("dTLB-loads", DTLB, READ, ACCESS),
	CACHE("dTLB-load-misses", DTLB, READ, MISS),
	CACHE("dTLB-stores", DTLB, WRITE, ACCESS),
	CACHE("dTLB-store-misses", DTLB, WRITE, MISS),
	CACHE("dTLB-prefetches", DTLB, PREFETCH, ACCESS),
	CACHE("dTLB-prefetch-misses", DTLB, PREFETCH, MISS),
	CACHE("iTLB-loads", ITLB, READ, ACCESS),
	CACHE("iTLB-load-misses", ITLB, READ, MISS),
	CACHE("branch-loads", BPU, READ, ACCESS),
	CACHE("branch-load-misses", BPU, READ, MISS),
	CACHE("node-loads", NODE, READ, ACCESS),
	CACHE("node-load-misses", NODE, READ, MISS),
	CACHE("node-stores", NODE, WRITE, ACCESS),
	CACHE("node-store-misses", NODE, WRITE, MISS),
	CACHE("node-prefetches", NODE, PREFETCH, ACCESS),
	CACHE("node-prefetch-misses", NODE, PREFETCH, MISS),
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
