// SPDX-License-Identifier: LGPL-2.1-or-later
/* Recordings of perf are read: files, pipes, folders, compressed records, AUX buffers, features. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "perfdata-test.h"

static struct made records, file, content[9];

static void reset(void)
{
	records.length = file.length = 0;
	for (size_t i = 0; i < sizeof(content) / sizeof(content[0]); i++)
		content[i].length = 0;
}

static void test_file(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	reset();
	put_comm(&records, "app", 7, 100, 1);
	put_sample(&records, 1, 0x1234, 7, 200);
	perfdata = open_records(&file, &records, &error);
	if (!ok(perfdata != NULL, "perfdata: a file is opened"))
		diag("%s", error.text);
	record = next(perfdata);
	ok(record && record->type == PERF_RECORD_COMM && record->pid == 7 && record->time == 100 &&
	   record->id == 1 && record->offset == 104 + 8 + 144, "perfdata: a record has its sample_id and its offset");
	is_str(record ? record->comm : NULL, "app", "perfdata: COMM has the name of the thread");
	record = next(perfdata);
	ok(record && record->type == PERF_RECORD_SAMPLE && record->sample.ip == 0x1234 && record->tid == 7 &&
	   record->time == 200 && record->misc == PERF_RECORD_MISC_USER, "perfdata: a sample has its fields");
	ok(record && record->event == gpmu_perfdata_event(perfdata, 0), "perfdata: a sample has its event");
	ok(!next(perfdata), "perfdata: a file ends after the last record");
	gpmu_perfdata_get_stats(perfdata, &stats);
	ok(stats.records[PERF_RECORD_COMM] == 1 && stats.records[PERF_RECORD_SAMPLE] == 1 && stats.bytes == file.length,
	   "perfdata: statistics count records by type, and bytes");
	ok(!gpmu_perfdata_rewind(perfdata, &error), "perfdata: a file is read again");
	record = next(perfdata);
	ok(record && record->type == PERF_RECORD_COMM, "perfdata: reading again begins with the first record");
	gpmu_perfdata_free(perfdata);
}

/* Two events, whose samples are told apart by their id at another place */
static void test_ids(void)
{
	struct perf_event_attr attrs[2] = { test_attr(), test_attr() };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	reset();
	for (int i = 0; i < 2; i++) {
		attrs[i].sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
		attrs[i].config = (uint64_t)i;
	}
	begin(&records, PERF_RECORD_SAMPLE, 0);
	put64(&records, 0x10);
	put64(&records, 1000);
	put64(&records, 2);
	put64(&records, 3);
	end(&records);
	begin(&records, PERF_RECORD_EXIT, 0);
	for (int i = 0; i < 4; i++)
		put32(&records, (uint32_t)i);
	put64(&records, 50);
	put64(&records, 60);	/* trailer: time, id, cpu */
	put64(&records, 2);
	put64(&records, 5);
	end(&records);
	begin(&records, PERF_RECORD_LOST, 0);
	put64(&records, 9);
	put64(&records, 12);
	put64(&records, 0);
	put64(&records, 9);
	put64(&records, 0);
	end(&records);
	make_file(&file, attrs, 2, &records, NULL, 0);
	perfdata = open_made(&file, file.length, &error);
	record = next(perfdata);
	ok(record && record->event && record->event->index == 1 && record->id == 2 && record->cpu == 3,
	   "perfdata: the event of a sample is found by the id after its time");
	record = next(perfdata);
	ok(record && record->event && record->event->index == 1 && record->time == 60 && record->cpu == 5 &&
	   record->task.ppid == 1 && record->task.tid == 2 && record->task.time == 50,
	   "perfdata: the event of a record is found by the id in its trailer");
	record = next(perfdata);
	ok(record && !record->event, "perfdata: a record with an unknown id has no event");
	gpmu_perfdata_get_stats(perfdata, &stats);
	is_u64(stats.unknown_ids, 1, "perfdata: statistics count unknown ids");
	gpmu_perfdata_free(perfdata);
}

static void test_lost(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	struct gpmu_perfdata *perfdata;

	reset();
	put_lost(&records, PERF_RECORD_LOST, 0, 3);
	put_lost(&records, PERF_RECORD_LOST, 0, 4);
	put_lost(&records, PERF_RECORD_LOST_SAMPLES, 0, 6);
	put_lost(&records, PERF_RECORD_LOST_SAMPLES, 1U << 15, 100);
	perfdata = open_records(&file, &records, &error);
	while (next(perfdata))
		;
	gpmu_perfdata_get_stats(perfdata, &stats);
	is_u64(stats.lost, 7, "perfdata: statistics sum the counts of LOST");
	is_u64(stats.lost_samples, 6, "perfdata: statistics sum the counts of LOST_SAMPLES without those that a BPF filter dropped");
	gpmu_perfdata_free(perfdata);
}

/* All fields of a sample, in the order of the kernel */
static void put_all_fields(struct made *made)
{
	begin(made, PERF_RECORD_SAMPLE, 0);
	put64(made, 1);			/* IDENTIFIER */
	put64(made, 0xa0);		/* IP */
	put32(made, 11);		/* TID */
	put32(made, 12);
	put64(made, 13);		/* TIME */
	put64(made, 0xa1);		/* ADDR */
	put64(made, 1);			/* ID */
	put64(made, 14);		/* STREAM_ID */
	put64(made, 15);		/* CPU */
	put64(made, 16);		/* PERIOD */
	put64(made, 2);			/* READ: nr, enabled, running, {value, id, lost} */
	put64(made, 101);
	put64(made, 102);
	for (uint64_t i = 0; i < 6; i++)
		put64(made, 200 + i);
	put64(made, 2);			/* CALLCHAIN */
	put64(made, PERF_CONTEXT_USER);
	put64(made, 0xb0);
	put32(made, 4);			/* RAW */
	put32(made, 0x04030201);
	put64(made, 1);			/* BRANCH_STACK, with hw_idx and counters */
	put64(made, 0);
	put64(made, 0xc0);
	put64(made, 0xc1);
	put64(made, 1);
	put64(made, 99);
	put64(made, PERF_SAMPLE_REGS_ABI_64);	/* REGS_USER */
	put64(made, 0xd0);
	put64(made, 0xd1);
	put64(made, 8);			/* STACK_USER */
	put64(made, 0xe0);
	put64(made, 8);
	put32(made, 21);		/* WEIGHT_STRUCT */
	put32(made, 23 << 16 | 22);
	put64(made, 0xf0);		/* DATA_SRC */
	put64(made, 0xf1);		/* TRANSACTION */
	put64(made, PERF_SAMPLE_REGS_ABI_NONE);	/* REGS_INTR */
	put64(made, 0xf2);		/* PHYS_ADDR */
	put64(made, 0xf3);		/* CGROUP */
	put64(made, 0xf4);		/* DATA_PAGE_SIZE */
	put64(made, 0xf5);		/* CODE_PAGE_SIZE */
	put64(made, 8);			/* AUX */
	put64(made, 0xf6);
	end(made);
}

static void check_all_fields(const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_sample *sample = &record->sample;

	ok(record->pid == 11 && record->tid == 12 && record->time == 13 && record->stream_id == 14 && record->cpu == 15 &&
	   record->id == 1 && sample->ip == 0xa0 && sample->addr == 0xa1 && sample->period == 16,
	   "perfdata: a sample has ids, times, addresses and its period");
	ok(sample->read.count == 2 && sample->read.enabled == 101 && sample->read.running == 102 &&
	   sample->read.values[1].value == 203 && sample->read.values[1].id == 204 && sample->read.values[1].lost == 205,
	   "perfdata: a sample has the counts of its group");
	ok(sample->callchain_count == 2 && sample->callchain[1] == 0xb0, "perfdata: a sample has its call chain");
	ok(sample->raw_size == 4 && !memcmp(sample->raw, "\1\2\3\4", 4), "perfdata: a sample has the bytes of a tracepoint");
	ok(sample->branch_count == 1 && sample->branches[0].from == 0xc0 && sample->branches[0].to == 0xc1,
	   "perfdata: a sample has its branch stack");
	ok(sample->user.count == 2 && sample->user.values[1] == 0xd1 && sample->intr.abi == 0 && sample->intr.count == 0,
	   "perfdata: a sample has its registers, or none");
	ok(sample->stack_size == 8 && sample->stack_used == 8 && *(const uint64_t *)sample->stack == 0xe0,
	   "perfdata: a sample has its user stack");
	ok(sample->weight == 21 && sample->ins_lat == 22 && sample->p_stage_cyc == 23,
	   "perfdata: a sample has the three parts of its weight");
	ok(sample->data_src == 0xf0 && sample->transaction == 0xf1 && sample->phys_addr == 0xf2 && sample->cgroup == 0xf3 &&
	   sample->data_page_size == 0xf4 && sample->code_page_size == 0xf5, "perfdata: a sample has the fields that the kernel appends last");
	ok(sample->aux_size == 8 && *(const uint64_t *)sample->aux == 0xf6, "perfdata: a sample has a part of an AUX buffer");
}

static void test_fields(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;
	size_t whole, refused = 0;

	reset();
	attr.sample_type = ((1ULL << 25) - 1) & ~(uint64_t)PERF_SAMPLE_WEIGHT;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_COUNTERS;
	attr.sample_regs_user = 5;
	put_all_fields(&records);
	whole = records.length;
	make_file(&file, &attr, 1, &records, NULL, 0);
	perfdata = open_made(&file, file.length, &error);
	record = next(perfdata);
	ok(record != NULL, "perfdata: a sample with all fields is read");
	if (record)
		check_all_fields(record);
	gpmu_perfdata_free(perfdata);
	for (size_t length = 8; length < whole; length += 8) {
		records.length = length;
		end(&records);
		file.length = 0;
		make_file(&file, &attr, 1, &records, NULL, 0);
		perfdata = open_made(&file, file.length, &error);
		refused += gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL;
		gpmu_perfdata_free(perfdata);
	}
	is_u64(refused, (whole - 8) / 8, "perfdata: a sample that ends before its last field is refused");
	ok(strstr(error.text, ":256: skipped malformed records: 1 of type 9 (SAMPLE) from byte 256 on") != NULL && error.offset == 256,
	   "perfdata: the error names the file, the offset, the type and the number of malformed records");
}

/* --- maps */

/* MMAP2 with the flag of build ids; @first: size of the build id, or a major number; then 20 bytes */
static void put_flagged_map(struct made *made, uint32_t first)
{
	begin(made, PERF_RECORD_MMAP2, 1 << 14);
	put32(made, 7);
	put32(made, 7);
	put64(made, 0x1000);
	put64(made, 0x2000);
	put64(made, 0);
	put32(made, first);
	put32(made, 3);
	put64(made, 4);
	put64(made, 5);
	put64(made, 0);
	put_text(made, "/usr/bin/app");
	put32(made, 7);
	put32(made, 7);
	put64(made, 100);
	put64(made, 1);
	end(made);
}

static void test_maps(void)
{
	static const uint32_t majors[] = { 8, 254, 259 };
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	reset();
	put_flagged_map(&records, 20);
	for (size_t i = 0; i < sizeof(majors) / sizeof(majors[0]); i++)
		put_flagged_map(&records, majors[i]);
	perfdata = open_records(&file, &records, &error);
	record = next(perfdata);
	ok(record && record->mmap.build_id_size == 20 && !memcmp(record->mmap.build_id, "\3\0\0\0\4\0\0\0", 8) &&
	   !record->mmap.ino && !strcmp(record->mmap.file, "/usr/bin/app"), "perfdata: a map has its build id");
	for (size_t i = 0; i < sizeof(majors) / sizeof(majors[0]); i++) {
		record = next(perfdata);
		ok(record && !record->mmap.build_id && record->mmap.maj == majors[i] && record->mmap.min == 3 && record->mmap.ino == 4 &&
		   record->mmap.ino_generation == 5 && !strcmp(record->mmap.file, "/usr/bin/app"),
		   "perfdata: a map on device %u has no build id, although another event made the kernel set its flag",
		   majors[i]);
	}
	gpmu_perfdata_free(perfdata);
}

/* --- AUX buffers */

/* AUXTRACE and its bytes: each 8 of them are their offset in the buffer */
static void put_offsets(struct made *made, uint64_t size, uint64_t offset, uint32_t cpu)
{
	put_auxtrace(made, size, offset, cpu);
	for (uint64_t i = 0; i < size; i += 8)
		put64(made, offset + i);
}

static void test_auxtrace(void)
{
	struct gpmu_perfdata_auxtrace first = { 0 };
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;
	uint64_t bytes[2] = { 0 };

	reset();
	put_auxtrace_info(&records, 2, 4);
	put_offsets(&records, 4096, 8192, 3);
	put_comm(&records, "app", 7, 100, 1);
	put_offsets(&records, 64, 0, 4);
	perfdata = open_records(&file, &records, &error);
	record = next(perfdata);
	ok(record && record->auxtrace_info.type == GPMU_PERFDATA_ARM_SPE && record->auxtrace_info.count == 2 &&
	   record->auxtrace_info.priv[1] == 4, "perfdata: AUXTRACE_INFO has its type and values");
	record = next(perfdata);
	if (record)
		first = record->auxtrace;
	ok(first.size == 4096 && first.offset == 8192 && first.cpu == 3 && first.tid == UINT32_MAX,
	   "perfdata: a part of an AUX buffer has its size, offset and CPU");
	record = next(perfdata);
	ok(record && record->type == PERF_RECORD_COMM, "perfdata: the bytes of an AUX buffer are passed over");
	next(perfdata);
	ok(!gpmu_perfdata_trace(perfdata, &first, 16, bytes, 16, &error) && bytes[0] == 8208 && bytes[1] == 8216,
	   "perfdata: bytes of an earlier AUX buffer are read");
	gpmu_perfdata_free(perfdata);
	file.length -= 40;
	perfdata = open_made(&file, file.length, &error);
	for (int i = 0; i < 4; i++)
		record = next(perfdata);
	ok(record && record->auxtrace.size == 24, "perfdata: a part of an AUX buffer that is cut off has the bytes that are there");
	ok(gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL && strstr(error.text, "expected 40 more bytes of an AUX buffer"),
	   "perfdata: the bytes that an AUX buffer lacks are an error");
	gpmu_perfdata_free(perfdata);
}

/* --- features */

#define FEATURES	9

static void make_nodes(struct made *made)
{
	put32(made, 2);
	for (uint32_t i = 0; i < 2; i++) {
		put32(made, i);
		put64(made, 1000 + i);
		put64(made, 500);
		put_string(made, i ? "" : "0-71");
	}
}

static void make_memory(struct made *made)
{
	put64(made, 1);
	put64(made, 128 << 20);
	put64(made, 1);
	put64(made, 1);			/* node */
	put64(made, 70);
	put64(made, 70);
	put64(made, 0x10);
	put64(made, 0x20);
}

static void make_event_desc(struct made *made)
{
	struct perf_event_attr attr = test_attr();

	put32(made, 1);
	put32(made, MADE_ATTR);
	put(made, &attr, MADE_ATTR);
	put32(made, 1);
	put_string(made, "arm_spe_0/ts_enable=1/");
	put64(made, 1);
}

static void make_build_ids(struct made *made)
{
	begin(made, GPMU_PERFDATA_HEADER_BUILD_ID, 1 << 15);
	put32(made, UINT32_MAX);
	put(made, "0123456789abcdefghij", 20);
	put32(made, 16);
	put_text(made, "/usr/bin/app");
	end(made);
}

static void check_features(const struct gpmu_perfdata *perfdata)
{
	const struct gpmu_perfdata_info *info = gpmu_perfdata_info(perfdata);

	is_u64(info->cpus_online, 72, "perfdata: features have the number of CPUs that are online");
	is_str(info->cpudesc, "Neoverse-V2", "perfdata: features have the name of the CPU");
	is_str(info->cpuid, "0x00000000410fd4f0", "perfdata: features have the identification of the CPU");
	ok(info->node_count == 2 && !strcmp(info->nodes[0].cpus, "0-71") && !*info->nodes[1].cpus,
	   "perfdata: features have the nodes with their CPUs");
	ok(info->memory_count == 1 && info->block_bytes == 128 << 20 && info->memory[0].bits == 70 &&
	   info->memory[0].words[1] == 0x20, "perfdata: features have the memory blocks of a node");
	is_str(gpmu_perfdata_event(perfdata, 0)->name, "arm_spe_0/ts_enable=1/", "perfdata: features have the names of events");
	ok(info->build_id_count == 1 && info->build_ids[0].size == 16 && !strcmp(info->build_ids[0].file, "/usr/bin/app"),
	   "perfdata: features have build ids with their sizes");
	ok(info->arg_count == 2 && !strcmp(info->args[1], "record"), "perfdata: features have the command line");
	ok(info->cap_count == 1 && !strcmp(info->caps[0].name, "min_interval") && !strcmp(info->caps[0].value, "1024"),
	   "perfdata: features have the capabilities of PMUs");
}

static void make_features(struct feature features[FEATURES])
{
	static const unsigned int bits[FEATURES] = { 2, 7, 8, 9, 11, 12, 14, 22, 31 };

	make_build_ids(&content[0]);
	put32(&content[1], 144);
	put32(&content[1], 72);
	put_string(&content[2], "Neoverse-V2");
	put_string(&content[3], "0x00000000410fd4f0");
	put32(&content[4], 2);
	put_string(&content[4], "perf");
	put_string(&content[4], "record");
	make_event_desc(&content[5]);
	make_nodes(&content[6]);
	make_memory(&content[7]);
	put32(&content[8], 1);
	put32(&content[8], 1);
	put_string(&content[8], "min_interval");
	put_string(&content[8], "1024");
	put_string(&content[8], "arm_spe_0");
	for (size_t i = 0; i < FEATURES; i++)
		features[i] = (struct feature){ .bit = bits[i], .content = &content[i] };
}

static void test_features(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata *perfdata;
	struct feature features[FEATURES];
	const struct gpmu_perfdata_record *record;
	size_t end_of_records, right = 0;

	reset();
	make_features(features);
	put_comm(&records, "app", 7, 100, 1);
	make_file(&file, &attr, 1, &records, features, FEATURES);
	perfdata = open_made(&file, file.length, &error);
	if (!ok(perfdata != NULL, "perfdata: a file with features is opened"))
		diag("%s", error.text);
	if (perfdata)
		check_features(perfdata);
	ok(perfdata && !gpmu_perfdata_info(perfdata)->is_stat, "perfdata: a recording without the feature STAT is not reported as one of perf stat record");
	gpmu_perfdata_free(perfdata);
	end_of_records = 104 + 8 + 144 + records.length;
	for (size_t length = end_of_records + 1; length < file.length; length++) {
		perfdata = open_made(&file, length, &error);
		right += perfdata && gpmu_perfdata_next(perfdata, &record, &error) == 1 &&
			 gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL;
		gpmu_perfdata_free(perfdata);
	}
	is_u64(right, file.length - end_of_records - 1,
	       "perfdata: a file that ends in its features has its records, then an error");
	ok(strstr(error.text, "bytes of the capabilities of PMUs, the file has ") != NULL,
	   "perfdata: the error names the feature, its size and the file's size");
}

/* The nodes and the memory blocks end within the second node, and within the bits of a node. */
static void test_damaged_features(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	const struct gpmu_perfdata_record *record;
	const struct gpmu_perfdata_info *info;
	struct feature features[FEATURES];
	struct gpmu_perfdata *perfdata;

	reset();
	make_features(features);
	content[6].length -= 8;
	content[7].length -= 8;
	put_comm(&records, "app", 7, 100, 1);
	make_file(&file, &attr, 1, &records, features, FEATURES);
	perfdata = open_made(&file, file.length, &error);
	info = gpmu_perfdata_info(perfdata);
	ok(info->arg_count == 2 && info->cap_count == 1, "perfdata: the features before and after damaged ones are read");
	ok(!info->nodes && !info->node_count && !info->memory && !info->memory_count,
	   "perfdata: a damaged list of nodes, or of memory blocks, is dropped as a whole");
	ok(gpmu_perfdata_next(perfdata, &record, &error) == 1 && gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL &&
	   strstr(error.text, "expected the NUMA topology (feature 14) in "),
	   "perfdata: the first damaged feature is reported by its name after the last record");
	gpmu_perfdata_get_stats(perfdata, &stats);
	ok(stats.is_whole, "perfdata: a recording with damaged features is reported as one whose records were all read");
	gpmu_perfdata_free(perfdata);
}

static void test_empty_features(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	struct feature features[32] = { { 0 } };
	struct gpmu_perfdata *perfdata;

	reset();
	for (unsigned int i = 0; i < 32; i++)
		features[i] = (struct feature){ .bit = i + 1, .content = &content[0] };
	put_comm(&records, "app", 7, 100, 1);
	make_file(&file, &attr, 1, &records, features, 32);
	perfdata = open_made(&file, file.length, &error);
	ok(next(perfdata) && !next(perfdata) && !error.text[0], "perfdata: features without content are no damage");
	gpmu_perfdata_free(perfdata);
}

static void test_stat(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_perfdata *perfdata;

	reset();
	put_comm(&records, "app", 7, 100, 1);
	make_file(&file, &attr, 1, &records, &(struct feature){ .bit = 19, .content = &content[0] }, 1);
	perfdata = open_made(&file, file.length, NULL);
	ok(perfdata && gpmu_perfdata_info(perfdata)->is_stat, "perfdata: a recording with the feature STAT is reported as one of perf stat record");
	gpmu_perfdata_free(perfdata);
}

/* --- pipes and folders */

static struct gpmu_perfdata *open_fifo(const struct made *made, struct gpmu_error *error)
{
	char path[] = "/tmp/gpmu-perfdata-XXXXXX", fifo[64];
	struct gpmu_perfdata *perfdata;
	pid_t child;

	if (!mkdtemp(path))
		return NULL;
	snprintf(fifo, sizeof(fifo), "%s/fifo", path);
	mkfifo(fifo, 0600);
	child = fork();
	if (!child) {
		FILE *to = fopen(fifo, "w");

		_exit(!to || fwrite(made->data, 1, made->length, to) != made->length || fclose(to));
	}
	perfdata = gpmu_perfdata_open(fifo, error);
	unlink(fifo);
	rmdir(path);
	return perfdata;
}

static void make_pipe(void)
{
	struct perf_event_attr attr = test_attr();

	put_pipe_header(&file);
	put_pipe_attr(&file, &attr, 1);
	begin(&file, GPMU_PERFDATA_HEADER_FEATURE, 0);
	put64(&file, 6);
	put_string(&file, "aarch64");
	end(&file);
	begin(&file, GPMU_PERFDATA_EVENT_UPDATE, 0);
	put64(&file, 2);
	put64(&file, 1);
	put_text(&file, "task-clock");
	end(&file);
	begin(&file, GPMU_PERFDATA_HEADER_TRACING_DATA, 0);
	put32(&file, 5);
	put32(&file, 0);
	end(&file);
	put(&file, "trace\0\0", 8);
	put_offsets(&file, 64, 0, 1);
	put_sample(&file, 1, 0x77, 5, 6);
}

static void test_pipe(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record, *last = NULL;
	struct gpmu_perfdata_auxtrace trace = { 0 };
	struct gpmu_perfdata *perfdata;
	uint64_t word = 0;

	reset();
	make_pipe();
	perfdata = open_fifo(&file, &error);
	if (!ok(perfdata != NULL, "perfdata: a FIFO is opened"))
		diag("%s", error.text);
	for (int pass = 0; pass < 2 && perfdata; pass++) {
		while ((record = next(perfdata))) {
			last = record;
			if (record->type == GPMU_PERFDATA_AUXTRACE)
				trace = record->auxtrace;
			else if (record->type == PERF_RECORD_SAMPLE)
				ok(record->sample.ip == 0x77 && record->event && !strcmp(record->event->name, "task-clock"),
				   "perfdata: a sample of a pipe has the name of its event, time %d", pass + 1);
		}
		ok(!gpmu_perfdata_rewind(perfdata, &error), "perfdata: a pipe is read again, time %d", pass + 1);
	}
	ok(last != NULL, "perfdata: a pipe has records");
	ok(perfdata && gpmu_perfdata_event_count(perfdata) == 1, "perfdata: reading a pipe again adds no events");
	ok(perfdata && !gpmu_perfdata_trace(perfdata, &trace, 8, &word, 8, &error) && word == 8,
	   "perfdata: bytes of an AUX buffer of a pipe are read later");
	is_str(perfdata ? gpmu_perfdata_info(perfdata)->arch : NULL, "aarch64", "perfdata: features of a pipe are records");
	gpmu_perfdata_free(perfdata);
	wait(NULL);
}

/* perf ends the features of a pipe with an empty one, whose number is that of the first one which it does not know. */
static void test_pipe_end(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata *perfdata;
	size_t n, wrong = 0;

	for (uint64_t feature = 0; feature < 64; feature++) {
		reset();
		put_pipe_header(&file);
		put_pipe_attr(&file, &attr, 1);
		begin(&file, GPMU_PERFDATA_HEADER_FEATURE, 0);
		put64(&file, feature);
		end(&file);
		put_sample(&file, 1, 0x77, 7, 100);
		perfdata = open_made(&file, file.length, &error);
		for (n = 0; next(perfdata); n++)
			;
		wrong += n != 3;
		gpmu_perfdata_free(perfdata);
	}
	is_u64(wrong, 0, "perfdata: a feature of a pipe without content is the end of its features, whatever its number is");
}

/* The nodes of the machine, of which the first has a text that is longer than the record */
static void test_refused_again(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	reset();
	begin(&records, GPMU_PERFDATA_HEADER_FEATURE, 0);
	put64(&records, 14);
	put32(&records, 1);
	put32(&records, 0);
	put64(&records, 1);
	put64(&records, 1);
	put32(&records, 1000);
	put32(&records, 0);
	end(&records);
	put_sample(&records, 1, 0x77, 5, 6);
	perfdata = open_records(&file, &records, &error);
	for (int pass = 0; pass < 2 && perfdata; pass++) {
		ok(gpmu_perfdata_next(perfdata, &record, &error) == 1 && record->type == PERF_RECORD_SAMPLE &&
		   gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL && strstr(error.text, ": 1 of type 80 (HEADER_FEATURE)"),
		   "perfdata: a record that was stored in part before it was refused is skipped in reading %d", pass + 1);
		gpmu_perfdata_rewind(perfdata, &error);
	}
	ok(perfdata != NULL, "perfdata: a recording with a malformed record is opened");
	gpmu_perfdata_free(perfdata);
}

static void write_file(const char *folder, const char *name, const struct made *made)
{
	char path[96];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	to = fopen(path, "w");
	if (!to || fwrite(made->data, 1, made->length, to) != made->length || fclose(to))
		printf("Bail out! %s\n", path);
}

static void test_folder(void)
{
	static const char *const names[] = {
		"data", "data.0", "data.1", "data.2", "data.3", "data.4", "data.5", "data.6", "data.7", "data.8", "data.9", "data.10",
	};
	enum { COUNT = sizeof(names) / sizeof(names[0]) };
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	char folder[] = "/tmp/gpmu-perfdata-XXXXXX", path[96];
	struct gpmu_perfdata *perfdata;
	size_t n = 0, wrong = 0;

	if (!mkdtemp(folder))
		return;
	for (size_t i = 0; i < COUNT; i++) {
		reset();
		put_sample(&records, 1, i, 7, 100);
		make_file(&file, &attr, 1, &records, NULL, 0);
		write_file(folder, names[i], i ? &records : &file);
	}
	perfdata = gpmu_perfdata_open(folder, &error);
	while ((record = next(perfdata)))
		wrong += record->sample.ip != n++;
	ok(n == COUNT && !wrong, "perfdata: the files of a folder are read in the order of their numbers");
	gpmu_perfdata_free(perfdata);
	snprintf(path, sizeof(path), "%s/data.1", folder);
	unlink(path);
	ok(!gpmu_perfdata_open(folder, &error) && errno == ENOENT &&
	   strstr(error.text, ": a folder without a file \"data.1\", but with \"data.2\": not a whole recording of perf"),
	   "perfdata: a folder without the file of a thread is refused");
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	ok(!gpmu_perfdata_open(folder, &error) && errno == ENOENT, "perfdata: a folder without data is refused");
	rmdir(folder);
}

/* --- damage */

static void test_refused(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	uint8_t big[104] = "2ELIFREP";
	struct made *made = &file;

	reset();
	put(made, big, sizeof(big));
	ok(!open_made(made, made->length, &error) && errno == EINVAL && strstr(error.text, "big-endian"),
	   "perfdata: a recording of a big-endian machine is refused");
	made->length = 0;
	put(made, "# an ordinary text\n", 19);
	ok(!open_made(made, made->length, &error) && strstr(error.text, "not a recording of perf"),
	   "perfdata: a file of another format is refused");
	ok(!open_made(made, 0, &error) && errno == EINVAL && strstr(error.text, ":0: empty: perf wrote nothing, or is still recording"),
	   "perfdata: an empty file is refused as one that perf has not written");
	ok(!gpmu_perfdata_open("/nonexistent/perf.data", &error) && errno == ENOENT &&
	   !strcmp(error.text, "/nonexistent/perf.data: No such file or directory"), "perfdata: a missing file is an error");
	ok(!gpmu_perfdata_open("/proc/self/fdinfo", &error) &&
	   !strcmp(error.text, "/proc/self/fdinfo: a folder without a file \"data\": not a recording of perf"),
	   "perfdata: a folder without a recording is an error");
}

/* A file is cut at each byte: all records before the cut are there, then an error, or the end. */
static void test_cut(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;
	size_t wrong = 0, begin_of_records = 104 + 8 + 144, size;

	reset();
	for (int i = 0; i < 3; i++)
		put_sample(&records, 1, 1, 7, 100);
	gpmu_perfdata_free(open_records(&file, &records, &error));
	size = records.length / 3;
	for (size_t length = begin_of_records; length < file.length; length++) {
		size_t n = 0;
		int ret;

		perfdata = open_made(&file, length, &error);
		while ((ret = gpmu_perfdata_next(perfdata, &record, &error)) == 1)
			n++;
		wrong += n != (length - begin_of_records) / size || ret != -EINVAL || !strstr(error.text, "the file ends") ||
			 gpmu_perfdata_next(perfdata, &record, &error) != -EINVAL;
		gpmu_perfdata_free(perfdata);
	}
	is_u64(wrong, 0, "perfdata: a file that is cut off has all records before the cut, then an error");
	perfdata = open_made(&file, begin_of_records - 1, &error);
	ok(!perfdata && strstr(error.text, "expected the offset of records"), "perfdata: a file that ends before its records is refused");
	reset();
	begin(&records, PERF_RECORD_COMM, 0);
	records.data[records.record + offsetof(struct perf_event_header, size)] = 4;
	perfdata = open_records(&file, &records, &error);
	ok(gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL && strstr(error.text, "at least 8 bytes, not 4"),
	   "perfdata: a record without room for its header is refused");
	gpmu_perfdata_free(perfdata);
}

static void test_unknown_version(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_info *info;
	struct gpmu_perfdata *perfdata;

	reset();
	make_memory(&content[0]);
	content[0].data[0] = 7;
	put_comm(&records, "app", 7, 100, 1);
	make_file(&file, &attr, 1, &records, &(struct feature){ .bit = 22, .content = &content[0] }, 1);
	perfdata = open_made(&file, file.length, &error);
	info = gpmu_perfdata_info(perfdata);
	ok(info->memory_version == 7 && !info->memory_count, "perfdata: memory blocks of an unknown version are not read");
	gpmu_perfdata_free(perfdata);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	test_file();
	test_ids();
	test_lost();
	test_fields();
	test_maps();
	test_auxtrace();
	test_features();
	test_damaged_features();
	test_empty_features();
	test_stat();
	test_unknown_version();
	test_pipe();
	test_pipe_end();
	test_refused_again();
	test_folder();
	test_refused();
	test_cut();
	return done_testing();
}
