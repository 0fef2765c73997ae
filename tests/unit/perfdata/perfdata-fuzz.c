// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A file and a pipe of perf with random damage. The fuzzer's target makes the checks and ends the
 * program if one fails.
 */
#include "damage.h"
#include "perfdata-test.h"

static const char *const tokens[] = {
	"\xff\xff\xff\xff\xff\xff\xff\x7f", "\x09", "\x0a", "\x47", "\x51", "\x53", "\x40", "\x50", "\x42", "\xff\xff",
	"\x08", "\x18",
};

static const char *const formats[] = { TEST_POINT };

static struct made records, file, text, tracing;

static void make_records(void)
{
	begin(&records, PERF_RECORD_MMAP2, 0);
	put64(&records, 0x700000007);
	for (uint64_t i = 0; i < 7; i++)
		put64(&records, i << 12);
	put_text(&records, "/usr/lib/libm.so");
	for (uint64_t i = 0; i < 3; i++)
		put64(&records, 1);
	end(&records);
	for (uint64_t i = 0; i < 4; i++) {
		put_comm(&records, "app", 7, 100 + i, 1);
		put_sample(&records, 1 + i % 2, 0x1000 + i, 7, 200 + i);
	}
	begin(&records, PERF_RECORD_SAMPLE, 0);
	put64(&records, 3);
	for (uint64_t i = 0; i < 3; i++)
		put64(&records, 7);
	put32(&records, sizeof(test_point) + 4);
	put(&records, &test_point, sizeof(test_point));
	put32(&records, 0);
	end(&records);
	begin(&records, GPMU_PERFDATA_AUXTRACE, 0);
	put64(&records, 64);
	for (uint64_t i = 0; i < 13; i++)
		put64(&records, 0);
	records.data[records.record + offsetof(struct perf_event_header, size)] = 48;
}

static void replay(const struct made *seed, const char *name)
{
	static char bytes[2 * DAMAGE_MAX];

	ok(seed->length > 500 && seed->length < DAMAGE_MAX, "perfdata: the sample %s has a usable size", name);
	for (int i = 0; i < 10000; i++) {
		size_t n;

		memcpy(bytes, seed->data, seed->length);
		n = damage(bytes, seed->length, sizeof(bytes), tokens, DAMAGE_LENGTH(tokens), 4);
		LLVMFuzzerTestOneInput((const uint8_t *)bytes, n);
	}
	ok(true, "perfdata: 10000 damaged copies of a %s are read or refused", name);
}

int main(void)
{
	struct perf_event_attr attrs[3] = { test_attr(), test_attr(), test_attr() };
	const struct feature features[] = { { .bit = 1, .content = &tracing }, { .bit = 9, .content = &text } };

	attrs[2].type = PERF_TYPE_TRACEPOINT;
	attrs[2].config = 301;
	attrs[2].sample_type |= PERF_SAMPLE_RAW;
	put_tracing(&tracing, formats, 1);
	attrs[1].sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_READ;
	make_records();
	put_string(&text, "0x00000000410fd4f0");
	make_file(&file, attrs, 3, &records, features, 2);
	replay(&file, "file");
	file.length = 0;
	put_pipe_header(&file);
	put_pipe_attr(&file, &attrs[0], 1);
	put_pipe_attr(&file, &attrs[1], 2);
	put_pipe_attr(&file, &attrs[2], 3);
	begin(&file, GPMU_PERFDATA_HEADER_TRACING_DATA, 0);
	put32(&file, (uint32_t)tracing.length);
	put32(&file, 0);
	end(&file);
	put(&file, tracing.data, tracing.length);
	put(&file, "\0\0\0\0\0\0\0", -tracing.length & 7);
	put(&file, records.data, records.length);
	replay(&file, "pipe");
	return done_testing();
}
