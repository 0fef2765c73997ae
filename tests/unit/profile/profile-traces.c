// SPDX-License-Identifier: LGPL-2.1-or-later
/* AUX buffers of SPE: begins and threads of records, and losses of AUX records */
#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"
#include "spe/spe-test.h"

#define PMU	9	/* type of SPE */
#define CUT	5	/* bytes of a record that is cut off */

static struct made records, file;
static struct stream stream;

static const enum gpmu_profile_key keys[] = { GPMU_PROFILE_THREAD };

static struct perf_event_attr spe_attr(uint64_t more)
{
	struct perf_event_attr attr = test_attr();

	attr.type = PMU;
	attr.sample_type |= more;
	return attr;
}

/* Reads a file of one event with the records that were made, by thread. */
static struct gpmu_profile *read_records(const struct perf_event_attr *attr, struct gpmu_profile_facts *facts)
{
	const struct gpmu_profile_options options = { .size = sizeof(options), .keys = keys, .key_count = 1 };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_profile *profile;
	const char *path;

	file.length = 0;
	make_file(&file, attr, 1, &records, NULL, 0);
	path = written(file.data, file.length);
	profile = gpmu_profile_new(path, &options, &error);
	unlink(path);
	if (!profile) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	*facts = (struct gpmu_profile_facts){ .size = sizeof(*facts) };
	gpmu_profile_get_facts(profile, facts);
	return profile;
}

/* Appends records of a thread. @field: the context packet that has its number */
static void put_slots(uint64_t n, unsigned int field, uint32_t tid)
{
	for (uint64_t i = 0; i < n; i++)
		put_slot(&stream, &(struct gpmu_spe_record){
			.fields = 1u << GPMU_SPE_PC | 1u << GPMU_SPE_OP | 1u << GPMU_SPE_EVENTS | 1u << field,
			.value = { [GPMU_SPE_PC] = 0x1000, [GPMU_SPE_CONTEXT_EL1] = tid, [GPMU_SPE_CONTEXT_EL2] = tid },
		}, 0);
}

static void put_aux(uint32_t tid, uint64_t offset, uint64_t size, uint64_t flags, bool has_cpu)
{
	begin(&records, PERF_RECORD_AUX, 0);
	put64(&records, offset);
	put64(&records, size);
	put64(&records, flags);
	put32(&records, tid);	/* trailer: thread, time, CPU, id */
	put32(&records, tid);
	put64(&records, 0);
	if (has_cpu)
		put64(&records, 0);
	put64(&records, 1);
	end(&records);
}

static void begin_file(void)
{
	records.length = stream.length = 0;
	put_auxtrace_info(&records, PMU, 0);
}

static void test_contexts(void)
{
	static const struct {
		unsigned int field;
		const char *name;
	} contexts[] = { { GPMU_SPE_CONTEXT_EL1, "EL1" }, { GPMU_SPE_CONTEXT_EL2, "EL2" } };
	const struct perf_event_attr attr = spe_attr(PERF_SAMPLE_CPU);
	struct gpmu_profile_table table = { 0 };
	struct gpmu_profile_facts facts;
	struct gpmu_profile *profile;

	for (size_t i = 0; i < 2; i++) {
		begin_file();
		put_slots(4, contexts[i].field, 7);
		put_auxtrace(&records, stream.length, 0, 0);
		put(&records, stream.bytes, stream.length);
		profile = read_records(&attr, &facts);
		ok(!gpmu_profile_table(profile, keys, 1, &table) && table.count == 1 && table.rows[0].samples == 4 && table.rows[0].keys[0] &&
		   strstr(table.rows[0].keys[0], "(7)"), "profile: records of SPE belong to the thread in their context packet of %s", contexts[i].name);
		gpmu_profile_table_release(&table);
		gpmu_profile_free(profile);
	}
}

static void test_outside(void)
{
	const struct perf_event_attr attr = spe_attr(PERF_SAMPLE_CPU);
	struct gpmu_profile_table table = { 0 };
	struct gpmu_profile_facts facts;
	struct gpmu_profile *profile;

	begin_file();
	put_slots(4, GPMU_SPE_CONTEXT_EL2, 0);
	put_auxtrace(&records, stream.length, 0, 0);
	put(&records, stream.bytes, stream.length);
	profile = read_records(&attr, &facts);
	if (gpmu_profile_table(profile, keys, 1, &table) || table.count != 1)
		printf("Bail out! one row is expected\n");
	is_str(table.rows[0].keys[0], "[outside the PID namespace]",
	       "profile: records of SPE in user space with the thread 0 are of a task outside the PID namespace");
	is_u64(facts.outside_tasks, 4, "profile: records of SPE of tasks outside the PID namespace are counted");
	gpmu_profile_table_release(&table);
	gpmu_profile_free(profile);
}

static void test_flags(void)
{
	const struct perf_event_attr attr = spe_attr(PERF_SAMPLE_CPU);
	struct gpmu_profile_facts facts;

	begin_file();
	for (uint64_t i = 0; i < 6; i++)
		put_aux(7, 0, 0, i < 1 ? 1 : i < 3 ? 4 : 8, true);
	gpmu_profile_free(read_records(&attr, &facts));
	ok(facts.spe.truncations == 1 && facts.spe.partials == 2 && facts.spe.collisions == 3,
	   "profile: truncations, partial records and collisions of AUX records are counted");
}

/* A buffer of a thread whose first AUX record ends within a record of SPE */
static void test_by_thread(void)
{
	const struct perf_event_attr attr = spe_attr(0);
	const uint32_t tid = 7;
	struct gpmu_profile_facts facts;

	begin_file();
	put_slots(1, GPMU_SPE_CONTEXT_EL2, tid);
	stream.length = CUT;
	put_slots(4, GPMU_SPE_CONTEXT_EL2, tid);
	put_aux(tid, 0, CUT, 0, false);
	put_aux(tid, CUT, stream.length - CUT, 0, false);
	put_auxtrace(&records, stream.length, 0, UINT32_MAX);
	memcpy(records.data + records.record + 36, &tid, sizeof(tid));
	put(&records, stream.bytes, stream.length);
	gpmu_profile_free(read_records(&attr, &facts));
	ok(facts.spe.records == 4 && facts.spe.lost_bytes == CUT, "profile: each AUX record of a thread's buffer begins with a record of SPE");
}

/* Two parts of a buffer, of which the first ends within a record of SPE. Bytes between them are missing. */
static void test_gap(void)
{
	const struct perf_event_attr attr = spe_attr(PERF_SAMPLE_CPU);
	struct gpmu_profile_facts facts;

	begin_file();
	put_slots(1, GPMU_SPE_CONTEXT_EL2, 7);
	put_auxtrace(&records, CUT, 0, 0);
	put(&records, stream.bytes, CUT);
	stream.length = 0;
	put_slots(4, GPMU_SPE_CONTEXT_EL2, 7);
	put_auxtrace(&records, stream.length, 4096, 0);
	put(&records, stream.bytes, stream.length);
	gpmu_profile_free(read_records(&attr, &facts));
	ok(facts.spe.records == 4 && facts.spe.lost_bytes == CUT,
	   "profile: a part of a buffer that does not continue the part before begins with a record of SPE");
}

int main(void)
{
	test_contexts();
	test_outside();
	test_flags();
	test_by_thread();
	test_gap();
	return done_testing();
}
