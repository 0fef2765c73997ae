// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copies of this program's own stack and registers, as perf record --call-graph dwarf makes them, have the frames that
 * backtrace(3) finds.
 */
#include <execinfo.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "perfdata/perfdata-test.h"
#include "profile/profile_unwind.h"

#define STACK	16384
#define DEPTH	5

/* Numbers of asm/perf_regs.h */
#ifdef __x86_64__
#define REGISTERS	24
static const int places[REGISTERS] = {
	REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP, -1, -1, -1, -1, -1, -1, -1,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};
#define VALUE(context, number)	((uint64_t)(context)->uc_mcontext.gregs[places[number]])
#define HAS(number)		(places[number] >= 0)
#define SP	7
#define PC	8
#elif defined(__aarch64__)
#define REGISTERS	33
#define VALUE(context, number)	((number) < 31 ? (context)->uc_mcontext.regs[number] : (number) == 31 ? \
				 (context)->uc_mcontext.sp : (context)->uc_mcontext.pc)
#define HAS(number)		true
#define SP	31
#define PC	32
#else
#define REGISTERS	0
#endif

static struct {
	uint64_t registers[33], mask, stack[STACK / 8];
	size_t count, size;
	void *frames[64];
	int frame_count;
} copy;

#if REGISTERS
/* AddressSanitizer refuses reads of a whole stack. */
__attribute__((no_sanitize("address"))) static void copy_stack(uint64_t sp)
{
	const volatile uint64_t *from = (const volatile uint64_t *)sp;

	for (size_t i = 0; i < copy.size / 8; i++)
		copy.stack[i] = from[i];
}

/* Takes the copy, where the frames are those of main(), deeper() and this function. */
__attribute__((noinline)) static int take_copy(uint64_t top)
{
	ucontext_t context;
	uint64_t sp;

	getcontext(&context);
	copy.frame_count = backtrace(copy.frames, 64);
	for (unsigned int i = 0; i < REGISTERS; i++) {
		if (!HAS(i))
			continue;
		copy.mask |= 1ULL << i;
		copy.registers[copy.count++] = VALUE(&context, i);
	}
	sp = VALUE(&context, SP);
	copy.size = top - sp < STACK ? (top - sp) & ~7ULL : STACK;
	copy_stack(sp);
	return 1;
}

__attribute__((noinline)) static int deeper(int depth, uint64_t top)
{
	volatile int result = depth ? deeper(depth - 1, top) : take_copy(top);

	return result + 1;
}

static void add_maps(struct profile_tasks *tasks)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512], name[256], rights[8];
	unsigned long long begin, end, offset;

	while (file && fgets(line, sizeof(line), file)) {
		struct gpmu_perfdata_record record = { .type = PERF_RECORD_MMAP2, .pid = 7, .tid = 7 };

		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %255s", &begin, &end, rights, &offset, name) != 5 || rights[2] != 'x')
			continue;
		record.mmap = (struct gpmu_perfdata_mmap){ .addr = begin, .len = end - begin, .pgoff = offset, .file = name };
		if (profile_tasks_add(tasks, &record))
			abort();
	}
	if (file)
		fclose(file);
	profile_tasks_sort(tasks);
}

static size_t unwind_of(struct profile_tasks *tasks, struct gpmu_perfdata_info *info, uint64_t *addresses)
{
	const struct perf_event_attr attr = { .sample_regs_user = copy.mask };
	const struct gpmu_perfdata_event event = { .attr = &attr };
	const struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_SAMPLE, .event = &event, .pid = 7, .tid = 7, .time = 1,
		.has = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER,
		.sample = {
			.stack = copy.stack, .stack_size = copy.size, .stack_used = copy.size,
			.user = { .abi = PERF_SAMPLE_REGS_ABI_64, .values = copy.registers, .count = copy.count },
		},
	};
	struct profile_unwind unwind = { .tasks = tasks, .info = info };
	size_t count = 0, again = 0;

	if (profile_unwind(&unwind, &record, addresses, &count) || profile_unwind(&unwind, &record, addresses, &again) || count != again)
		abort();
	profile_unwind_release(&unwind);
	return count;
}

static void test_frames(void)
{
	struct gpmu_perfdata_build_id build_id = { .id = { 1, 2, 3 }, .size = 20 };
	struct gpmu_perfdata_info info = { 0 };
	uint64_t addresses[PROFILE_UNWIND_MOST];
	struct profile_tasks tasks = { 0 };
	size_t count, same = 0, whole = copy.size;
	char program[512] = "";
	struct utsname name;
	int at = 1;

	uname(&name);
	info.arch = name.machine;
	add_maps(&tasks);
	count = unwind_of(&tasks, &info, addresses);
	/* The first frame is take_copy(), at another address. A sanitizer's frame may be in front of it. */
	while (at < copy.frame_count && (count < 2 || (uint64_t)(uintptr_t)copy.frames[at] != addresses[1]))
		at++;
	for (size_t i = 1; i < count && i < DEPTH + 3 && at < copy.frame_count; i++, at++)
		same += addresses[i] == (uint64_t)(uintptr_t)copy.frames[at];
	ok(same == DEPTH + 2, "unwind: a copy of a stack has the return addresses of all its frames (%zu)", same);
	copy.size = 64;
	count = unwind_of(&tasks, &info, addresses);
	ok(count >= 1 && count < DEPTH, "unwind: a copy that ends early has the frames before (%zu)", count);
	copy.size = whole;
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		abort();
	build_id.file = program;
	info.build_ids = &build_id;
	info.build_id_count = 1;
	ok(unwind_of(&tasks, &info, addresses) == 1, "unwind: a file with another build id than recorded has the innermost frame only");
	info.build_id_count = 0;
	info.arch = (char *)"sparc64";
	ok(!unwind_of(&tasks, &info, addresses), "unwind: stacks of other machines are not unwound");
	profile_tasks_release(&tasks);
}

static uint64_t random_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return state >> 16 ^ state << 32;
}

/* Any stack and registers are unwound to some frames, beginning with the program counter. */
static void test_random(void)
{
	struct gpmu_perfdata_info info = { 0 };
	uint64_t addresses[PROFILE_UNWIND_MOST], pc = 0;
	struct profile_tasks tasks = { 0 };
	struct utsname name;
	size_t wrong = 0;

	uname(&name);
	info.arch = name.machine;
	add_maps(&tasks);
	copy.size = 1024;
	for (int i = 0; i < 300; i++) {
		size_t place = 0;

		for (size_t k = 0; k < copy.size / 8; k++)
			copy.stack[k] = random_number() % 3 ? (uint64_t)(uintptr_t)copy.frames[random_number() % 4] + random_number() % 64 :
					random_number();
		for (unsigned int k = 0; k < REGISTERS; k++) {
			if (!HAS(k))
				continue;
			if (k == PC)
				copy.registers[place] = pc = (uint64_t)(uintptr_t)copy.frames[1] + random_number() % 256;
			else if (k != SP)
				copy.registers[place] = copy.registers[place] + random_number() % 512;
			place++;
		}
		wrong += unwind_of(&tasks, &info, addresses) < 1 || addresses[0] != pc;
	}
	ok(!wrong, "unwind: copies of stacks with random content are unwound to some frames");
	profile_tasks_release(&tasks);
}

int main(void)
{
	int local;

	ok(deeper(DEPTH, (uint64_t)(uintptr_t)&local + 512) == DEPTH + 2, "unwind: a copy of the stack is taken");
	test_frames();
	test_random();
	return done_testing();
}
#else
int main(void)
{
	ok(true, "unwind: this machine's stacks are not unwound");
	return done_testing();
}
#endif
