// SPDX-License-Identifier: LGPL-2.1-or-later
/* Malformed records of each type are skipped and counted, and MMAP2 records of old kernels are read. */
#include "perfdata-test.h"

static struct made records, file;
static struct gpmu_error error = { .size = sizeof(error) };

/* Types of perf whose fields are read, with a body that is too short for them */
static const struct {
	uint32_t type;
	const char *name;
	size_t body;
} made_by_perf[] = {
	{ GPMU_PERFDATA_HEADER_ATTR, "HEADER_ATTR", 8 }, { GPMU_PERFDATA_HEADER_BUILD_ID, "HEADER_BUILD_ID", 16 },
	{ GPMU_PERFDATA_AUXTRACE_INFO, "AUXTRACE_INFO", 0 }, { GPMU_PERFDATA_EVENT_UPDATE, "EVENT_UPDATE", 8 },
	{ GPMU_PERFDATA_TIME_CONV, "TIME_CONV", 8 }, { GPMU_PERFDATA_HEADER_FEATURE, "HEADER_FEATURE", 0 },
};

/* Types of the kernel whose fields are read. A body without a trailer is malformed in all types. */
static const struct {
	uint32_t type;
	const char *name;
} made_by_kernel[] = {
	{ 1, "MMAP" }, { 2, "LOST" }, { 3, "COMM" }, { 4, "EXIT" }, { 5, "THROTTLE" }, { 7, "FORK" }, { 8, "READ" }, { 9, "SAMPLE" },
	{ 10, "MMAP2" }, { 11, "AUX" }, { 12, "ITRACE_START" }, { 13, "LOST_SAMPLES" }, { 14, "SWITCH" }, { 15, "SWITCH_CPU_WIDE" },
	{ 17, "KSYMBOL" }, { 19, "CGROUP" }, { 22, "CALLCHAIN_DEFERRED" }, { 33, "unknown" },
};

static void put_short(uint32_t type, size_t body)
{
	static const char zeros[64];

	begin(&records, type, 0);
	put(&records, zeros, body);
	end(&records);
}

/* Reads the records twice, and checks that the good ones are returned and an error follows. */
static bool reads(uint64_t count, const char *expected)
{
	struct gpmu_perfdata *perfdata = open_records(&file, &records, &error);
	const struct gpmu_perfdata_record *record;
	bool is_read = perfdata != NULL;
	char *text = NULL;

	for (int pass = 0; pass < 2 && is_read; pass++) {
		uint64_t n = 0;
		int ret;

		while ((ret = gpmu_perfdata_next(perfdata, &record, &error)) == 1)
			n += record->type == PERF_RECORD_SAMPLE && record->sample.ip == 0x1234;
		text = gpmu_perfdata_skipped(perfdata);
		is_read = n == count && (expected ? ret == -EINVAL && text && strstr(error.text, text) && strstr(text, expected) : !ret && !text);
		if (!is_read)
			diag("%llu samples, error %d: %s", (unsigned long long)n, ret, error.text);
		free(text);
		gpmu_perfdata_rewind(perfdata, &error);
	}
	gpmu_perfdata_free(perfdata);
	records.length = 0;
	return is_read;
}

static void test_types(void)
{
	char want[64];

	for (size_t i = 0; i < sizeof(made_by_kernel) / sizeof(made_by_kernel[0]); i++) {
		put_short(made_by_kernel[i].type, 8);
		put_sample(&records, 1, 0x1234, 7, 200);
		snprintf(want, sizeof(want), ": 1 of type %u (%s) from byte 256 on", made_by_kernel[i].type, made_by_kernel[i].name);
		ok(reads(1, want), "perfdata: a malformed record of type %u is skipped and counted", made_by_kernel[i].type);
	}
	for (size_t i = 0; i < sizeof(made_by_perf) / sizeof(made_by_perf[0]); i++) {
		put_short(made_by_perf[i].type, made_by_perf[i].body);
		put_sample(&records, 1, 0x1234, 7, 200);
		snprintf(want, sizeof(want), ": 1 of type %u (%s) from byte 256 on", made_by_perf[i].type, made_by_perf[i].name);
		ok(reads(1, want), "perfdata: a malformed record of type %u is skipped and counted", made_by_perf[i].type);
	}
}

static void test_numbers(void)
{
	put_sample(&records, 1, 0x1234, 7, 200);
	ok(reads(1, NULL), "perfdata: a recording without malformed records has no error");
	put_sample(&records, 1, 0x1234, 7, 200);
	put_short(PERF_RECORD_SAMPLE, 8);
	put_short(PERF_RECORD_COMM, 8);
	put_sample(&records, 1, 0x1234, 7, 200);
	put_short(PERF_RECORD_SAMPLE, 16);
	ok(reads(2, "skipped malformed records: 1 of type 3 (COMM) from byte 312 on, 2 of type 9 (SAMPLE) from byte 296 on"),
	   "perfdata: malformed records are counted by type, with the offset of the first one");
	is_u64(error.offset, 296, "perfdata: the offset of the error is that of the first malformed record");
}

/* AUXTRACE with @body bytes, the size of 16 bytes of trace that follow, and a sample */
static void put_trace(size_t body)
{
	static const uint64_t trace[2] = { UINT64_MAX, UINT64_MAX };

	put_short(GPMU_PERFDATA_AUXTRACE, body);
	records.data[records.record + sizeof(struct perf_event_header)] = sizeof(trace);
	put(&records, trace, sizeof(trace));
	put_sample(&records, 1, 0x1234, 7, 200);
}

static void test_auxtrace(void)
{
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	put_trace(16);
	ok(reads(1, ": 1 of type 71 (AUXTRACE)"), "perfdata: the bytes of an AUX buffer whose record is malformed are skipped, too");
	put_short(GPMU_PERFDATA_AUXTRACE, 0);
	put_sample(&records, 1, 0x1234, 7, 200);
	perfdata = open_records(&file, &records, &error);
	ok(gpmu_perfdata_next(perfdata, &record, &error) == -EINVAL && strstr(error.text, ":256: expected the size of an AUX buffer"),
	   "perfdata: a record of an AUX buffer without its size ends the reading");
	gpmu_perfdata_free(perfdata);
	records.length = 0;
}

/* Records that perf compressed: a malformed one, and a sample */
static void test_compressed(void)
{
	static char bytes[256];
	size_t size;

	put_short(PERF_RECORD_COMM, 8);
	put_sample(&records, 1, 0x1234, 7, 200);
	size = ZSTD_compress(bytes, sizeof(bytes), records.data, records.length, 1);
	records.length = 0;
	begin(&records, GPMU_PERFDATA_COMPRESSED, 0);
	put(&records, bytes, size);
	put(&records, "\0\0\0\0\0\0\0", -records.length & 7);
	records.length = records.record + sizeof(struct perf_event_header) + size;
	end(&records);
	ok(reads(1, ": 1 of type 3 (COMM) from byte 256 on"), "perfdata: a malformed record in compressed records is skipped and counted");
}

/* MMAP2 of a kernel with or without protection and flags */
static void put_map(bool is_old, const char *name)
{
	begin(&records, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(&records, 7);
	put32(&records, 7);
	for (uint64_t i = 1; i < 7; i++)
		put64(&records, i);	/* address, length, offset, device, inode, generation */
	if (!is_old) {
		put32(&records, 5);
		put32(&records, 2);
	}
	put_text(&records, name);
	put64(&records, 0x700000007);	/* trailer: thread, time, id */
	put64(&records, 200);
	put64(&records, 1);
	end(&records);
}

static void test_maps(void)
{
	/* Names whose padding is of 1 to 8 bytes, also those of which the rest after 8 bytes would be a padded name */
	static const char *const names[] = { "/usr/bin/perf", "//anon", "[vdso]", "/usr/bin/a", "/usr/lib", "/usr/li", "/bin/sh-longer", "/" };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	for (int is_old = 0; is_old < 2; is_old++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			records.length = 0;
			put_map(is_old, names[i]);
			perfdata = open_records(&file, &records, &error);
			record = next(perfdata);
			ok(record && !strcmp(record->mmap.file, names[i]) && record->mmap.prot == (is_old ? 0 : 5) &&
			   record->mmap.flags == (is_old ? 0 : 2) && record->mmap.addr == 1 && record->mmap.ino == 5 && record->time == 200,
			   "perfdata: the map of %s by a kernel with%s protection and flags is read", names[i], is_old ? "out" : "");
			gpmu_perfdata_free(perfdata);
		}
	records.length = 0;
}

int main(void)
{
	test_types();
	test_numbers();
	test_auxtrace();
	test_compressed();
	test_maps();
	return done_testing();
}
