// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples, periods and losses of a recording are counted once. */
#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"
#include "spe/spe-test.h"

#define PMU	9	/* type of SPE */

static struct made records, file;
static struct stream stream;

static struct gpmu_profile_options options = { .size = sizeof(options) };

/* Reads the file that was made. */
static struct gpmu_profile *profile_of_file(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const char *path = written(file.data, file.length);
	struct gpmu_profile *profile;

	profile = gpmu_profile_new(path, &options, &error);
	unlink(path);
	if (!profile) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	return profile;
}

/* Reads a file of one event with the records that were made. */
static struct gpmu_profile *read_records(const struct perf_event_attr *attr)
{
	file.length = 0;
	make_file(&file, attr, 1, &records, NULL, 0);
	records.length = 0;
	return profile_of_file();
}

static struct gpmu_profile_facts facts_of(const struct gpmu_profile *profile)
{
	struct gpmu_profile_facts facts = { .size = sizeof(facts) };

	gpmu_profile_get_facts(profile, &facts);
	return facts;
}

static void test_names(void)
{
	const struct perf_event_attr attrs[3] = { test_attr(), test_attr(), test_attr() };
	struct gpmu_profile *profile;
	char text[64] = "";

	file.length = 0;
	make_file(&file, attrs, 3, &records, NULL, 0);
	profile = profile_of_file();
	for (size_t i = 0; i < gpmu_profile_event_count(profile); i++) {
		struct gpmu_profile_event event;

		gpmu_profile_event(profile, i, &event);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", event.name);
	}
	is_str(text, "task-clock task-clock#2 task-clock#3 ", "profile: events with the same name are numbered");
	gpmu_profile_free(profile);
}

static void test_lost(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_profile *profile;

	put_lost(&records, PERF_RECORD_LOST, 0, 3);
	put_lost(&records, PERF_RECORD_LOST_SAMPLES, 0, 2);
	put_lost(&records, PERF_RECORD_LOST, 0, 4);
	profile = read_records(&attr);
	is_u64(facts_of(profile).lost, 7, "profile: losses that both LOST and LOST_SAMPLES have are counted once");
	gpmu_profile_free(profile);
	put_lost(&records, PERF_RECORD_LOST, 0, 3);
	put_lost(&records, PERF_RECORD_LOST_SAMPLES, 0, 5);
	profile = read_records(&attr);
	is_u64(facts_of(profile).lost, 5, "profile: losses are those of LOST_SAMPLES if LOST has fewer");
	gpmu_profile_free(profile);
}

/* Samples of one thread with the numbers of two processes, as after an error of the recorder */
static void test_pids(void)
{
	static const enum gpmu_profile_key keys[] = { GPMU_PROFILE_PROCESS };
	struct gpmu_profile_table table = { 0 };
	struct perf_event_attr attr = test_attr();
	struct gpmu_profile *profile;

	for (uint64_t pid = 7; pid < 9; pid++) {
		put_sample(&records, 1, 0x1000, 5, 100);
		memcpy(records.data + records.length - 16, &pid, 4);
	}
	options.keys = keys;
	options.key_count = 1;
	profile = read_records(&attr);
	ok(!gpmu_profile_table(profile, keys, 1, &table) && table.count == 2 && table.rows[0].samples == 1,
	   "profile: a sample counts for the process whose number it has");
	gpmu_profile_table_release(&table);
	gpmu_profile_free(profile);
	options.keys = NULL;
	options.key_count = 0;
}

/* --- counts in samples */

/* A sample of a thread with the count of its event, and the count's id unless it is 0 */
static void put_count(uint32_t tid, uint64_t value, uint64_t id)
{
	put_sample(&records, 1, 0x1000, tid, 100);
	put64(&records, value);
	if (id)
		put64(&records, id);
	end(&records);
}

static void test_counts(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_profile_event event;
	struct gpmu_profile *profile;

	attr.sample_type |= PERF_SAMPLE_READ;
	attr.freq = 1;
	attr.read_format = PERF_FORMAT_ID;
	put_count(7, 1000, 1);
	put_count(7, 1500, 1);
	put_count(7, 1500, 1);
	profile = read_records(&attr);
	gpmu_profile_event(profile, 0, &event);
	ok(event.samples == 2 && event.period == 1500,
	   "profile: the period of a sample with a count is the difference to the last count; samples with an equal count are none");
	gpmu_profile_free(profile);
	put_count(7, 1000, 1);
	put_count(7, 400, 1);
	profile = read_records(&attr);
	gpmu_profile_event(profile, 0, &event);
	ok(event.samples == 2 && event.period == 1400,
	   "profile: if a count is below the last one, as of a new thread with an old number, the whole count is a period");
	gpmu_profile_free(profile);
	attr.read_format = 0;
	attr.inherit = 1;
	put_count(7, 1000, 0);
	put_count(8, 900, 0);
	put_count(7, 1500, 0);
	profile = read_records(&attr);
	gpmu_profile_event(profile, 0, &event);
	ok(event.samples == 3 && event.period == 2400,
	   "profile: counts without an id are of the sample's event, and of each thread if threads inherit it");
	gpmu_profile_free(profile);
}

/* --- snapshots of SPE */

/* A snapshot of the buffer of a CPU: records with the time stamps from @first on, or without any */
static void put_snapshot(uint32_t cpu, uint64_t position, uint64_t first, uint64_t count, bool has_time)
{
	stream.length = 0;
	for (uint64_t i = 0; i < count; i++)
		put_slot(&stream, &(struct gpmu_spe_record){
			.fields = 1u << GPMU_SPE_PC | 1u << GPMU_SPE_OP | 1u << GPMU_SPE_EVENTS | (has_time ? 1u << GPMU_SPE_TIME : 0),
			.value = { [GPMU_SPE_PC] = 0x1000, [GPMU_SPE_TIME] = first + i },
		}, 0);
	begin(&records, PERF_RECORD_AUX, 0);
	put64(&records, position);
	put64(&records, stream.length);
	put64(&records, 2);	/* PERF_AUX_FLAG_OVERWRITE */
	put64(&records, 0);	/* trailer: thread, time, CPU, id */
	put64(&records, 0);
	put64(&records, cpu);
	put64(&records, 1);
	end(&records);
	put_auxtrace(&records, stream.length, position, cpu);
	put(&records, stream.bytes, stream.length);
}

static void test_snapshots(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_profile_facts facts;
	struct gpmu_profile_event event;
	struct gpmu_profile *profile;

	attr.type = PMU;
	attr.sample_type |= PERF_SAMPLE_CPU;
	put_auxtrace_info(&records, PMU, 0);
	put_snapshot(0, 8192, 100, 128, true);
	put_snapshot(1, 8192, 110, 128, true);
	put_snapshot(0, 1024, 116, 128, true);
	put_snapshot(0, 2048, 244, 10, true);
	profile = read_records(&attr);
	facts = facts_of(profile);
	gpmu_profile_event(profile, 0, &event);
	is_u64(event.samples, 128 + 16 + 10 + 128, "profile: a record that several snapshots of a buffer have is one sample");
	is_u64(facts.repeated, 112, "profile: records that an earlier snapshot has are counted as repeated");
	is_u64(facts.untimed, 0, "profile: records of snapshots with time stamps are not counted as untimed");
	gpmu_profile_free(profile);

	put_auxtrace_info(&records, PMU, 0);
	put_snapshot(0, 0, 0, 5, false);
	put_snapshot(0, 64, 0, 5, false);
	profile = read_records(&attr);
	facts = facts_of(profile);
	gpmu_profile_event(profile, 0, &event);
	ok(event.samples == 10 && facts.untimed == 10 && !facts.repeated,
	   "profile: all records of snapshots without time stamps are samples, and are counted as untimed");
	gpmu_profile_free(profile);
}

int main(void)
{
	test_names();
	test_lost();
	test_pids();
	test_counts();
	test_snapshots();
	return done_testing();
}
