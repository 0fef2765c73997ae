// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Recordings of perf with call stacks, and with Arm SPE, with random damage. The fuzzer's target makes the checks and
 * ends the program if one fails.
 */
#include "damage.h"
#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"
#include "spe/spe-test.h"

#define PMU	9
#define ROUNDS	1000

static const char *const tokens[] = {
	"\xff\xff\xff\xff\xff\xff\xff\x7f", "\x09", "\x0a", "\x0b", "\x46", "\x47", "\x80\xff\xff\xff\xff\xff\xff\xff", "\xff\xff",
	"\x08", "\x18", "/dev/zero", "[heap]",
};

static struct made records, file;
static struct stream stream;

static void put_map(uint64_t address, const char *name)
{
	begin(&records, PERF_RECORD_MMAP2, 0);
	put64(&records, 0x700000007);
	put64(&records, address);
	put64(&records, 1 << 20);
	for (int i = 0; i < 5; i++)
		put64(&records, 0);
	put_text(&records, name);
	for (uint64_t i = 0; i < 3; i++)
		put64(&records, 1);
	end(&records);
}

static void put_head(void)
{
	records.length = 0;
	put_map(0x10000, "/usr/lib/nothing.so");
	put_map(0x500000, "[heap]");
	put_comm(&records, "app", 7, 100, 1);
}

static void put_stacks(void)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, 0xffff800000001234, 0xffff800000002345, PERF_CONTEXT_USER, 0x10010, 0x10020,
	};

	for (uint64_t i = 0; i < 4; i++) {
		begin(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
		put64(&records, 1);
		put64(&records, chain[1]);
		put64(&records, 0x700000007);
		put64(&records, 200 + i);
		put64(&records, sizeof(chain) / sizeof(chain[0]) - i);
		put(&records, chain, sizeof(chain) - i * sizeof(chain[0]));
		end(&records);
	}
}

static void put_trace(void)
{
	put_auxtrace_info(&records, PMU, 0);
	begin(&records, PERF_RECORD_AUX, 0);
	put64(&records, 0);
	put64(&records, stream.length);
	put64(&records, 0);
	for (uint64_t i = 0; i < 3; i++)
		put64(&records, i);
	end(&records);
	put_auxtrace(&records, stream.length, 0, 0);
	put(&records, stream.bytes, stream.length);
}

static void put_accesses(void)
{
	for (uint64_t i = 0; i < 10; i++) {
		struct gpmu_spe_record record = {
			.fields = 1u << GPMU_SPE_PC | 1u << GPMU_SPE_OP | 1u << GPMU_SPE_EVENTS | 1u << GPMU_SPE_TOTAL |
				  1u << GPMU_SPE_VA | 1u << GPMU_SPE_PA | 1u << GPMU_SPE_SOURCE | 1u << GPMU_SPE_CONTEXT_EL1,
			.value = {
				[GPMU_SPE_PC] = 0x10000 + i * 64, [GPMU_SPE_TOTAL] = 10 + i, [GPMU_SPE_VA] = 0x500000 + i,
				[GPMU_SPE_OP] = GPMU_SPE_OP_VALUE(1, i % 2), [GPMU_SPE_PA] = i << 30,
				[GPMU_SPE_SOURCE] = i, [GPMU_SPE_CONTEXT_EL1] = 7, [GPMU_SPE_EVENTS] = i,
			},
		};

		put_slot(&stream, &record, 0);
	}
}

/* Samples of the file as it is */
static uint64_t count_samples(void)
{
	struct gpmu_profile_options options = { .size = sizeof(options) };
	struct gpmu_profile_event event = { 0 };
	struct gpmu_profile *profile;
	char path[] = "/tmp/gpmu-test.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, file.data, file.length) != (ssize_t)file.length)
		abort();
	close(fd);
	profile = gpmu_profile_new(path, &options, NULL);
	if (profile)
		gpmu_profile_event(profile, 0, &event);
	gpmu_profile_free(profile);
	unlink(path);
	return event.samples;
}

static void replay(const struct perf_event_attr *attr, bool is_pipe, uint64_t want, const char *name)
{
	static char bytes[DAMAGE_MAX];

	file.length = 0;
	if (is_pipe) {
		put_pipe_header(&file);
		put_pipe_attr(&file, attr, 1);
		put(&file, records.data, records.length);
	} else {
		make_file(&file, attr, 1, &records, NULL, 0);
	}
	ok(file.length > 500 && file.length < DAMAGE_MAX / 2, "profile: the sample %s has a usable size", name);
	ok(count_samples() == want, "profile: the sample %s has its samples", name);
	for (int i = 0; i < ROUNDS; i++) {
		size_t n;

		memcpy(bytes, file.data, file.length);
		n = i ? damage(bytes, file.length, sizeof(bytes), tokens, DAMAGE_LENGTH(tokens), 4) : file.length;
		LLVMFuzzerTestOneInput((const uint8_t *)bytes, n);
	}
	ok(true, "profile: %d damaged copies of a %s are read or refused", ROUNDS, name);
}

int main(void)
{
	struct perf_event_attr attr = test_attr();

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	put_head();
	put_stacks();
	replay(&attr, false, 4, "file with call stacks");
	replay(&attr, true, 4, "pipe with call stacks");
	attr = test_attr();
	attr.type = PMU;
	put_head();
	put_accesses();
	put_trace();
	replay(&attr, false, 10, "file with SPE");
	replay(&attr, true, 10, "pipe with SPE");
	return done_testing();
}
