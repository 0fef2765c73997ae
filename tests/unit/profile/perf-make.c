// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf-make FILE RECORDS [OPTION...]: makes a recording of perf with Arm SPE, and prints what it contains, by
 * function, object, thread, tier, home and data, as CSV: samples, mean and highest latency, keys.
 *
 * CPUs 0 and 1 are of node 0, 2 and 3 of node 1; node 2 has no CPUs. The records of CPU 3 have no context packet, so
 * that its switches identify the thread. Half-way the last process, 201 or "PID", calls exec(). "no-pa": without physical
 * addresses; "first": the first version of AUXTRACE_INFO; "clock": recorded with -k; "damage": the hundredth record begins
 * with a byte that no packet has, and is not printed; "pipe": as of perf record -o -; "wide": many addresses, for measuring,
 * of which nothing is printed; "no-build-id": without this program's build id; "filters": of a pipe, with all filters;
 * "numa", "c2c": the loads of the examples of gpmu-spe(7), of which nothing is printed. "arch=NAME", "cpuid=TEXT"
 * and "cpudesc=TEXT" replace the machine's architecture, CPU and its name; a MIDR is the TEXT 0xHEX.
 * "cut=N": only four bytes of feature N; "empty=N": no content of feature N; "head=N": version N in the header of AUXTRACE_INFO;
 * "shift=N": shift N in TIME_CONV.
 */
#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>

#include "base/strings.h"
#include "perfdata/perfdata-test.h"
#include "spe/spe-test.h"

#define CPUS		4
#define PMU		9
#define SPE_ID		1
#define PART		1000		/* records of an AUX buffer's part */
#define CODE		0x400000000000
#define BLOCK		(128ULL << 20)
#define NODES		3
#define START		5000000		/* ns, of the first record */
#define ENTRY		(MADE_ATTR + 16)
#define BUILD_ID	20		/* bytes of a build id */
#define MISC_BUILD_ID	(1U << 14)	/* of MMAP2: a build id replaces the device and inode */

/* Functions that records are in; their own addresses in this program's file are recorded. */
__attribute__((noinline)) int made_alpha(int a)
{
	return a * 3 + 1;
}

__attribute__((noinline)) int made_beta(int a)
{
	return a * 7 + 2;
}

static int (*const functions[])(int a) = { made_alpha, made_beta };

/* Functions of the examples */
__attribute__((noinline)) int sweep(int a)
{
	return a * 5 + 3;
}

__attribute__((noinline)) int gather(int a)
{
	return a * 9 + 4;
}

/* Loads of an example: each has a share of the records. */
struct story {
	const char *name;
	unsigned int weight;
	int (*function)(int a);
	size_t thread;
	unsigned int cpu, source, node, data_index;	/* of data[] */
	unsigned int min, range;		/* latency in cycles */
};

static const struct story stories[] = {
	/* The first thread has initialised the array, so that all of it is in memory of node 0. */
	{ "numa", 30, sweep, 0, 0, 0x0, 0, 0, 6, 10 },
	{ "numa", 10, sweep, 0, 0, 0xb, 0, 0, 90, 80 },
	{ "numa", 10, sweep, 0, 0, 0xe, 0, 0, 300, 200 },
	{ "numa", 30, sweep, 1, 2, 0x0, 0, 0, 6, 10 },
	{ "numa", 20, sweep, 1, 2, 0xd, 0, 0, 700, 600 },
	/* A table that the GPU has allocated, and an array of indices */
	{ "c2c", 45, gather, 0, 0, 0x0, 0, 0, 6, 10 },
	{ "c2c", 10, gather, 0, 0, 0xe, 0, 0, 300, 200 },
	{ "c2c", 25, gather, 0, 0, 0xd, 2, 1, 900, 700 },
	{ "c2c", 20, sweep, 0, 0, 0x0, 0, 0, 6, 10 },
};

static struct {
	uint32_t pid, tid;
	const char *early, *late;	/* names before and after the half */
} threads[] = {
	{ 101, 101, "main", "main" }, { 101, 102, "worker", "worker" }, { 201, 201, "old", "new" },
};

#define CHANGED	2		/* the thread that calls exec() */

static const struct {
	unsigned int number;
	const char *name;
} tiers[] = {
	{ 0x0, "L1D (0x0)" }, { 0x8, "L2 (0x8)" }, { 0xb, "system cache (0xb)" }, { 0xd, "remote (0xd)" },
	{ 0xe, "DRAM (0xe)" }, { 0x5, "unknown (0x5)" },
};

/* Events packets of stores */
static const struct {
	unsigned int events;
	const char *name;
} bounds[] = {
	{ 1 << 2, "store: L1D" }, { 1 << 2 | 1 << 3, "store: beyond L1D" }, { 1 << 9 | 1 << 8, "store: beyond LLC" },
	{ 0, "store: not recorded" },
};

static const struct {
	uint64_t address;
	const char *name;
} data[] = {
	{ 0x500000000000, "[heap]" }, { 0x510000000000, "data.bin" }, { 0x7ff000000000, "[stack]" },
	{ 0x530000000000, "[no map recorded]" }, { 0xffff800012340000, "[kernel]" },
};

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

/* Physical blocks of a node, 2 to 5 for node 0, 6 to 9 for node 1, 10 to 13 for node 2; others of none */
static uint64_t physical(unsigned int node)
{
	return (2 + 4 * node + spe_below(4)) * BLOCK + spe_below(1 << 20) * 64ULL;
}

/* Known facts about the samples with equal keys */
struct truth {
	char keys[192];
	uint64_t samples, latency, max;
};

static struct truth truths[65536];
static struct strings keys;
static struct made head, info, part;
static struct stream stream;
static uint64_t offsets[CPUS], base, total;
static unsigned long cut, empty, head_version = 2, shift = 10;
static int has_pa = 1, has_clock, has_damage, has_filters, is_pipe, is_wide, no_build_id, version = 2;
static const char *story, *hostname = "grace", *release = "6.12.1", *arch = "aarch64", *cpuid = "0x00000000410fd4f0", *cpudesc = "";
static const uint8_t *build_id;	/* of this program; NULL: not recorded */
static FILE *file;

static int is_neoverse_v2(void)
{
	return strtoull(cpuid, NULL, 16) == 0x410fd4f0;
}

static void count(const char *text, uint64_t latency)
{
	uint32_t number;
	struct truth *truth;

	if (strings_number(&keys, text, &number) || number >= LENGTH(truths))
		abort();
	truth = &truths[number];
	snprintf(truth->keys, sizeof(truth->keys), "%s", text);
	truth->samples++;
	truth->latency += latency;
	if (latency > truth->max)
		truth->max = latency;
}

/* Offset in this program's file of one of its addresses, and the file's build id */
static int find_base(struct dl_phdr_info *found, size_t size, void *user)
{
	static const uint8_t note[] = { 4, 0, 0, 0, BUILD_ID, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	const uint8_t *match;

	(void)size;
	(void)user;
	for (size_t i = 0; i < found->dlpi_phnum; i++) {
		const ElfW(Phdr) *program = &found->dlpi_phdr[i];
		uint64_t begin = found->dlpi_addr + program->p_vaddr;

		if (program->p_type == PT_LOAD && program->p_flags & PF_X && (uintptr_t)made_alpha >= begin &&
		    (uintptr_t)made_alpha < begin + program->p_memsz)
			base = begin - program->p_offset;
		match = program->p_type == PT_NOTE ?
				memmem((const void *)(uintptr_t)begin, program->p_memsz, note, sizeof(note)) :
				NULL;
		if (match)
			build_id = match + sizeof(note);
	}
	return 1;		/* only the first, which is the program */
}

/* Trailer of TID, TIME, CPU and IDENTIFIER */
static void put_trailer(struct made *made, uint32_t pid, uint32_t tid, uint64_t time, uint32_t cpu)
{
	put32(made, pid);
	put32(made, tid);
	put64(made, time);
	put32(made, cpu);
	put32(made, 0);
	put64(made, SPE_ID);
}

static void put_map(struct made *made, uint32_t pid, uint64_t address, uint64_t size, const char *name, uint64_t time)
{
	const uint8_t none[BUILD_ID] = { 0 }, *id = address == CODE && *name == '/' ? build_id : NULL;

	begin(made, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | (id ? MISC_BUILD_ID : 0));
	put32(made, pid);
	put32(made, pid);
	put64(made, address);
	put64(made, size);
	put64(made, 0);
	put32(made, id ? BUILD_ID : 0);
	put(made, id ? id : none, BUILD_ID);
	put64(made, 0);
	put_text(made, name);
	put_trailer(made, pid, pid, time, 0);
	end(made);
}

static void put_name(struct made *made, uint32_t pid, uint32_t tid, const char *name, uint16_t misc, uint64_t time)
{
	begin(made, PERF_RECORD_COMM, misc);
	put32(made, pid);
	put32(made, tid);
	put_text(made, name);
	put_trailer(made, pid, tid, time, 0);
	end(made);
}

static void put_maps(struct made *made, uint32_t pid, const char *program, uint64_t time)
{
	put_map(made, pid, CODE, 1 << 30, program, time);
	for (size_t i = 0; i < 3; i++)
		put_map(made, pid, data[i].address, 1 << 30, i == 1 ? "/mnt/data.bin" : data[i].name, time);
}

static uint64_t middle_time(void)
{
	return START + total / 2 * 2;
}

static void put_info(struct made *made)
{
	begin(made, GPMU_PERFDATA_AUXTRACE_INFO, 0);
	put32(made, GPMU_PERFDATA_ARM_SPE);
	put32(made, 0);
	put64(made, version == 1 ? PMU : head_version);
	put64(made, version == 1 ? 0 : 4);
	if (version == 2) {
		put64(made, PMU);
		put64(made, CPUS);
	}
	for (uint64_t cpu = 0; cpu < CPUS && version == 2; cpu++) {
		const uint64_t numbers[] = { 0x1010101010101010, cpu, 4, strtoull(cpuid, NULL, 16), PMU, 1024, 0 };

		put(made, numbers, sizeof(numbers));
	}
	end(made);
}

static void put_head(struct made *made)
{
	char program[4096] = "";

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		abort();
	begin(made, GPMU_PERFDATA_TIME_CONV, 0);
	put64(made, shift);		/* 2 ns per tick, from START on */
	put64(made, 2048);
	put64(made, START);
	put64(made, 0);
	put64(made, ~0ULL);
	put64(made, 0x101);
	end(made);
	put_info(made);
	put_name(made, 101, 101, "main", 0, 0);
	put_name(made, 101, 102, "worker", 0, 0);
	put_name(made, threads[CHANGED].pid, threads[CHANGED].tid, "old", 0, 0);
	put_maps(made, 101, program, 0);
	put_map(made, threads[CHANGED].pid, CODE, 1 << 30, "[heap]", 0);
	put_name(made, threads[CHANGED].pid, threads[CHANGED].tid, "new", 1 << 13, middle_time());
	put_maps(made, threads[CHANGED].pid, program, middle_time());
}

static void put_switch(struct made *made, size_t thread, uint64_t time)
{
	begin(made, PERF_RECORD_SWITCH_CPU_WIDE, 0);
	put32(made, 0);
	put32(made, 0);
	put_trailer(made, threads[thread].pid, threads[thread].tid, time, 3);
	end(made);
}

/* --- records */

static const char *home_of(unsigned int cpu, unsigned int node)
{
	static const char *const local[] = { "local CPU memory (node 0)", "local CPU memory (node 1)" };
	static const char *const other[] = { "other CPU memory (node 0)", "other CPU memory (node 1)" };

	if (!has_pa)
		return "not recorded";
	if (node == 2)
		return is_neoverse_v2() ? "GPU memory (node 2)" : "memory without CPUs (node 2)";
	return node > 2 ? "no node" : node == cpu / 2 ? local[node] : other[node];
}

static void tier_of(char *text, size_t size, unsigned int tier)
{
	if (is_neoverse_v2())
		snprintf(text, size, "%s", tiers[tier].name);
	else
		snprintf(text, size, "not known for this CPU (0x%x)", tiers[tier].number);
}

static void add_memory(struct gpmu_spe_record *record, unsigned int cpu, int is_late, size_t thread, char *text,
		       size_t size)
{
	unsigned int index = spe_below(LENGTH(data)), node = spe_below(NODES + 1), tier = spe_below(LENGTH(tiers));
	unsigned int bound = spe_below(LENGTH(bounds)), store = record->value[GPMU_SPE_OP] >> 8 & 1;
	int is_gone = thread == CHANGED && !is_late && index < 3;
	char name[64];

	record->fields |= 1u << GPMU_SPE_VA | (has_pa ? 1u << GPMU_SPE_PA : 0) | (store ? 0 : 1u << GPMU_SPE_SOURCE);
	record->value[GPMU_SPE_VA] = (data[index].address & ((1ULL << 56) - 1)) + spe_below(1 << 12) * 8;
	record->value[GPMU_SPE_PA] = physical(node) | 1ULL << 63;
	record->value[GPMU_SPE_SOURCE] = tiers[tier].number;
	record->value[GPMU_SPE_EVENTS] = store ? bounds[bound].events : 0x16;
	tier_of(name, sizeof(name), tier);
	snprintf(text, size, "%s,%s,%s", store ? bounds[bound].name : name, home_of(cpu, node),
		 is_gone ? "[no map recorded]" : data[index].name);
}

/* One of the story's loads of this CPU */
static void add_story(unsigned int cpu, uint64_t tick)
{
	unsigned int sum = 0, drawn;
	const struct story *load;

	for (size_t i = 0; i < LENGTH(stories); i++)
		sum += !strcmp(stories[i].name, story) && stories[i].cpu == cpu ? stories[i].weight : 0;
	if (!sum)
		return;
	drawn = (unsigned int)spe_below(sum);
	for (load = stories; strcmp(load->name, story) || load->cpu != cpu || drawn >= load->weight; load++)
		drawn -= !strcmp(load->name, story) && load->cpu == cpu ? load->weight : 0;
	put_slot(&stream, &(struct gpmu_spe_record){
		.fields = 1u << GPMU_SPE_PC | 1u << GPMU_SPE_OP | 1u << GPMU_SPE_EVENTS | 1u << GPMU_SPE_ISSUE |
			  1u << GPMU_SPE_TOTAL | 1u << GPMU_SPE_TIME | 1u << GPMU_SPE_CONTEXT_EL2 | 1u << GPMU_SPE_VA |
			  1u << GPMU_SPE_PA | 1u << GPMU_SPE_SOURCE,
		.value = {
			[GPMU_SPE_PC] = (CODE + ((uintptr_t)load->function - base)) | 1ULL << 63,
			[GPMU_SPE_TOTAL] = load->min + spe_below(load->range), [GPMU_SPE_ISSUE] = 5,
			[GPMU_SPE_OP] = GPMU_SPE_OP_VALUE(1, 0), [GPMU_SPE_EVENTS] = 0x16,
			[GPMU_SPE_CONTEXT_EL2] = threads[load->thread].tid, [GPMU_SPE_TIME] = tick,
			[GPMU_SPE_VA] = data[load->data_index].address + spe_below(1 << 12) * 8,
			[GPMU_SPE_PA] = physical(load->node) | 1ULL << 63, [GPMU_SPE_SOURCE] = load->source,
		},
	}, 0);
}

/* The record of a time, in ticks of 2 ns, and what it has to be reported as */
static void add_record(unsigned int cpu, uint64_t tick, size_t thread)
{
	int is_late = START + tick * 2 >= middle_time(), is_branch = !spe_below(4);
	size_t function = spe_below(LENGTH(functions));
	uint64_t address = CODE + ((uintptr_t)functions[function] - base);
	const uint64_t latency = 10 + spe_below(4000);
	struct gpmu_spe_record record = {
		.fields = 1u << GPMU_SPE_PC | 1u << GPMU_SPE_OP | 1u << GPMU_SPE_EVENTS | 1u << GPMU_SPE_ISSUE |
			  1u << GPMU_SPE_TOTAL | 1u << GPMU_SPE_TIME | (cpu != 3 ? 1u << GPMU_SPE_CONTEXT_EL2 : 0),
		.value = {
			[GPMU_SPE_PC] = address | 1ULL << 63, [GPMU_SPE_TOTAL] = latency, [GPMU_SPE_ISSUE] = 5,
			[GPMU_SPE_OP] = GPMU_SPE_OP_VALUE(is_branch ? 2 : 1, is_branch ? 1 : !spe_below(3)),
			[GPMU_SPE_CONTEXT_EL2] = threads[thread].tid, [GPMU_SPE_TIME] = tick,
		},
	};
	const char *name = function ? "made_beta,perf-make" : "made_alpha,perf-make";
	char memory[128] = ",,", text[192];

	if (is_branch) {
		record.fields |= 1u << GPMU_SPE_TARGET;
		record.value[GPMU_SPE_TARGET] = address | 1ULL << 63;
	} else {
		add_memory(&record, cpu, is_late, thread, memory, sizeof(memory));
	}
	if (thread == CHANGED && !is_late)
		name = "[unknown],[heap]";
	snprintf(text, sizeof(text), "%s,%s (%u),%s", name, is_late ? threads[thread].late : threads[thread].early,
		 threads[thread].tid, memory);
	if (is_wide) {
		record.value[GPMU_SPE_PC] = (CODE + spe_below(16384) * 4) | 1ULL << 63;
		record.value[GPMU_SPE_VA] += spe_below(1 << 20) * 64;
	}
	put_slot(&stream, &record, 0);
	if (is_wide)
		return;
	if (has_damage && tick == 99)
		stream.bytes[stream.length - 64] = 0xff;
	else
		count(text, latency);
}

/* A part of a CPU's buffer, with its AUX record and switches */
static void put_part(unsigned int cpu, uint64_t first, uint64_t n)
{
	size_t thread = 0;

	part.length = stream.length = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (cpu != 3 || !(i % 100))
			thread = spe_below(LENGTH(threads));
		if (cpu == 3 && !(i % 100))
			put_switch(&part, thread, START + (first + i) * 2);
		if (story)
			add_story(cpu, first + i);
		else
			add_record(cpu, first + i, thread);
	}
	begin(&part, PERF_RECORD_AUX, 0);
	put64(&part, offsets[cpu]);
	put64(&part, stream.length);
	put64(&part, story ? 0 : cpu == 1 ? 8 : cpu == 2 ? 1 : 0);	/* collision, truncated */
	put_trailer(&part, 0, 0, 0, cpu);
	end(&part);
	put_auxtrace(&part, stream.length, offsets[cpu], cpu);
	offsets[cpu] += stream.length;
	fwrite(part.data, 1, part.length, file);
	fwrite(stream.bytes, 1, stream.length, file);
}

/* --- file */

static void make_nodes(struct made *made)
{
	static const char *const cpus[NODES] = { "0-1", "2-3", "" };

	put32(made, NODES);
	for (uint32_t node = 0; node < NODES; node++) {
		put32(made, node);
		put64(made, 1 << 20);
		put64(made, 1 << 19);
		put_string(made, cpus[node]);
	}
}

static void make_memory(struct made *made)
{
	put64(made, 1);
	put64(made, BLOCK);
	put64(made, NODES);
	for (uint64_t node = 0; node < NODES; node++) {
		put64(made, node);
		put64(made, 14);
		put64(made, 14);
		put64(made, 0xfULL << (2 + 4 * node));
	}
}

static struct perf_event_attr spe_attr(void)
{
	return (struct perf_event_attr){
		.type = PMU, .size = MADE_ATTR, .config = 1 | (has_pa ? 2 : 0) | 1ULL << 33 | (story ? 0 : 1ULL << 34),
		.config2 = story ? 0 : 30,
		.sample_period = 65536, .sample_id_all = 1, .use_clockid = (unsigned int)has_clock & 1, .clockid = has_clock,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	};
}

static void make_caps(struct made *made)
{
	put32(made, 1);
	put32(made, 1);
	put_string(made, "arch_inst");
	put_string(made, has_filters ? "1" : "0");
	put_string(made, "arm_spe_0");
}

static void make_events(struct made *made)
{
	struct perf_event_attr attr = spe_attr();

	put32(made, 1);
	put32(made, MADE_ATTR);
	put(made, &attr, MADE_ATTR);
	put32(made, 1);
	put_string(made, story ? "arm_spe_0/pa_enable=1,load_filter=1/" : "arm_spe_0//");
	put64(made, SPE_ID);
}

static const struct {
	unsigned int bit;
	void (*make)(struct made *made);
	const char **text;
} features[] = {
	{ 3, NULL, &hostname }, { 4, NULL, &release }, { 6, NULL, &arch }, { 8, NULL, &cpudesc }, { 9, NULL, &cpuid },
	{ 12, make_events, NULL }, { 14, make_nodes, NULL }, { 22, make_memory, NULL }, { 31, make_caps, NULL },
};

/* The file's header and attr, where @size is that of the records */
static void write_head(uint64_t size)
{
	uint64_t words[13] = { 0, 104, ENTRY, 112, ENTRY, 112 + ENTRY, size };
	const uint64_t id = SPE_ID, ids[2] = { 104, 8 };
	struct perf_event_attr attr = spe_attr();

	memcpy(words, "PERFILE2", 8);
	for (size_t i = 0; i < LENGTH(features); i++)
		words[9] |= 1ULL << features[i].bit;
	if (fseek(file, 0, SEEK_SET))
		abort();
	fwrite(words, sizeof(words), 1, file);
	fwrite(&id, sizeof(id), 1, file);
	fwrite(&attr, MADE_ATTR, 1, file);
	fwrite(ids, sizeof(ids), 1, file);
}

static void make_feature(struct made *made, size_t feature)
{
	if (features[feature].make)
		features[feature].make(made);
	else
		put_string(made, *features[feature].text);
}

/* Writes the records that precede all others in a pipe. */
static void write_pipe_head(void)
{
	struct perf_event_attr attr = spe_attr();
	const uint64_t more[2] = { 0x80, 0x1 };		/* config3, config4 */

	info.length = 0;
	put_pipe_header(&info);
	if (has_filters) {
		attr.size = MADE_ATTR + sizeof(more);
		attr.config |= 0xffULL << 35;
		attr.config1 = 0x20;
		attr.exclude_kernel = attr.exclude_user = 1;
	}
	begin(&info, GPMU_PERFDATA_HEADER_ATTR, 0);
	put(&info, &attr, MADE_ATTR);
	if (has_filters)
		put(&info, more, sizeof(more));
	put64(&info, SPE_ID);
	end(&info);
	for (size_t i = 0; i < LENGTH(features); i++) {
		begin(&info, GPMU_PERFDATA_HEADER_FEATURE, 0);
		put64(&info, features[i].bit);
		make_feature(&info, i);
		end(&info);
	}
	fwrite(info.data, 1, info.length, file);
}

static void write_features(void)
{
	uint64_t offset = (uint64_t)ftell(file) + 16 * LENGTH(features);

	for (int content = 0; content < 2; content++)
		for (size_t i = 0; i < LENGTH(features); i++) {
			uint64_t place[2] = { offset };

			info.length = 0;
			make_feature(&info, i);
			place[1] = features[i].bit == cut ? 4 : features[i].bit == empty ? 0 : info.length;
			offset += info.length;
			fwrite(content ? (const void *)info.data : place, 1, content ? info.length : sizeof(place), file);
		}
}

int main(int argc, char **argv)
{
	uint64_t size;

	file = argc > 2 ? fopen(argv[1], "w") : NULL;
	if (!file)
		return 1;
	total = strtoull(argv[2], NULL, 10);
	for (int i = 3; i < argc; i++) {
		has_pa &= strcmp(argv[i], "no-pa") != 0;
		version = strcmp(argv[i], "first") ? version : 1;
		has_clock |= !strcmp(argv[i], "clock");
		has_damage |= !strcmp(argv[i], "damage");
		has_filters |= !strcmp(argv[i], "filters");
		is_pipe |= !strcmp(argv[i], "pipe") || has_filters;
		is_wide |= !strcmp(argv[i], "wide");
		no_build_id |= !strcmp(argv[i], "no-build-id");
		if (!strncmp(argv[i], "arch=", 5))
			arch = argv[i] + 5;
		if (!strncmp(argv[i], "cpuid=", 6))
			cpuid = argv[i] + 6;
		if (!strncmp(argv[i], "cut=", 4))
			cut = strtoul(argv[i] + 4, NULL, 10);
		if (!strncmp(argv[i], "empty=", 6))
			empty = strtoul(argv[i] + 6, NULL, 10);
		if (!strncmp(argv[i], "head=", 5))
			head_version = strtoul(argv[i] + 5, NULL, 10);
		if (!strncmp(argv[i], "shift=", 6))
			shift = strtoul(argv[i] + 6, NULL, 10);
		if (!strncmp(argv[i], "cpudesc=", 8))
			cpudesc = argv[i] + 8;
		if (!strcmp(argv[i], "numa") || !strcmp(argv[i], "c2c"))
			story = argv[i];
		if (strtoul(argv[i], NULL, 10))
			threads[CHANGED].pid = threads[CHANGED].tid = (uint32_t)strtoul(argv[i], NULL, 10);
	}
	dl_iterate_phdr(find_base, NULL);
	if (no_build_id)
		build_id = NULL;
	put_head(&head);
	if (is_pipe)
		write_pipe_head();
	else
		write_head(0);
	fwrite(head.data, 1, head.length, file);
	for (uint64_t offset = 0, cpu = 0; offset < total; offset += PART, cpu = (cpu + 1) % CPUS)
		put_part((unsigned int)cpu, offset, total - offset < PART ? total - offset : PART);
	size = (uint64_t)ftell(file) - 112 - ENTRY;
	if (!is_pipe) {
		write_features();
		write_head(size);
	}
	if (fclose(file))
		return 1;
	for (size_t i = 0; i < keys.texts.n; i++)
		printf("%" PRIu64 ",%.12g,%" PRIu64 ",%s\n", truths[i].samples,
		       (double)truths[i].latency / (double)truths[i].samples, truths[i].max, truths[i].keys);
	return 0;
}
