// SPDX-License-Identifier: LGPL-2.1-or-later
/* A sample of a recording without times has the last names and maps before it in the file. */
#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"
#include "spe/spe-test.h"

#define EXEC	PERF_RECORD_MISC_COMM_EXEC
#define PARENT	7
#define CHILD	8
#define ADDRESS	0x1000
#define PMU	9		/* type of SPE */
#define LATER	500		/* the kernel's time in FORK and in samples with a time */

static struct made records, file;
static struct stream stream;
static struct gpmu_profile_facts facts;

static void put_trailer(uint32_t pid)
{
	put32(&records, pid);
	put32(&records, pid);
	put64(&records, 1);
	end(&records);
}

static void put_name(const char *name, uint32_t pid, uint16_t misc)
{
	begin(&records, PERF_RECORD_COMM, misc);
	put32(&records, pid);
	put32(&records, pid);
	put_text(&records, name);
	put_trailer(pid);
}

static void put_map(const char *path, uint32_t pid)
{
	begin(&records, PERF_RECORD_MMAP, 0);
	put32(&records, pid);
	put32(&records, pid);
	put64(&records, ADDRESS);
	put64(&records, 0x1000);
	put64(&records, 0);
	put_text(&records, path);
	put_trailer(pid);
}

static void put_fork(uint32_t pid, uint32_t parent)
{
	begin(&records, PERF_RECORD_FORK, 0);
	put32(&records, pid);
	put32(&records, parent);
	put32(&records, pid);
	put32(&records, parent);
	put64(&records, LATER);
	put_trailer(pid);
}

/* @id: 1 for the first event, 2 for the second, which has times */
static void put_hit(uint32_t pid, uint64_t id)
{
	begin(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(&records, id);
	put64(&records, ADDRESS);
	put32(&records, pid);
	put32(&records, pid);
	if (id == 2)
		put64(&records, LATER);
	end(&records);
}

/* A program has a sample, and two after exec(). */
static void put_program(uint64_t id)
{
	put_name("first", PARENT, EXEC);
	put_map("/nonexistent/first.so", PARENT);
	put_hit(PARENT, id);
	put_name("second", PARENT, EXEC);
	put_map("/nonexistent/second.so", PARENT);
	put_hit(PARENT, id);
	put_hit(PARENT, id);
}

/* The program then has a child that calls exec(), too. */
static void put_programs(uint64_t id)
{
	put_program(id);
	put_fork(CHILD, PARENT);
	put_hit(CHILD, id);
	put_name("third", CHILD, EXEC);
	put_map("/nonexistent/third.so", CHILD);
	for (int i = 0; i < 5; i++)
		put_hit(CHILD, id);
}

/* A record of SPE in the child, at the first tick of the clock */
static void put_spe(void)
{
	stream.length = 0;
	put_slot(&stream, &(struct gpmu_spe_record){
		.fields = 1U << GPMU_SPE_PC | 1U << GPMU_SPE_OP | 1U << GPMU_SPE_EVENTS | 1U << GPMU_SPE_TIME | 1U << GPMU_SPE_CONTEXT_EL1,
		.value = { [GPMU_SPE_PC] = ADDRESS, [GPMU_SPE_TIME] = 1, [GPMU_SPE_CONTEXT_EL1] = CHILD },
	}, 0);
	put_auxtrace_info(&records, PMU, 0);
	begin(&records, GPMU_PERFDATA_TIME_CONV, 0);
	put64(&records, 0);
	put64(&records, 1);
	put64(&records, 0);
	end(&records);
	begin(&records, PERF_RECORD_AUX, 0);
	put64(&records, 0);
	put64(&records, stream.length);
	put64(&records, 0);
	put_trailer(CHILD);
	put_auxtrace(&records, stream.length, 0, 0);
	put(&records, stream.bytes, stream.length);
}

/* Texts of the rows, "COMM OBJECT SAMPLES, ..." */
static const char *rows_of(const struct perf_event_attr *attrs, size_t count)
{
	static const enum gpmu_profile_key keys[] = { GPMU_PROFILE_COMM, GPMU_PROFILE_OBJECT };
	const struct gpmu_profile_options options = { .size = sizeof(options), .keys = keys, .key_count = 2 };
	struct gpmu_profile_table table = { 0 };
	struct gpmu_profile *profile;
	static char text[512];
	const char *path;
	size_t length = 0;

	file.length = 0;
	make_file(&file, attrs, count, &records, NULL, 0);
	records.length = 0;
	path = written(file.data, file.length);
	profile = gpmu_profile_new(path, &options, NULL);
	unlink(path);
	if (!profile || gpmu_profile_table(profile, keys, 2, &table))
		abort();
	text[0] = '\0';
	for (size_t i = 0; i < table.count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %s %llu", i ? ", " : "", table.rows[i].keys[0],
					   table.rows[i].keys[1], (unsigned long long)table.rows[i].samples);
	facts = (struct gpmu_profile_facts){ .size = sizeof(facts) };
	gpmu_profile_get_facts(profile, &facts);
	gpmu_profile_table_release(&table);
	gpmu_profile_free(profile);
	return text;
}

int main(void)
{
	static const char want[] = "third third.so 5, second second.so 3, first first.so 1";
	struct perf_event_attr attrs[2] = { test_attr(), test_attr() };

	attrs[0].mmap = attrs[0].comm = attrs[0].task = 1;
	attrs[0].sample_period = attrs[1].sample_period = 1;
	attrs[0].sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	put_programs(1);
	is_str(rows_of(attrs, 1), want, "profile: samples without times have the names and maps that precede them in the file");
	put_program(1);
	attrs[0].write_backward = 1;
	is_str(rows_of(attrs, 1), "second second.so 3",
	       "profile: samples of a recording with --overwrite and without times have the last names and maps");
	ok(!facts.is_in_order, "profile: a recording with --overwrite is not read in the order of the file");
	attrs[0].write_backward = 0;
	put_programs(2);
	is_str(rows_of(attrs, 2), want, "profile: samples with times have the names and maps that precede them if these have no times");
	put_programs(1);
	put_spe();
	attrs[0].type = PMU;
	is_str(rows_of(attrs, 1), "third third.so 6, second second.so 3, first first.so 1",
	       "profile: records of SPE have the last names and maps if these have no times");
	ok(facts.is_in_order && !facts.has_times, "profile: times of SPE are not compared with the order of names and maps");
	return done_testing();
}
