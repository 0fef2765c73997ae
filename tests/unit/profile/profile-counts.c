// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples, periods and losses of a recording are counted once. */
#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"

static struct made records, file;

/* Reads a file of one event with the records that were made. */
static struct gpmu_profile *read_records(const struct perf_event_attr *attr)
{
	struct gpmu_profile_options options = { .size = sizeof(options) };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_profile *profile;
	const char *path;

	file.length = 0;
	make_file(&file, attr, 1, &records, NULL, 0);
	records.length = 0;
	path = written(file.data, file.length);
	profile = gpmu_profile_new(path, &options, &error);
	unlink(path);
	if (!profile) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	return profile;
}

static struct gpmu_profile_facts facts_of(const struct gpmu_profile *profile)
{
	struct gpmu_profile_facts facts = { .size = sizeof(facts) };

	gpmu_profile_get_facts(profile, &facts);
	return facts;
}

static void put_lost(uint32_t type, uint64_t lost)
{
	begin(&records, type, 0);
	if (type == PERF_RECORD_LOST)
		put64(&records, 1);
	put64(&records, lost);
	put64(&records, 0);	/* trailer: thread, time, id */
	put64(&records, 0);
	put64(&records, 1);
	end(&records);
}

static void test_lost(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_profile *profile;

	put_lost(PERF_RECORD_LOST, 3);
	put_lost(PERF_RECORD_LOST_SAMPLES, 2);
	put_lost(PERF_RECORD_LOST, 4);
	profile = read_records(&attr);
	is_u64(facts_of(profile).lost, 7, "profile: losses that both LOST and LOST_SAMPLES have are counted once");
	gpmu_profile_free(profile);
	put_lost(PERF_RECORD_LOST, 3);
	put_lost(PERF_RECORD_LOST_SAMPLES, 5);
	profile = read_records(&attr);
	is_u64(facts_of(profile).lost, 5, "profile: losses are those of LOST_SAMPLES if LOST has fewer");
	gpmu_profile_free(profile);
}

int main(void)
{
	test_lost();
	return done_testing();
}
