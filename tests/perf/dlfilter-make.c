// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes recordings for tests of the dlfilters, and prints the truth about them.
 *
 *   dlfilter-make spe FILE ELF      Arm SPE on two CPUs; ELF has the functions and data of places[].
 *                                   Prints "PERF CPU TIER FUNCTION DATA LATENCY", separated by tabs, for each load
 *                                   and store, where PERF is "old" (6.1, 6.12) or "new" (7.3).
 *   dlfilter-make traffic FILE      two counters and a leader. Prints "EVENT TIME COUNT" for each sample.
 */
#include <inttypes.h>
#include <stdio.h>

#include "perfdata/perfdata-test.h"
#include "spe/spe-test.h"

#define SPE_TYPE	77	/* of the PMU arm_spe_0 */
#define PID		4000
#define CPUS		2
#define RECORDS		900	/* of a CPU */
#define BASE		0x400000
#define STEP_NS		1000

static struct made records;

enum {
	FEATURE_ARCH = 6, FEATURE_NRCPUS = 7, FEATURE_CPUID = 9, FEATURE_EVENT_DESC = 12,
};

/* --- Arm SPE */

/* Symbols of the ELF file, by their distance from its start */
static const struct {
	const char *name;
	uint64_t address;
} functions[] = { { "walk", 0x1000 }, { "sum", 0x1100 } }, data[] = { { "table", 0x2000 }, { "list", 0x2100 } };

/* A load or store: the packets, and the tier in each perf. Event bits: 1 retired, 2 L1D access, 3 L1D refill, 8 LLC
 * access, 9 LLC miss, 10 remote. */
static const struct {
	bool is_store;
	int source;
	uint16_t events;
	const char *old, *new;
} kinds[] = {
	{ false, 0x0, 0x0006, "load L1", "load L1" },
	{ false, 0x8, 0x000e, "load L1 miss", "load L2" },
	{ false, 0x9, 0x000e, "load L1 miss", "load L2 of a peer" },
	{ false, 0xb, 0x010e, "load L3", "load L3" },
	{ false, 0xd, 0x070e, "load remote L3 miss", "load remote of a peer" },
	{ false, 0xe, 0x030e, "load L3 miss", "load RAM" },
	{ true, -1, 0x0006, "store L1", "store not recorded" },
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static void put_record(struct stream *stream, uint32_t cpu, uint64_t time)
{
	unsigned int kind = spe_below(COUNT(kinds) + 2), function = spe_below(2), object = spe_below(2);
	unsigned int latency = 4 + spe_below(900);

	put_packet(stream, 0xb0, (BASE + functions[function].address + 4 * spe_below(16)) | 1ull << 63);
	put_packet(stream, 0x65, PID);
	/* Arithmetic, of the vector unit too, has no address */
	if (kind >= COUNT(kinds)) {
		put_packet(stream, 0x48, kind == COUNT(kinds) ? 0 : 0x08);
		put_packet(stream, 0x52, 2);
	} else {
		put_packet(stream, 0x49, kinds[kind].is_store);
		put_packet(stream, 0x52, kinds[kind].events);
		put_packet(stream, 0x98, latency);
		put_packet(stream, 0xb2, BASE + data[object].address + 8 * spe_below(32));
		put_packet(stream, 0xb3, 0x4012345640ull | 1ull << 63);
		if (kinds[kind].source >= 0)
			put_packet(stream, 0x43, (uint64_t)kinds[kind].source);
		for (int new = 0; new < 2; new++)
			printf("%s\t%u\t%s\t%s\t%s\t%u\n", new ? "new" : "old", cpu,
			       new ? kinds[kind].new : kinds[kind].old, functions[function].name,
			       data[object].name, latency);
	}
	put_packet(stream, 0x71, time);
}

static void put_buffer(uint32_t cpu)
{
	static struct stream stream;

	stream.length = 0;
	for (unsigned int i = 0; i < RECORDS; i++)
		put_record(&stream, cpu, (uint64_t)STEP_NS * (CPUS * i + cpu + 1));
	put_pads(&stream, -stream.length & 7);
	put_auxtrace(&records, stream.length, 0, cpu);
	put(&records, stream.bytes, stream.length);
}

/* The sample_id of records of the kernel, as in attr_of() */
static void put_trailer(uint64_t time, uint64_t id)
{
	put32(&records, PID);
	put32(&records, PID);
	put64(&records, time);
	put64(&records, 0);
	put64(&records, id);
}

static void put_map(const char *elf, uint32_t prot, uint16_t misc)
{
	begin(&records, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | misc);
	put32(&records, PID);
	put32(&records, PID);
	put64(&records, BASE + (prot & 4 ? 0x1000 : 0x2000));
	put64(&records, 0x1000);
	put64(&records, prot & 4 ? 0x1000 : 0x2000);
	put64(&records, 0);
	put64(&records, 0);
	put64(&records, 0);
	put32(&records, prot);
	put32(&records, 2);
	put_text(&records, elf);
	put_trailer(0, 2);
	end(&records);
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type, .size = MADE_ATTR, .config = config, .sample_id_all = 1, .exclude_kernel = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
	};
}

static void put_event_desc(struct made *made, const struct perf_event_attr *attrs, const char *const *names,
			   uint32_t count)
{
	put32(made, count);
	put32(made, MADE_ATTR);
	for (uint32_t i = 0; i < count; i++) {
		put(made, &attrs[i], MADE_ATTR);
		put32(made, 1);
		put_string(made, names[i]);
		put64(made, i + 1);
	}
}

static int write_file(const char *path, const struct perf_event_attr *attrs, const char *const *names, uint32_t count)
{
	static struct made file, arch, cpus, cpuid, events;
	const struct feature features[] = {
		{ FEATURE_ARCH, &arch }, { FEATURE_NRCPUS, &cpus }, { FEATURE_CPUID, &cpuid },
		{ FEATURE_EVENT_DESC, &events },
	};
	FILE *out = fopen(path, "w");

	put_string(&arch, "aarch64");
	put32(&cpus, CPUS);
	put32(&cpus, CPUS);
	put_string(&cpuid, "0x00000000410fd4f0");
	put_event_desc(&events, attrs, names, count);
	make_file(&file, attrs, count, &records, features, COUNT(features));
	return !out || fwrite(file.data, 1, file.length, out) != file.length || fclose(out);
}

static int make_spe(const char *path, const char *elf)
{
	const struct perf_event_attr attrs[] = { attr_of(SPE_TYPE, 1), attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY) };
	static const char *const names[] = { "arm_spe_0/ts_enable=1/", "dummy:u" };

	/* TIME_CONV: a tick is a nanosecond */
	begin(&records, 79, 0);
	put64(&records, 0);
	put64(&records, 1);
	put64(&records, 0);
	put64(&records, 0);
	put64(&records, UINT64_MAX);
	put64(&records, 1);
	end(&records);
	put_auxtrace_info(&records, SPE_TYPE, 0);
	begin(&records, PERF_RECORD_COMM, 0);
	put32(&records, PID);
	put32(&records, PID);
	put_text(&records, "walker");
	put_trailer(0, 2);
	end(&records);
	put_map(elf, 5, 0);
	put_map(elf, 3, PERF_RECORD_MISC_MMAP_DATA);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		put_buffer(cpu);
	return write_file(path, attrs, names, COUNT(attrs));
}

/* --- leader sampling */

static int make_traffic(const char *path)
{
	static const char *const names[] = {
		"cpu-clock", "nvidia_scf_pmu_0/cmem_rd_data/", "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x1/",
		"nvidia_scf_pmu_0/cmem_rd_access/",
	};
	struct perf_event_attr attrs[COUNT(names)];
	uint64_t values[COUNT(names)] = { 0 };

	for (uint32_t i = 0; i < COUNT(names); i++) {
		attrs[i] = i ? attr_of(SPE_TYPE + i, i) : attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
		attrs[i].sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_PERIOD;
		attrs[i].read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	}
	attrs[0].sample_period = 10000000;
	/* A sample each 10 ms for a second. In the second half, nothing is read over PCIe. */
	for (unsigned int n = 0; n <= 100; n++) {
		uint64_t time = 5000000000 + n * 10000000ull;

		for (uint32_t i = 0; i < COUNT(names); i++)
			values[i] += i == 0 ? 10000000 : i == 2 && n > 50 ? 0 : 1000 + spe_below(1000000);
		begin(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		put64(&records, 1);
		put64(&records, BASE);
		put32(&records, PID);
		put32(&records, PID);
		put64(&records, time);
		put64(&records, 0);
		put64(&records, 10000000);
		put64(&records, COUNT(names));
		for (uint32_t i = 0; i < COUNT(names); i++) {
			put64(&records, values[i]);
			put64(&records, i + 1);
			printf("%s %" PRIu64 " %" PRIu64 "\n", names[i], time - 5000000000, values[i]);
		}
		end(&records);
	}
	return write_file(path, attrs, names, COUNT(names));
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "spe"))
		return make_spe(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "traffic"))
		return make_traffic(argv[2]);
	return 2;
}
