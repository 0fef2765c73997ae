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

static struct made records, file, text;

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
	begin(&records, GPMU_PERFDATA_AUXTRACE, 0);
	put64(&records, 64);
	for (uint64_t i = 0; i < 13; i++)
		put64(&records, 0);
	records.data[records.record + offsetof(struct perf_event_header, size)] = 48;
}

static void replay(const struct made *seed, const char *name)
{
	static char bytes[DAMAGE_MAX];

	ok(seed->length > 500 && seed->length < DAMAGE_MAX / 2, "perfdata: the sample %s has a usable size", name);
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
	struct perf_event_attr attrs[2] = { test_attr(), test_attr() };
	struct feature feature = { .bit = 9, .content = &text };

	attrs[1].sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_READ;
	make_records();
	put_string(&text, "0x00000000410fd4f0");
	make_file(&file, attrs, 2, &records, &feature, 1);
	replay(&file, "file");
	file.length = 0;
	put_pipe_header(&file);
	put_pipe_attr(&file, &attrs[0], 1);
	put_pipe_attr(&file, &attrs[1], 2);
	put(&file, records.data, records.length);
	replay(&file, "pipe");
	return done_testing();
}
