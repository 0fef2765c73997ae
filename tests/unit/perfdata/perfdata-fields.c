// SPDX-License-Identifier: LGPL-2.1-or-later
/* Fields of records that are refused or unknown, ids in trailers without IDENTIFIER, and conversions of times */
#include "perfdata-test.h"

static struct made records, file;
static struct gpmu_error error = { .size = sizeof(error) };

static struct gpmu_perfdata *open_attr(const struct perf_event_attr *attrs, size_t count)
{
	struct gpmu_perfdata *perfdata;

	file.length = 0;
	make_file(&file, attrs, count, &records, NULL, 0);
	records.length = 0;
	perfdata = open_made(&file, file.length, &error);
	if (!perfdata) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	return perfdata;
}

/* A sample with a stack of 8 bytes, of which @used are valid */
static int read_stack(uint64_t used)
{
	struct perf_event_attr attr = test_attr();
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;
	int ret;

	attr.sample_type |= PERF_SAMPLE_STACK_USER;
	put_sample(&records, 1, 0x1000, 7, 100);
	put64(&records, 8);
	put64(&records, 0xe0);
	put64(&records, used);
	end(&records);
	perfdata = open_attr(&attr, 1);
	ret = gpmu_perfdata_next(perfdata, &record, &error);
	gpmu_perfdata_free(perfdata);
	return ret;
}

static void test_stack(void)
{
	is_u64(read_stack(8), 1, "perfdata: a sample whose used bytes fill its user stack is read");
	ok(read_stack(9) == -EINVAL, "perfdata: a sample with more used bytes than its user stack has is refused");
}

static void test_unknown_fields(void)
{
	struct perf_event_attr attr = test_attr();
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;
	const uint64_t known = attr.sample_type;

	attr.sample_type |= 1ULL << 25 | 1ULL << 40;
	put_sample(&records, 1, 0x1000, 7, 100);
	perfdata = open_attr(&attr, 1);
	record = next(perfdata);
	ok(record && record->has == known && record->sample.ip == 0x1000 && record->time == 100,
	   "perfdata: a sample of a later kernel has its known fields, and no others");
	gpmu_perfdata_free(perfdata);
}

/* COMM of the second of two events, whose trailer is TID, TIME, ID, STREAM_ID and, if @has_cpu, CPU */
static void test_trailer(bool has_cpu)
{
	struct perf_event_attr attrs[] = { test_attr(), test_attr() };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	for (size_t i = 0; i < 2; i++)
		attrs[i].sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				       (has_cpu ? PERF_SAMPLE_CPU : 0);
	begin(&records, PERF_RECORD_COMM, 0);
	put32(&records, 7);
	put32(&records, 7);
	put_text(&records, "app");
	put64(&records, 7);
	put64(&records, 100);
	put64(&records, 2);
	put64(&records, 55);
	if (has_cpu)
		put64(&records, 3);
	end(&records);
	perfdata = open_attr(attrs, 2);
	record = next(perfdata);
	ok(record && record->event && record->event->index == 1 && record->id == 2 && record->stream_id == 55 &&
	   record->cpu == (has_cpu ? 3 : 0), "perfdata: the event of a record is found by the ID before STREAM_ID%s",
	   has_cpu ? " and CPU" : "");
	gpmu_perfdata_free(perfdata);
}

static uint64_t time_of(unsigned int caps, uint64_t cycles)
{
	struct perf_event_attr attr = test_attr();
	const uint64_t numbers[] = { 0, 1, 5, 0x100000010, 0xffffffff, caps };	/* shift, factor, zero, counter, its mask, capabilities */
	struct gpmu_perfdata *perfdata;
	uint64_t time;

	begin(&records, GPMU_PERFDATA_TIME_CONV, 0);
	put(&records, numbers, sizeof(numbers));
	end(&records);
	perfdata = open_attr(&attr, 1);
	next(perfdata);
	time = gpmu_perfdata_time_of(&gpmu_perfdata_info(perfdata)->time_conv, cycles);
	gpmu_perfdata_free(perfdata);
	return time;
}

int main(void)
{
	test_stack();
	test_unknown_fields();
	test_trailer(false);
	test_trailer(true);
	/* The first byte of the capabilities is user_time_zero, the second one user_time_short. */
	is_u64(time_of(0x001, 0x20), 0x25, "perfdata: a counter of 64 bits is converted by TIME_CONV as it is");
	is_u64(time_of(0x101, 0x20), 0x100000025, "perfdata: a counter with fewer bits than 64 is extended by the counter in TIME_CONV");
	return done_testing();
}
