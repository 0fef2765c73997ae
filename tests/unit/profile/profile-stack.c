// SPDX-License-Identifier: LGPL-2.1-or-later
/* Call stacks share the nodes of their outer frames, and those of a recording have the functions of this program. */
#include <link.h>

#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"
#include "profile/profile_stack.h"

#define CODE	0x400000000000
#define CHAIN	8
#define USER_DEFERRED	((uint64_t)-640)	/* PERF_CONTEXT_USER_DEFERRED */

static struct made file;
static uint64_t base;	/* address of this program's first byte that can run, minus its offset in the file */

__attribute__((noinline)) int made_inner(int a)
{
	return a * 3 + 1;
}

__attribute__((noinline)) int made_outer(int a)
{
	return a * 7 + 2;
}

static void test_nodes(void)
{
	static const char *const names[] = { "main", "operator;", "libc.so.6", "[vdso]" };
	struct profile_stacks stacks = { 0 };
	struct strings texts = { 0 };
	uint32_t outer, inner, again, lib, number;
	char *text;

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		strings_number(&texts, names[i], &number);
	profile_stacks_add(&stacks, 0, 1, &outer);
	profile_stacks_add(&stacks, outer, 2, &inner);
	profile_stacks_add(&stacks, outer, 2, &again);
	ok(inner == again && stacks.nodes.n == 2, "profile: equal stacks are one node");
	text = profile_stacks_text(&stacks, &texts, inner);
	is_str(text, "main;operator:", "profile: a stack begins with the outermost frame, and a semicolon in a name is a colon");
	free(text);
	profile_stacks_add(&stacks, 0, 2, &again);
	ok(again != inner, "profile: a frame of another caller is another node");
	profile_stacks_add(&stacks, inner, 3 | PROFILE_STACK_OBJECT, &lib);
	profile_stacks_add(&stacks, lib, 4 | PROFILE_STACK_OBJECT, &number);
	text = profile_stacks_text(&stacks, &texts, number);
	is_str(text, "main;operator:;[libc.so.6];[vdso]", "profile: a frame without a function is its object in brackets");
	free(text);
	profile_stacks_release(&stacks);
	strings_release(&texts);
}

/* --- a recording */

static int find_base(struct dl_phdr_info *found, size_t size, void *user)
{
	(void)size;
	(void)user;
	for (size_t i = 0; i < found->dlpi_phnum; i++) {
		const ElfW(Phdr) *program = &found->dlpi_phdr[i];
		uint64_t start = found->dlpi_addr + program->p_vaddr;

		if (program->p_type == PT_LOAD && program->p_flags & PF_X && (uintptr_t)made_inner >= start &&
		    (uintptr_t)made_inner < start + program->p_memsz)
			base = start - program->p_offset;
	}
	return 1;		/* only the first, which is the program */
}

/* A recorded address of this program */
static uint64_t recorded(int (*function)(int a))
{
	return CODE + (uintptr_t)function - base;
}

static void put_program(void)
{
	char program[4096] = "";

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		abort();
	begin(&file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(&file, 7);
	put32(&file, 7);
	put64(&file, CODE);
	put64(&file, 1 << 30);
	for (int i = 0; i < 5; i++)
		put64(&file, 0);
	put_text(&file, program);
	put64(&file, 0x700000007);
	put64(&file, 0);
	put64(&file, 1);
	end(&file);
}

/* A sample whose call stack ends before the last zeros of @chain */
static void put_stack(uint16_t mode, uint64_t ip, const uint64_t *chain)
{
	uint64_t count = CHAIN;

	while (count && !chain[count - 1])
		count--;
	begin(&file, PERF_RECORD_SAMPLE, mode);
	put64(&file, 1);
	put64(&file, ip);
	put64(&file, 0x700000007);
	put64(&file, 200);
	put64(&file, count);
	put(&file, chain, count * sizeof(*chain));
	end(&file);
}

/* The stack of a process, for samples with a cookie */
static void put_deferred(uint32_t tid, uint64_t cookie, const uint64_t *chain, uint64_t count)
{
	begin(&file, GPMU_PERFDATA_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	put64(&file, cookie);
	put64(&file, count);
	put(&file, chain, count * sizeof(*chain));
	put32(&file, 7);
	put32(&file, tid);
	put64(&file, 300);
	put64(&file, 1);
	end(&file);
}

static void put_samples(void)
{
	const uint64_t inner = recorded(made_inner), after_outer = recorded(made_outer) + 1, kernel = 0xffff800000001234;
	const uint64_t user[CHAIN] = { PERF_CONTEXT_USER, inner, after_outer }, bare[CHAIN] = { inner, after_outer };
	const uint64_t both[CHAIN] = { PERF_CONTEXT_KERNEL, kernel, PERF_CONTEXT_USER, inner, after_outer };
	const uint64_t guest[CHAIN] = { PERF_CONTEXT_GUEST_USER, inner, PERF_CONTEXT_USER, inner }, none[CHAIN] = { 0 };
	/* A caller that ends with its call has a return address of the next function. */
	const uint64_t edge[CHAIN] = { PERF_CONTEXT_USER, inner, after_outer - 1 };
	const uint64_t later[CHAIN] = { PERF_CONTEXT_KERNEL, kernel, USER_DEFERRED, 77 };

	/* The outermost frame of a thread */
	const uint64_t outermost[CHAIN] = { PERF_CONTEXT_USER, inner, after_outer, 0, PERF_CONTEXT_USER };

	put_stack(PERF_RECORD_MISC_USER, inner, user);
	put_stack(PERF_RECORD_MISC_USER, inner, outermost);
	put_stack(PERF_RECORD_MISC_USER, inner, bare);
	put_stack(PERF_RECORD_MISC_KERNEL, kernel, both);
	put_stack(PERF_RECORD_MISC_USER, inner, guest);
	put_stack(PERF_RECORD_MISC_USER, inner, none);
	put_stack(PERF_RECORD_MISC_USER, inner, edge);
	/* The stack with the cookie 78 is of another thread than the one with 77. */
	put_stack(PERF_RECORD_MISC_KERNEL, kernel, later);
	put_stack(PERF_RECORD_MISC_USER, inner, (const uint64_t[CHAIN]){ USER_DEFERRED, 77 });
	put_stack(PERF_RECORD_MISC_KERNEL, kernel, (const uint64_t[CHAIN]){ PERF_CONTEXT_KERNEL, kernel, USER_DEFERRED, 78 });
	put_deferred(7, 77, user, 3);
	put_deferred(8, 78, user, 3);
}

static void test_equal(void)
{
	const uint64_t chain[] = { PERF_CONTEXT_USER, 1, 2 };
	struct gpmu_perfdata_record record = {
		.type = GPMU_PERFDATA_CALLCHAIN_DEFERRED, .has = PERF_SAMPLE_TID, .deferred = { .callchain = chain, .count = 3 },
	};
	struct profile_deferred deferred = { 0 };
	size_t wrong = 0;

	for (uint32_t i = 0; i < 100; i++) {
		record.tid = i % 2;
		record.deferred.cookie = i;
		wrong += profile_deferred_add(&deferred, &record) != 0;
	}
	for (uint32_t i = 0; i < 100; i++) {
		const uint64_t chain_of_sample[] = { USER_DEFERRED, i }, *joined;
		const struct gpmu_perfdata_record sample = {
			.type = PERF_RECORD_SAMPLE, .tid = i % 2, .sample = { .callchain = chain_of_sample, .callchain_count = 2 },
		};
		size_t count;

		wrong += profile_deferred_join(&deferred, &sample, &joined, &count) || count != 3 || memcmp(joined, chain, sizeof(chain)) != 0;
	}
	ok(!wrong && deferred.addresses.n == 6, "profile: equal stacks of a thread that were recorded later are kept once");
	profile_deferred_release(&deferred);
}

/* A sample with a chain and a branch from made_outer() to made_inner(), or none */
static void put_branch(uint64_t id, uint16_t mode, const uint64_t *chain, uint64_t branches)
{
	put_stack(mode, chain[1], chain);
	memcpy(file.data + file.record + sizeof(struct perf_event_header), &id, sizeof(id));
	put64(&file, branches);
	if (branches) {
		put64(&file, recorded(made_outer));
		put64(&file, recorded(made_inner));
		put64(&file, 0);
	}
	end(&file);
}

static void test_branches(void)
{
	static const enum gpmu_profile_key keys[] = { GPMU_PROFILE_STACK };
	struct gpmu_profile_options options = { .size = sizeof(options), .keys = keys, .key_count = 1 };
	const uint64_t inner = recorded(made_inner), after_outer = recorded(made_outer) + 1, kernel = 0xffff800000001234;
	const struct {
		uint64_t id, chain[CHAIN], branches;
		const char *stack, *what;
	} cases[] = {
		{ 1, { PERF_CONTEXT_USER, inner, inner, inner }, 1, "made_outer;made_inner",
		  "the calls of a branch stack take the place of the callers by frame pointers" },
		{ 1, { PERF_CONTEXT_KERNEL, kernel, kernel, PERF_CONTEXT_USER, inner }, 1, "made_outer;made_inner;[kernel];[kernel]",
		  "frames of the kernel precede the calls of a branch stack" },
		{ 1, { PERF_CONTEXT_KERNEL, kernel, PERF_CONTEXT_USER }, 1, "made_outer;made_inner;[kernel]",
		  "without an address in user space, the innermost frame there is the function of the last call" },
		{ 1, { PERF_CONTEXT_KERNEL, kernel }, 1, "[kernel]", "a call chain without user space has no calls of the branch stack" },
		{ 1, { PERF_CONTEXT_USER, inner, after_outer }, 0, "made_outer;made_inner", "without branches, the callers are those of the call chain" },
		{ 2, { PERF_CONTEXT_USER, inner }, 1, "made_inner", "branches of perf record -b are no call stack" },
	};
	struct perf_event_attr calls = test_attr(), branches;
	struct gpmu_profile_table table = { 0 };
	struct gpmu_profile *profile;
	const char *path;
	char what[128];

	calls.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
	branches = calls;
	calls.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	branches.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file.length = 0;
		put_pipe_header(&file);
		put_pipe_attr(&file, &calls, 1);
		put_pipe_attr(&file, &branches, 2);
		put_comm(&file, "app", 7, 0, 1);
		put_program();
		put_branch(cases[i].id, cases[i].chain[0] == PERF_CONTEXT_USER ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
			   cases[i].chain, cases[i].branches);
		path = written(file.data, file.length);
		profile = gpmu_profile_new(path, &options, NULL);
		unlink(path);
		snprintf(what, sizeof(what), "profile: %s", cases[i].what);
		is_str(profile && !gpmu_profile_table(profile, keys, 1, &table) && table.count == 1 ? table.rows[0].keys[0] : "not read",
		       cases[i].stack, what);
		gpmu_profile_table_release(&table);
		gpmu_profile_free(profile);
	}
}

static void test_recording(void)
{
	static const enum gpmu_profile_key keys[] = { GPMU_PROFILE_COMM, GPMU_PROFILE_STACK };
	struct gpmu_profile_options options = { .size = sizeof(options), .keys = keys, .key_count = 2 };
	static const struct { uint64_t samples; const char *stack; } want[] = {
		{ 4, "made_outer;made_inner" }, { 2, "made_inner" }, { 2, "made_outer;made_inner;[kernel]" }, { 1, "[kernel]" }, { 1, NULL },
	};
	struct perf_event_attr attr = test_attr();
	struct gpmu_profile_table table = { 0 };
	char path[] = "/tmp/gpmu-test.XXXXXX";
	struct gpmu_profile *profile;
	int fd = mkstemp(path);

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	put_pipe_header(&file);
	put_pipe_attr(&file, &attr, 1);
	put_comm(&file, "app", 7, 0, 1);
	put_program();
	put_samples();
	if (fd < 0 || write(fd, file.data, file.length) != (ssize_t)file.length)
		abort();
	close(fd);
	profile = gpmu_profile_new(path, &options, NULL);
	unlink(path);
	ok(profile && !gpmu_profile_table(profile, keys, 2, &table), "profile: a recording with call stacks is read");
	is_u64(table.count, sizeof(want) / sizeof(want[0]), "profile: each different stack is a row");
	for (size_t i = 0; i < table.count && i < sizeof(want) / sizeof(want[0]); i++)
		if (want[i].stack)
			ok(table.rows[i].samples == want[i].samples && !strcmp(table.rows[i].keys[0], "app") &&
			   !strcmp(table.rows[i].keys[1], want[i].stack),
			   "profile: %llu samples have the stack %s", (unsigned long long)want[i].samples, want[i].stack);
		else
			ok(strncmp(table.rows[i].keys[1], "made_outer", 10) != 0,
			   "profile: the caller is the function of the byte before the return address");
	gpmu_profile_table_release(&table);
	gpmu_profile_free(profile);
}

int main(void)
{
	dl_iterate_phdr(find_base, NULL);
	test_nodes();
	test_equal();
	test_recording();
	test_branches();
	return done_testing();
}
