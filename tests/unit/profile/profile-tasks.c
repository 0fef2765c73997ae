// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and maps of threads are found for any time, in whatever order their records came. */
#include <time.h>

#include "tap.h"
#include "profile/profile_tasks.h"

static struct profile_tasks tasks;

static void comm(uint32_t pid, uint32_t tid, const char *name, uint64_t time, bool is_exec)
{
	struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_COMM, .misc = is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0, .pid = pid, .tid = tid,
		.time = time,
		.comm = name,
	};

	profile_tasks_add(&tasks, &record);
}

static void fork_misc(uint32_t pid, uint32_t ppid, uint32_t tid, uint64_t time, uint16_t misc)
{
	struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_FORK, .misc = misc, .time = time,
		.task = { .pid = pid, .ppid = ppid, .tid = tid, .ptid = ppid, .time = time },
	};

	profile_tasks_add(&tasks, &record);
}

static void fork_of(uint32_t pid, uint32_t ppid, uint32_t tid, uint64_t time)
{
	fork_misc(pid, ppid, tid, time, 0);
}

static void mapped(uint32_t pid, uint64_t addr, uint64_t len, const char *file, uint64_t time)
{
	struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_MMAP2, .pid = pid, .tid = pid, .time = time,
		.mmap = { .addr = addr, .len = len, .pgoff = 0x40, .file = file },
	};

	profile_tasks_add(&tasks, &record);
}

static const char *file_at(uint32_t pid, uint64_t address, uint64_t time)
{
	struct profile_range range = PROFILE_RANGE_ALL;
	const struct profile_map *map = profile_tasks_map(&tasks, pid, address, time, &range);

	return map ? profile_tasks_file(&tasks, map) : "none";
}

static void test_names(void)
{
	comm(10, 10, "app", 100, true);
	comm(10, 10, "bash", 0, false);
	fork_of(10, 10, 11, 150);
	comm(10, 11, "worker", 200, false);
	fork_of(10, 98, 12, 150);
	fork_of(20, 10, 20, 150);
	comm(10, 10, "renamed", 300, false);
	comm(30, 30, "made", 0, false);
	fork_of(30, 10, 30, 0);
	profile_tasks_sort(&tasks);
	is_str(profile_tasks_name(&tasks, 10, 50), "bash", "profile: a thread has its first name before it is renamed");
	is_str(profile_tasks_name(&tasks, 10, 100), "app", "profile: a thread has its new name from the time of COMM on");
	is_str(profile_tasks_name(&tasks, 11, 160), "app", "profile: a new thread has the name of its process");
	is_str(profile_tasks_name(&tasks, 11, 200), "worker", "profile: a thread has a name of its own");
	is_str(profile_tasks_name(&tasks, 20, 400), "app",
	       "profile: a child of fork() has the name that its parent had at the time of FORK");
	is_str(profile_tasks_name(&tasks, 30, 0), "made", "profile: a thread has its own name if FORK and COMM have the same time");
	is_str(profile_tasks_name(&tasks, 12, 160), "app",
	       "profile: a thread whose creator is not known has the name of its process");
	ok(!profile_tasks_name(&tasks, 99, 100), "profile: an unknown thread has no name");
	is_u64(profile_tasks_pid(&tasks, 11, 160), 10, "profile: a thread has its process");
	is_u64(profile_tasks_pid(&tasks, 99, 160), 99, "profile: an unknown thread is its own process");
	profile_tasks_release(&tasks);
}

/* Returns whether a sample of thread @tid is of a task outside the PID namespace. @sample: its mode, call chain and raw bytes */
static bool is_outside(uint32_t tid, uint16_t mode, const struct gpmu_perfdata_sample *sample, uint32_t type)
{
	const struct perf_event_attr attr = { .type = type };
	const struct gpmu_perfdata_event event = { .attr = &attr };
	const struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_SAMPLE, .misc = mode, .event = &event, .has = PERF_SAMPLE_TID, .pid = tid, .tid = tid, .sample = *sample,
	};

	return profile_tasks_is_outside(&record);
}

static void test_outside(void)
{
	static const uint64_t kernel[] = { (uint64_t)PERF_CONTEXT_KERNEL, 1 }, user[] = { (uint64_t)PERF_CONTEXT_KERNEL, 1,
		(uint64_t)PERF_CONTEXT_USER, 2 }, deferred[] = { (uint64_t)PERF_CONTEXT_KERNEL, 1, (uint64_t)-640, 3 };
	static const uint32_t running[] = { 0, 77 }, idle[] = { 0, 0 };
	static const struct {
		const char *what;
		uint32_t tid, type;
		uint16_t mode;
		struct gpmu_perfdata_sample sample;
		bool is_outside;
	} cases[] = {
		{ "a thread in user space is not", 7, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_USER, { 0 }, false },
		{ "thread 0 in user space is", 0, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_USER, { 0 }, true },
		{ "thread -1 in user space is", UINT32_MAX, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_USER, { 0 }, true },
		{ "thread 0 in the kernel is not", 0, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_KERNEL,
		  { .callchain = kernel, .callchain_count = 2 }, false },
		{ "thread 0 in the hypervisor is not", 0, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_HYPERVISOR, { 0 }, false },
		{ "thread 0 in a guest is", 0, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_GUEST_KERNEL, { 0 }, true },
		{ "thread 0 in the kernel with callers in user space is", 0, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_KERNEL,
		  { .callchain = user, .callchain_count = 4 }, true },
		{ "thread 0 in the kernel with a deferred stack is", 0, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_KERNEL,
		  { .callchain = deferred, .callchain_count = 4 }, true },
		{ "thread 0 in the kernel with registers of user space is", 0, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_KERNEL,
		  { .user = { .abi = PERF_SAMPLE_REGS_ABI_64 } }, true },
		{ "thread -1 in the kernel with registers of user space is not", UINT32_MAX, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_KERNEL,
		  { .user = { .abi = PERF_SAMPLE_REGS_ABI_64 } }, false },
		{ "thread -1 in the kernel with callers in user space is not", UINT32_MAX, PERF_TYPE_HARDWARE, PERF_RECORD_MISC_KERNEL,
		  { .callchain = user, .callchain_count = 4 }, false },
		{ "thread 0 at a tracepoint of another thread is", 0, PERF_TYPE_TRACEPOINT, PERF_RECORD_MISC_KERNEL,
		  { .raw = running, .raw_size = sizeof(running) }, true },
		{ "thread 0 at a tracepoint of thread 0 is not", 0, PERF_TYPE_TRACEPOINT, PERF_RECORD_MISC_KERNEL,
		  { .raw = idle, .raw_size = sizeof(idle) }, false },
		{ "thread 0 with raw bytes of another event is not", 0, PERF_TYPE_RAW, PERF_RECORD_MISC_KERNEL,
		  { .raw = running, .raw_size = sizeof(running) }, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(is_outside(cases[i].tid, cases[i].mode, &cases[i].sample, cases[i].type) == cases[i].is_outside,
		   "profile: a sample of %s one of a task outside the PID namespace", cases[i].what);
}

static void test_maps(void)
{
	mapped(10, 0x1000, 0x9000, "/bin/app", 100);
	mapped(10, 0x3000, 0x1000, "/lib/libm.so", 200);
	mapped(10, 0x1000, 0x100, "/bin/bash", 0);
	comm(10, 10, "app", 90, true);
	fork_of(20, 10, 20, 150);
	mapped(20, 0x20000, 0x1000, "/lib/own.so", 160);
	comm(20, 20, "other", 300, true);
	mapped(20, 0x1000, 0x1000, "/bin/other", 310);
	mapped(PROFILE_KERNEL, 0xffff800000000000, 0x7fffffffffff, "[kernel.kallsyms]_text", 0);
	profile_tasks_sort(&tasks);
	is_str(file_at(10, 0x1050, 50), "/bin/bash", "profile: before exec() an address is in the map of that time");
	is_str(file_at(10, 0x1050, 95), "none", "profile: exec() removes maps");
	is_str(file_at(10, 0x3500, 199), "/bin/app", "profile: an address is in the map of its time");
	is_str(file_at(10, 0x3500, 200), "/lib/libm.so", "profile: a later map replaces the part that it covers");
	is_str(file_at(10, 0x4000, 200), "/bin/app", "profile: the end of a map is exclusive");
	is_str(file_at(10, 0x9fff, 250), "/bin/app", "profile: a map continues after one that covers a part of it");
	is_str(file_at(10, 0xa000, 250), "none", "profile: an address after all maps has none");
	is_str(file_at(20, 0x3500, 250), "/bin/app", "profile: a child of fork() has the maps that its parent had at that time");
	is_str(file_at(20, 0x20010, 250), "/lib/own.so", "profile: a child of fork() has its own maps");
	is_str(file_at(20, 0x3500, 320), "none", "profile: exec() removes the parent's maps");
	is_str(file_at(20, 0x1010, 320), "/bin/other", "profile: maps after exec() are those of the new program");
	is_str(file_at(PROFILE_KERNEL, 0xffff800000001234, 5), "[kernel.kallsyms]_text", "profile: the kernel has its own maps");
	profile_tasks_release(&tasks);
}

/* Processes that ran before perf */
static void test_made_forks(void)
{
	comm(50, 50, "parent", 0, false);
	mapped(50, 0x1000, 0x9000, "/bin/parent", 0);
	fork_misc(60, 50, 60, 0, 1 << 13);
	mapped(60, 0x20000, 0x1000, "/bin/child", 0);
	fork_of(70, 60, 70, 100);
	profile_tasks_sort(&tasks);
	is_str(file_at(60, 0x1050, 10), "none", "profile: a process whose FORK was made by perf has no maps of its parent");
	is_str(file_at(60, 0x20050, 10), "/bin/child", "profile: a process whose FORK was made by perf has its own maps");
	is_str(file_at(70, 0x20050, 110), "/bin/child", "profile: a child of a process whose FORK was made by perf has that process's maps");
	is_str(file_at(70, 0x1050, 110), "none", "profile: a grandchild has no maps beyond a FORK that was made by perf");
	is_str(profile_tasks_name(&tasks, 60, 10), "parent", "profile: a process without COMM whose FORK was made by perf has the name of its parent");
	profile_tasks_release(&tasks);
}

/* Functions of just-in-time compilers in memory that is mapped again */
static void test_functions(void)
{
	const struct profile_map *map;
	struct profile_range range = PROFILE_RANGE_ALL;

	mapped(10, 0x1000, 0x3000, "//anon", 50);
	mapped(10, 0x1000, 0x100, PROFILE_JIT "first", 100);
	mapped(10, 0x2000, 0x100, PROFILE_JIT "second", 110);
	mapped(10, 0x1000, 0x2000, "//anon", 120);
	mapped(10, 0x2000, 0x1000, "[heap]", 130);
	mapped(10, 0x2000, 0x1000, "/memfd:code (deleted)", 140);
	fork_of(20, 10, 20, 150);
	mapped(20, 0x1000, 0x1000, "//anon", 160);
	mapped(10, 0x1000, 0x80, PROFILE_JIT "third", 200);
	mapped(10, 0x2000, 0x1000, "/lib/late.so", 300);
	mapped(10, 0x2000, 0x1000, "//anon", 400);
	comm(20, 20, "other", 500, true);
	mapped(20, 0x1000, 0x1000, "//anon", 510);
	profile_tasks_sort(&tasks);
	is_str(file_at(10, 0x1010, 99), "//anon", "profile: before a function is compiled, its address is in memory");
	is_str(file_at(10, 0x1010, 119), PROFILE_JIT "first", "profile: a compiled function replaces the memory that it is in");
	is_str(file_at(10, 0x1010, 120), PROFILE_JIT "first", "profile: memory that is mapped again hides no function in it");
	is_str(file_at(10, 0x1100, 120), "//anon", "profile: an address after the end of a function is in memory");
	is_str(file_at(10, 0x2010, 145), PROFILE_JIT "second", "profile: no name of memory hides a function");
	is_str(file_at(10, 0x1010, 200), PROFILE_JIT "third", "profile: a later function replaces the one at its address");
	is_str(file_at(10, 0x2010, 300), "/lib/late.so", "profile: a file that is mapped replaces a function");
	is_str(file_at(10, 0x2010, 400), "//anon", "profile: memory that replaces a file does not show the function from before the file");
	is_str(file_at(20, 0x1010, 160), PROFILE_JIT "first", "profile: memory that a child of fork() maps again hides no function of its parent");
	is_str(file_at(20, 0x1010, 510), "//anon", "profile: exec() removes functions");
	map = profile_tasks_map(&tasks, 10, 0x1040, 250, &range);
	ok(map && range.begin == 0x1000 && range.end == 0x1080, "profile: the range of a function ends where another begins or ends");
	profile_tasks_release(&tasks);
}

/* Many maps that overlap, beside a search of all */
enum { COUNT = 500, LAST = 1100 };
static struct { uint64_t begin, end, time; } all[COUNT];

static uint64_t best_at(uint64_t address, uint64_t time)
{
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < COUNT; i++)
		if (all[i].time <= time && all[i].begin <= address && address < all[i].end)
			best = all[i].time;
	return best;
}

static void test_many(void)
{
	uint64_t state = 1, wrong = 0, outside = 0, other = 0, ranges = 0;

	for (size_t i = 0; i < COUNT; i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		all[i].begin = state >> 54;
		all[i].end = all[i].begin + 1 + (state >> 40) % 60;
		all[i].time = i;
		mapped(1, all[i].begin, all[i].end - all[i].begin, "f", all[i].time);
	}
	profile_tasks_sort(&tasks);
	for (uint64_t time = 0; time < COUNT; time += 37) {
		struct profile_range known = { 0, 0 };

		for (uint64_t address = 0; address < LAST; address++) {
			struct profile_range range = { 0, UINT64_MAX };
			const struct profile_map *map = profile_tasks_map(&tasks, 1, address, time, &range);

			wrong += (map ? map->time : UINT64_MAX) != best_at(address, time);
			outside += address < range.begin || address >= range.end;
			other += address > 0 && address < known.end && best_at(address, time) != best_at(address - 1, time);
			other += range.begin < address && best_at(address, time) != best_at(address - 1, time);
			ranges += address >= known.end;
			known = range;
		}
	}
	is_u64(wrong, 0, "profile: among maps that overlap the latest is found");
	is_u64(outside, 0, "profile: the range of addresses in a map has the address");
	is_u64(other, 0, "profile: all addresses of a range have the same map");
	ok(ranges < 6000, "profile: neighbouring addresses share a range (%llu)", (unsigned long long)ranges);
	profile_tasks_release(&tasks);
}

/* A program that maps the same addresses again and again */
static void test_again(void)
{
	enum { AGAIN = 100000, LOOKUPS = 20000 };
	uint64_t wrong = 0;
	clock_t begin;

	for (uint64_t i = 0; i < AGAIN; i++)
		mapped(1, 0x1000, 0x1000, "f", i);
	profile_tasks_sort(&tasks);
	begin = clock();
	for (uint64_t i = 0; i < LOOKUPS; i++) {
		struct profile_range range = PROFILE_RANGE_ALL;
		const struct profile_map *map = profile_tasks_map(&tasks, 1, 0x1100, i * 5, &range);

		wrong += !map || map->time != i * 5;
	}
	is_u64(wrong, 0, "profile: of many maps of the same addresses, the one of the time is found");
	ok(clock() - begin < CLOCKS_PER_SEC, "profile: to find one of many maps of the same addresses needs no walk over all of them");
	profile_tasks_release(&tasks);
}

int main(void)
{
	test_names();
	test_outside();
	test_maps();
	test_made_forks();
	test_functions();
	test_many();
	test_again();
	return done_testing();
}
