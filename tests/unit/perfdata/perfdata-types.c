// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each type of record that perf 5.10 to 7.3 writes is read or skipped, and counted; so are files with the attributes of each release. */
#include <errno.h>

#include "perfdata-test.h"

/*
 * Bodies of zeros are valid: no path, no entries, no trace. perfdata.c and perfdata-tracing.c have the types that are not: SAMPLE,
 * HEADER_ATTR, HEADER_TRACING_DATA, COMPRESSED and COMPRESSED2.
 */
static const struct {
	uint32_t type;
	const char *name;
	size_t body;		/* bytes, of types of the kernel without the trailer */
} types[] = {
	{ 1, "MMAP", 40 }, { 2, "LOST", 16 }, { 3, "COMM", 16 }, { 4, "EXIT", 24 }, { 5, "THROTTLE", 24 },
	{ 6, "UNTHROTTLE", 24 }, { 7, "FORK", 24 }, { 8, "READ", 16 }, { 10, "MMAP2", 72 }, { 11, "AUX", 24 },
	{ 12, "ITRACE_START", 8 }, { 13, "LOST_SAMPLES", 8 }, { 14, "SWITCH", 0 }, { 15, "SWITCH_CPU_WIDE", 8 },
	{ 16, "NAMESPACES", 16 }, { 17, "KSYMBOL", 24 }, { 18, "BPF_EVENT", 16 }, { 19, "CGROUP", 16 },
	{ 20, "TEXT_POKE", 16 }, { 21, "AUX_OUTPUT_HW_ID", 8 }, { 22, "CALLCHAIN_DEFERRED", 16 },
	{ 65, "HEADER_EVENT_TYPE", 72 }, { 67, "HEADER_BUILD_ID", 36 },
	{ 68, "FINISHED_ROUND", 0 }, { 69, "ID_INDEX", 8 }, { 70, "AUXTRACE_INFO", 8 }, { 71, "AUXTRACE", 40 },
	{ 72, "AUXTRACE_ERROR", 104 }, { 73, "THREAD_MAP", 8 }, { 74, "CPU_MAP", 8 }, { 75, "STAT_CONFIG", 8 },
	{ 76, "STAT", 40 }, { 77, "STAT_ROUND", 16 }, { 78, "EVENT_UPDATE", 24 }, { 79, "TIME_CONV", 56 },
	{ 80, "HEADER_FEATURE", 8 }, { 82, "FINISHED_INIT", 0 }, { 84, "BPF_METADATA", 520 },
	{ 85, "SCHEDSTAT_CPU", 16 }, { 86, "SCHEDSTAT_DOMAIN", 16 }, { 200, "one of a later perf", 24 },
};

/* The releases' sizes of perf_event_attr */
static const struct {
	const char *perf;
	uint32_t size;
} releases[] = {
	{ "5.10", 120 }, { "5.15", 128 }, { "6.1", 128 }, { "6.12", 136 }, { "7.3", 144 }, { "a later perf", 152 },
};

static struct made records, file;

static struct gpmu_perfdata *open_file(size_t entry, uint32_t size)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct perf_event_attr attr = test_attr();
	static const char zeros[256];
	const uint64_t bits[4] = { 0 }, ids = 104, place = ids + 8, data = place + entry + 16;
	struct gpmu_perfdata *perfdata;

	attr.size = size;
	file.length = 0;
	put(&file, "PERFILE2", 8);
	put64(&file, 104);
	put64(&file, entry + 16);
	put64(&file, place);
	put64(&file, entry + 16);
	put64(&file, data);
	put64(&file, records.length);
	put64(&file, 0);
	put64(&file, 0);
	put(&file, bits, sizeof(bits));
	put64(&file, 1);
	put(&file, &attr, entry < sizeof(attr) ? entry : sizeof(attr));
	if (entry > sizeof(attr))
		put(&file, zeros, entry - sizeof(attr));
	put64(&file, ids);
	put64(&file, 8);
	put(&file, records.data, records.length);
	perfdata = open_made(&file, file.length, &error);
	if (!perfdata)
		diag("%s", error.text);
	return perfdata;
}

/* Counts the records of a file that was made. Sets the last one's fields. Returns 0 or -errno. */
static int read_all(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_stats *stats, uint64_t *ip)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	int ret = -EINVAL;

	*ip = 0;
	while (perfdata && (ret = gpmu_perfdata_next(perfdata, &record, &error)) > 0)
		if (record->type == PERF_RECORD_SAMPLE)
			*ip = record->sample.ip;
	if (ret)
		diag("%s", error.text);
	*stats = (struct gpmu_perfdata_stats){ .size = sizeof(*stats) };
	if (perfdata)
		gpmu_perfdata_get_stats(perfdata, stats);
	gpmu_perfdata_free(perfdata);
	return ret;
}

static void test_type(uint32_t type, const char *name, size_t body)
{
	static const char zeros[1024];
	const uint32_t slot = type < GPMU_PERFDATA_TYPES ? type : GPMU_PERFDATA_TYPES;
	struct gpmu_perfdata_stats stats;
	uint64_t ip;

	records.length = 0;
	begin(&records, type, 0);
	put(&records, zeros, body);
	if (type < 64) {
		put64(&records, 0);
		put64(&records, 0);
		put64(&records, 1);
	}
	end(&records);
	put_sample(&records, 1, 0x1234, 7, 200);
	ok(!read_all(open_file(MADE_ATTR, MADE_ATTR), &stats, &ip) && stats.records[slot] == 1 && ip == 0x1234,
	   "perfdata: type %u, %s, is counted, and the next record is read", type, name);
}

int main(void)
{
	struct gpmu_perfdata_stats stats;
	uint64_t ip;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		test_type(types[i].type, types[i].name, types[i].body);
	records.length = 0;
	put_comm(&records, "app", 7, 100, 1);
	put_sample(&records, 1, 0x5678, 7, 200);
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
		ok(!read_all(open_file(releases[i].size, releases[i].size), &stats, &ip) && ip == 0x5678 &&
		   stats.records[PERF_RECORD_COMM] == 1,
		   "perfdata: a file with an attribute of %u bytes, of %s, is read", releases[i].size, releases[i].perf);
	return done_testing();
}
