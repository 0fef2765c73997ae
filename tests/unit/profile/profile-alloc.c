// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of a profile and of its table fails in turn: the error is ENOMEM, and nothing leaks. */
#include <errno.h>
#include <link.h>

#include "alloc.h"
#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"
#include "jitdump-test.h"
#include "spe/spe-test.h"

#define PMU	9

static struct made file, content;
static char folder[] = "/tmp/gpmu-profile-XXXXXX", dump[64];
static struct stream stream;

static const enum gpmu_profile_key keys[] = {
	GPMU_PROFILE_STACK, GPMU_PROFILE_LINE, GPMU_PROFILE_PAGE, GPMU_PROFILE_DATA, GPMU_PROFILE_HOME, GPMU_PROFILE_OP,
};
#define KEYS	(sizeof(keys) / sizeof(keys[0]))

#define OWN	0x40000000	/* address at which this program's file is mapped in the recording */

static int first_header(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

__attribute__((always_inline))
static inline int inlined(int value)
{
	return (value ^ 0x55) * 13;
}

__attribute__((noinline))
static int caller(int value)
{
	return inlined(value) + 1;
}

static void put_map(uint32_t pid, uint64_t address, const char *name)
{
	begin(&file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(&file, pid);
	put32(&file, pid);
	put64(&file, address);
	put64(&file, 1 << 20);
	for (int i = 0; i < 5; i++)
		put64(&file, 0);
	put_text(&file, name);
	put32(&file, pid);
	put32(&file, pid);
	put64(&file, 0);
	put64(&file, 1);
	end(&file);
}

static void put_trace(void)
{
	put_auxtrace_info(&file, PMU, 0);
	begin(&file, PERF_RECORD_AUX, 0);
	put64(&file, 0);
	put64(&file, stream.length);
	put64(&file, 0);
	put32(&file, 7);
	put32(&file, 7);
	put64(&file, 0);
	put64(&file, 1);
	end(&file);
	put_auxtrace(&file, stream.length, 0, 0);
	put(&file, stream.bytes, stream.length);
}

/* Makes a dump of a just-in-time compiler; its path is @dump. */
static void put_dump(void)
{
	static struct made jit;
	FILE *to;

	snprintf(dump, sizeof(dump), "%s/jit-7.dump", mkdtemp(folder));
	put_jit_all(&jit, 0);
	put_jit_unwinding(&jit, "frames", 6, 0);
	put_jit_load(&jit, "delta", 0x4000, 16, 4, 500);
	to = fopen(dump, "w");
	if (!to || fwrite(jit.data, 1, jit.length - 5, to) != jit.length - 5 || fclose(to))
		abort();
	put_map(7, 0x300000, dump);
}

static void put_chain(uint64_t ip, uint32_t pid, uint64_t time, const uint64_t *chain, uint64_t count)
{
	put_sample(&file, 1, ip, pid, time);
	put64(&file, count);
	put(&file, chain, count * sizeof(*chain));
	end(&file);
}

/* A sample whose call stack is in a record of its own */
static void put_deferred(uint64_t ip)
{
	const uint64_t chain[] = { (uint64_t)-640, 77 };	/* PERF_CONTEXT_USER_DEFERRED, cookie */
	const uint64_t deferred[] = { 77, 2, PERF_CONTEXT_USER, ip };

	put_chain(ip, 7, 8, chain, 2);
	begin(&file, GPMU_PERFDATA_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	put(&file, deferred, sizeof(deferred));
	put32(&file, 7);
	put32(&file, 7);
	put64(&file, 9);
	put64(&file, 1);
	end(&file);
}

static void make(void)
{
	struct perf_event_attr attr = test_attr();
	uint64_t base = 0, none = 0;
	struct gpmu_spe_record record;

	for (int i = 0; i < 40; i++) {
		record = random_slot(1, 0);
		put_slot(&stream, &record, 0);
	}
	attr.type = PMU;
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	put_pipe_header(&file);
	put_pipe_attr(&file, &attr, 1);
	begin(&file, GPMU_PERFDATA_HEADER_FEATURE, 0);
	put64(&file, 14);
	put32(&content, 1);
	put32(&content, 0);
	put64(&content, 1);
	put64(&content, 1);
	put_string(&content, "0-1");
	put(&file, content.data, content.length);
	end(&file);
	put_comm(&file, "app", 7, 0, 1);
	put_map(7, 0x1000, "/bin/true");
	put_map(7, 0x200000, "//anon");
	put_dump();
	dl_iterate_phdr(first_header, &base);
	put_map(7, OWN, "/proc/self/exe");
	put_deferred(OWN + (uint64_t)(uintptr_t)caller - base);
	put_chain(0x3010, 7, 8, &none, 0);
	put_chain(0x1000, 7, 5, &none, 0);
	put_chain(0x200000, 7, 6, &none, 0);
	put_chain(0x900000, 8, 7, &none, 0);
	put_trace();
}

/* Reads the file and makes a table. Returns 0 or -errno. */
static int read_all(const char *path, size_t *rows)
{
	const struct gpmu_profile_options options = { .size = sizeof(options), .keys = keys, .key_count = KEYS };
	struct gpmu_profile *profile = gpmu_profile_new(path, &options, NULL);
	struct gpmu_profile_table table;
	int ret = profile ? 0 : -errno;

	if (!ret)
		ret = gpmu_profile_table(profile, keys, KEYS, &table);
	if (!ret) {
		*rows = table.count;
		gpmu_profile_table_release(&table);
	}
	gpmu_profile_free(profile);
	return ret;
}

int main(void)
{
	size_t wrong = 0, rows = 0;
	int ret = -ENOMEM, n = 0;
	const char *path;
	long held;

	make();
	path = written(file.data, file.length);
	held = alloc_held;
	for (; ret && n < ALLOC_MAX; n++) {
		alloc_left = n;
		ret = read_all(path, &rows);
		alloc_left = -1;
		wrong += ret != 0 && ret != -ENOMEM;
		if (alloc_held != held)
			break;
	}
	unlink(path);
	unlink(dump);
	rmdir(folder);
	ok(!ret && n > 30, "profile: a recording is read after each of its allocations has failed");
	ok(caller(0x55) == 1, "profile: the sampled function with an inlined call returns 1");
	ok(rows > 20, "profile: the recording has records of SPE with different keys");
	is_u64(wrong, 0, "profile: a failed allocation is ENOMEM");
	ok(alloc_held == held, "profile: nothing leaks after a failed allocation");
	return done_testing();
}
