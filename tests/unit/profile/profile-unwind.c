// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copies of this program's own stack and registers, as perf record --call-graph dwarf makes them, have the frames that
 * backtrace(3) finds.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "perfdata/perfdata-test.h"
#include "profile/profile_jitdump.h"
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
#define BP	6
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

static void add_maps(struct profile_tasks *tasks, uint32_t pid, uint64_t time)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512], name[256], rights[8];
	unsigned long long begin, end, offset;

	while (file && fgets(line, sizeof(line), file)) {
		struct gpmu_perfdata_record record = { .type = PERF_RECORD_MMAP2, .pid = pid, .tid = pid, .time = time };

		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %255s", &begin, &end, rights, &offset, name) != 5 || rights[2] != 'x')
			continue;
		record.mmap = (struct gpmu_perfdata_mmap){ .addr = begin, .len = end - begin, .pgoff = offset, .file = name };
		if (profile_tasks_add(tasks, &record))
			abort();
	}
	if (file)
		fclose(file);
}

/* Finds the addresses of the stack in a process at a time. Returns their number. */
static size_t unwind_at(struct profile_unwind *unwind, uint32_t pid, uint64_t time, uint64_t *addresses)
{
	const struct perf_event_attr attr = { .sample_regs_user = copy.mask };
	const struct gpmu_perfdata_event event = { .attr = &attr };
	const struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_SAMPLE, .event = &event, .pid = pid, .tid = pid, .time = time,
		.has = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER,
		.sample = {
			.stack = copy.stack, .stack_size = copy.size, .stack_used = copy.size,
			.user = { .abi = PERF_SAMPLE_REGS_ABI_64, .values = copy.registers, .count = copy.count },
		},
	};
	size_t count = 0;

	if (profile_unwind(unwind, &record, addresses, &count))
		abort();
	return count;
}

/* The parts of a profile that unwinding needs */
struct rig {
	struct utsname name;
	struct gpmu_perfdata_info info;
	struct profile_tasks tasks;
	struct strings texts;
	struct profile_code code;
	struct profile_unwind unwind;
};

static void rig_init(struct rig *rig)
{
	*rig = (struct rig){ .code = { .tasks = &rig->tasks, .info = &rig->info, .texts = &rig->texts }, .unwind = { .code = &rig->code } };
	uname(&rig->name);
	rig->info.arch = rig->name.machine;
}

static void start(struct rig *rig)
{
	profile_tasks_sort(&rig->tasks);
	if (profile_code_begin(&rig->code))
		abort();
}

static void release(struct rig *rig)
{
	profile_unwind_release(&rig->unwind);
	profile_code_release(&rig->code);
	profile_tasks_release(&rig->tasks);
	strings_release(&rig->texts);
}

/* Unwinds the stack, in a process with this program's maps. @file: whose build id is not the recorded one; NULL: none */
static size_t unwind_of(const char *arch, const char *file, uint64_t *addresses)
{
	struct gpmu_perfdata_build_id build_id = { .id = { 1, 2, 3 }, .size = 20, .file = (char *)file };
	struct rig rig;
	size_t count;

	rig_init(&rig);
	if (arch)
		rig.info.arch = (char *)arch;
	rig.info.build_ids = &build_id;
	rig.info.build_id_count = file != NULL;
	add_maps(&rig.tasks, 7, 0);
	start(&rig);
	count = unwind_at(&rig.unwind, 7, 1, addresses);
	if (unwind_at(&rig.unwind, 7, 1, addresses) != count)
		abort();
	release(&rig);
	return count;
}

/* The C library, which is large enough to have an address of this program */
static const char *library(void)
{
	Dl_info found;

	return dladdr(dlsym(RTLD_DEFAULT, "fopen"), &found) ? found.dli_fname : "";
}

/* A map of this program's code is that of another file for a process at first. */
static void add_before(struct profile_tasks *tasks, const char *file, uint32_t pid)
{
	struct gpmu_perfdata_record record = { .type = PERF_RECORD_MMAP2, .pid = pid, .tid = pid };

	record.mmap = (struct gpmu_perfdata_mmap){ .addr = ((uint64_t)(uintptr_t)copy.frames[0] & ~0xfffULL) - 0x80000, .len = 1 << 20, .file = file };
	if (profile_tasks_add(tasks, &record))
		abort();
}

/* Many processes, in turn, with few descriptors */
static void test_processes(void)
{
	enum { COUNT = 100, SPARE = 20, OTHER = 5 };
	uint64_t addresses[PROFILE_UNWIND_MAX];
	size_t count = 0, wrong = 0, early;
	struct rlimit limit, low;
	struct rig rig;

	rig_init(&rig);
	for (uint32_t pid = 1; pid <= COUNT; pid++) {
		if (pid == OTHER)
			add_before(&rig.tasks, library(), pid);
		add_maps(&rig.tasks, pid, pid == OTHER ? 10 : 0);
	}
	start(&rig);
	if (getrlimit(RLIMIT_NOFILE, &limit))
		abort();
	low = (struct rlimit){ .rlim_cur = SPARE, .rlim_max = limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &low);
	early = unwind_at(&rig.unwind, OTHER, 5, addresses);
	count = unwind_at(&rig.unwind, OTHER, 20, addresses);
	for (uint32_t i = 0; i < 2 * COUNT; i++)
		wrong += unwind_at(&rig.unwind, 1 + i % COUNT, 20, addresses) != count;
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(count > DEPTH && !wrong, "unwind: with few descriptors, each of many processes has all its frames (%zu, %zu wrong)", count, wrong);
	ok(early < count, "unwind: a process has all its frames after another file had the same addresses (%zu, %zu)", early, count);
	release(&rig);
}

#ifdef __x86_64__
/*
 * This program called a function of the C library, which called a function of this program. At the entry of a function, its return
 * address is on top of the stack. RBP points to bytes that look like a frame, but are none.
 */
static void test_library(void)
{
	const uint64_t ours = (uint64_t)(uintptr_t)take_copy, theirs = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
	const uint64_t base = 0x7fff00000000, stack[] = { theirs + 1, ours + 1, 0, 0, 0, ours + 2 };
	uint64_t addresses[PROFILE_UNWIND_MAX];
	struct rig rig;
	size_t count;

	memcpy(copy.stack, stack, sizeof(stack));
	copy.size = sizeof(stack);
	copy.mask = 1 << BP | 1 << SP | 1 << PC;
	copy.count = 3;
	memcpy(copy.registers, (const uint64_t[]){ base + 32, base, ours }, 3 * sizeof(uint64_t));
	rig_init(&rig);
	add_maps(&rig.tasks, 7, 0);
	start(&rig);
	count = unwind_at(&rig.unwind, 7, 1, addresses);
	ok(count == 3 && addresses[0] == ours && addresses[1] == theirs + 1 && addresses[2] == ours + 1,
	   "unwind: the first stack of a process has the caller of a frame in another file than the innermost frame (%zu)", count);
	release(&rig);
}
#endif

#ifdef __x86_64__
/*
 * Unwinds a stack whose innermost frame is at the entry of a function, so that the return address is on top of the stack. RBP points to
 * the frame of a caller in this program.
 */
static size_t unwind_return(uint64_t address, uint64_t addresses[PROFILE_UNWIND_MAX])
{
	const uint64_t ours = (uint64_t)(uintptr_t)take_copy, base = 0x7fff00000000;
	const uint64_t stack[] = { address, 2, 3, 4, 0, ours + 1 };
	struct gpmu_perfdata_record data = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_MMAP_DATA, .pid = 7, .tid = 7 };
	struct rig rig;
	size_t count;

	memcpy(copy.stack, stack, sizeof(stack));
	copy.size = sizeof(stack);
	copy.mask = 1 << BP | 1 << SP | 1 << PC;
	copy.count = 3;
	memcpy(copy.registers, (const uint64_t[]){ base + 32, base, ours }, 3 * sizeof(uint64_t));
	rig_init(&rig);
	add_maps(&rig.tasks, 7, 0);
	data.mmap = (struct gpmu_perfdata_mmap){ .addr = 0x10000, .len = 0x1000, .file = "//anon" };
	if (profile_tasks_add(&rig.tasks, &data))
		abort();
	start(&rig);
	count = unwind_at(&rig.unwind, 7, 1, addresses);
	if (addresses[0] != ours)
		abort();
	release(&rig);
	return count;
}

/* perf prints these frames, and no others. */
static void test_outermost(void)
{
	uint64_t addresses[PROFILE_UNWIND_MAX];
	size_t count;

	is_u64(unwind_return(1, addresses), 1, "unwind: the number of arguments on top of a new process's stack, 1, is no return address");
	is_u64(unwind_return(0x10080, addresses), 1, "unwind: an address in data is no return address");
	count = unwind_return(0x20080, addresses);
	ok(count == 3 && addresses[1] == 0x20080 && addresses[2] == (uint64_t)(uintptr_t)take_copy + 1,
	   "unwind: from an address without a map, the stack goes on by frame pointers (%zu)", count);
}

/* A function of a just-in-time compiler whose frame is 24 bytes, and whose code is 64 bytes */
static const uint8_t eh_frame[] = {
	/* CIE: version 1, "zR", alignments 1 and -8, return address in register 16, pointers relative to themselves; CFA is RSP + 8 */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0, 0,
	/* FDE: 64 bytes of code, which begins 96 bytes before this pointer; CFA is RSP + 24 */
	20, 0, 0, 0, 28, 0, 0, 0, 0xa0, 0xff, 0xff, 0xff, 64, 0, 0, 0, 0, 14, 24, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};

/* Frames of compiled code: of a function with unwinding information, and of one with frame pointers, both below this program */
static void test_compiled(void)
{
	static const char *const names[] = { PROFILE_JIT "described", PROFILE_JIT "pointers" };
	const uint64_t ours = (uint64_t)(uintptr_t)take_copy, base = 0x7fff00000000, code = 0x10000000;
	const uint64_t stack[] = { 1, 2, code + 0x150, 3, base + 48, 4, 0, ours + 1, 5, 6 };
	struct profile_jitdumps dumps = { 0 };
	uint64_t addresses[PROFILE_UNWIND_MAX];
	struct profile_jit_frames frames = { .data = (void *)(uintptr_t)eh_frame, .size = sizeof(eh_frame) };
	struct rig rig;
	size_t count;

	dumps.frames.list = &frames;
	dumps.frames.n = 1;
	memcpy(copy.stack, stack, sizeof(stack));
	copy.size = sizeof(stack);
	copy.mask = 1 << BP | 1 << SP | 1 << PC;
	copy.count = 3;
	memcpy(copy.registers, (const uint64_t[]){ base + 48, base, code + 0x10 }, 3 * sizeof(uint64_t));
	rig_init(&rig);
	rig.code.jitdumps = &dumps;
	add_maps(&rig.tasks, 7, 0);
	for (uint64_t i = 0; i < 2; i++) {
		struct gpmu_perfdata_record record = { .type = PERF_RECORD_MMAP2, .pid = 7, .tid = 7 };

		record.mmap = (struct gpmu_perfdata_mmap){ .addr = code + i * 0x100, .len = i ? 0x100 : 64, .ino = i ? 0 : 1, .file = names[i] };
		if (profile_tasks_add(&rig.tasks, &record))
			abort();
	}
	start(&rig);
	count = unwind_at(&rig.unwind, 7, 1, addresses);
	ok(count >= 2 && addresses[1] == code + 0x150, "unwind: a function of a jitdump is unwound by its unwinding information (%zu)", count);
	ok(count >= 3 && addresses[2] == ours + 1, "unwind: a function of a jitdump without unwinding information is unwound by frame pointers (%zu)", count);
	release(&rig);
}
#endif

static void test_fifo(void)
{
	uint64_t addresses[PROFILE_UNWIND_MAX];
	struct rig rig;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/gpmu-unwind-%d", (int)getpid());
	if (mkfifo(path, 0600))
		abort();
	rig_init(&rig);
	add_before(&rig.tasks, path, 7);
	start(&rig);
	alarm(60);
	ok(unwind_at(&rig.unwind, 7, 1, addresses) == 1, "unwind: a FIFO is not opened");
	alarm(0);
	unlink(path);
	release(&rig);
}

static void test_frames(void)
{
	uint64_t addresses[PROFILE_UNWIND_MAX];
	size_t count, same = 0, whole = copy.size;
	char program[512] = "";
	int index = 1;

	count = unwind_of(NULL, NULL, addresses);
	/* The first frame is take_copy(), at another address. A sanitizer's frame may be in front of it. */
	while (index < copy.frame_count && (count < 2 || (uint64_t)(uintptr_t)copy.frames[index] != addresses[1]))
		index++;
	for (size_t i = 1; i < count && i < DEPTH + 3 && index < copy.frame_count; i++, index++)
		same += addresses[i] == (uint64_t)(uintptr_t)copy.frames[index];
	ok(same == DEPTH + 2, "unwind: a copy of a stack has the return addresses of all its frames (%zu)", same);
	copy.size = 64;
	count = unwind_of(NULL, NULL, addresses);
	ok(count >= 1 && count < DEPTH, "unwind: a copy that ends early has the frames before (%zu)", count);
	copy.size = whole;
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		abort();
	ok(unwind_of(NULL, program, addresses) == 1, "unwind: a file with another build id than recorded has the innermost frame only");
	ok(!unwind_of("sparc64", NULL, addresses), "unwind: stacks of other machines are not unwound");
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
	uint64_t addresses[PROFILE_UNWIND_MAX], pc = 0;
	size_t wrong = 0;
	struct rig rig;

	rig_init(&rig);
	add_maps(&rig.tasks, 7, 0);
	start(&rig);
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
		wrong += unwind_at(&rig.unwind, 7, 1, addresses) < 1 || addresses[0] != pc;
	}
	ok(!wrong, "unwind: copies of stacks with random content are unwound to some frames");
	release(&rig);
}

int main(void)
{
	int local;

	ok(deeper(DEPTH, (uint64_t)(uintptr_t)&local + 512) == DEPTH + 2, "unwind: a copy of the stack is taken");
	test_frames();
	test_processes();
	test_fifo();
	test_random();
#ifdef __x86_64__
	test_library();
	test_outermost();
	test_compiled();
#endif
	return done_testing();
}
#else
int main(void)
{
	ok(true, "unwind: this machine's stacks are not unwound");
	return done_testing();
}
#endif
