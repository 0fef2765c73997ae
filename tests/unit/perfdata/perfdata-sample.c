// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples of perf record --off-cpu, whose fields are in their raw bytes */
#include "perfdata-test.h"

static struct made file;

#define SUM	(~0ULL << 32)	/* time of the sum of a thread's short waits */

static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x400010, 0x400020 };

/* A sample of thread 0 with raw bytes for thread 8 of process 7; @size: bytes of them */
static void put_off_cpu(size_t size, uint64_t time)
{
	const uint64_t raw[] = { time == SUM ? 7 | 8ULL << 32 : 8 | 7ULL << 32, 5000, 3, chain[0], chain[1], chain[2], 99 };
	uint32_t raw_size = (uint32_t)(size + 4);

	put_sample(&file, 1, 0xffff800000001234, 0, time);
	put32(&file, raw_size);
	put(&file, raw, size);
	put32(&file, 0);
	end(&file);
	file.data[file.record + offsetof(struct perf_event_header, misc)] = PERF_RECORD_MISC_KERNEL;
}

static void put_name(const char *name)
{
	begin(&file, GPMU_PERFDATA_EVENT_UPDATE, 0);
	put64(&file, 2);
	put64(&file, 1);
	put_text(&file, name);
	end(&file);
}

/* Reads the last record of a pipe whose event has a name, and a sample with @size raw bytes. */
static const struct gpmu_perfdata_record *read_last(struct gpmu_perfdata **perfdata, const char *name, size_t size, uint64_t time)
{
	static struct gpmu_error error = { .size = sizeof(error) };
	struct perf_event_attr attr = test_attr();
	const struct gpmu_perfdata_record *record = NULL, *last = NULL;

	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	attr.sample_type |= PERF_SAMPLE_RAW;
	file.length = 0;
	put_pipe_header(&file);
	put_pipe_attr(&file, &attr, 1);
	put_name(name);
	put_off_cpu(size, time);
	*perfdata = open_made(&file, file.length, &error);
	while (*perfdata && gpmu_perfdata_next(*perfdata, &record, &error) == 1)
		last = record;
	return last && last->type == PERF_RECORD_SAMPLE ? last : NULL;
}

int main(void)
{
	enum { WHOLE = 56 };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;
	size_t wrong = 0;

	record = read_last(&perfdata, "offcpu-time", WHOLE, 100);
	ok(record && record->pid == 7 && record->tid == 8 && record->time == 100 && record->sample.period == 5000 &&
	   record->sample.cgroup == 99, "perfdata: a sample of offcpu-time has the thread, period and cgroup in its raw bytes");
	ok(record && record->has & PERF_SAMPLE_CALLCHAIN && record->sample.callchain_count == 3 &&
	   !memcmp(record->sample.callchain, chain, sizeof(chain)), "perfdata: a sample of offcpu-time has the call chain in its raw bytes");
	ok(record && record->sample.ip == 0x400010 && record->misc == PERF_RECORD_MISC_USER,
	   "perfdata: the address of a sample of offcpu-time is the first one of its call chain, in user space");
	gpmu_perfdata_free(perfdata);

	for (size_t size = 0; size < WHOLE; size += 8) {
		record = read_last(&perfdata, "offcpu-time", size, 100);
		wrong += !record || record->tid || record->sample.ip != 0xffff800000001234 || record->misc != PERF_RECORD_MISC_KERNEL;
		gpmu_perfdata_free(perfdata);
	}
	is_u64(wrong, 0, "perfdata: a sample of offcpu-time whose raw bytes are cut off keeps its own fields");
	record = read_last(&perfdata, "offcpu-time", WHOLE, SUM);
	ok(record && record->pid == 7 && record->tid == 8, "perfdata: the sum of a thread's short waits has the process before the thread");
	gpmu_perfdata_free(perfdata);
	record = read_last(&perfdata, "my-output", WHOLE, 100);
	ok(record && !record->tid && record->sample.ip == 0xffff800000001234, "perfdata: a sample of another event of BPF keeps its own fields");
	gpmu_perfdata_free(perfdata);
	return done_testing();
}
