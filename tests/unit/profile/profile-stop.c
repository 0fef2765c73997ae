// SPDX-License-Identifier: LGPL-2.1-or-later
/* Profiles and traces of a recording whose progress() ends reading: they have all that was read until then. */
#include <unistd.h>

#include "import/gpmu_import.h"
#include "perfdata/perfdata-test.h"
#include "profile/gpmu_profile.h"
#include "spe/spe-test.h"

#define SAMPLES		20000
#define ROUND		4096	/* records between two calls of progress() */
#define PMU		9	/* type of SPE's PMU */
#define PARTS		8	/* AUX buffers before the samples, and after them */
#define SLOTS		10	/* records of SPE in each */

static struct made file, records;
static struct stream stream;

/* Ends reading at the second call, and whenever it is called again, as Ctrl-C does. */
static int stop(void *user, uint64_t done, uint64_t total)
{
	int *calls = user;

	(void)done;
	(void)total;
	return ++*calls >= 2;
}

static void put_parts(uint64_t first)
{
	for (uint64_t i = first; i < first + PARTS; i++) {
		stream.length = 0;
		for (uint64_t tick = 0; tick < SLOTS; tick++)
			put_slot(&stream, &(struct gpmu_spe_record){
				.fields = 1u << GPMU_SPE_PC | 1u << GPMU_SPE_TIME, .value = { [GPMU_SPE_TIME] = 1000 + i * SLOTS + tick },
			}, 0);
		put_auxtrace(&records, stream.length, i * stream.length, 0);
		put(&records, stream.bytes, stream.length);
	}
}

static void put_time_conv(void)
{
	begin(&records, GPMU_PERFDATA_TIME_CONV, 0);
	put64(&records, 0);
	put64(&records, 1);
	for (int i = 0; i < 4; i++)
		put64(&records, 0);
	end(&records);
}

static void test_profile(const char *path)
{
	int calls = 0;
	struct gpmu_profile_options options = { .size = sizeof(options), .progress = stop, .user = &calls };
	struct gpmu_profile_facts facts = { .size = sizeof(facts) };
	struct gpmu_profile *profile = gpmu_profile_new(path, &options, NULL);
	struct gpmu_profile_event event = { 0 }, spe = { 0 };

	if (profile) {
		gpmu_profile_get_facts(profile, &facts);
		gpmu_profile_event(profile, 0, &event);
		gpmu_profile_event(profile, 1, &spe);
	}
	ok(facts.is_stopped && !facts.is_damaged, "profile: reading that progress() ends is reported as stopped");
	is_u64(event.samples, 2 * ROUND - PARTS - 2, "profile: the samples that were read before progress() ended reading are counted");
	is_u64(spe.is_spe ? spe.samples : 0, PARTS * SLOTS,
	       "profile: the records of SPE in the AUX buffers that were read before progress() ended reading are counted");
	gpmu_profile_free(profile);
}

static void test_import(const char *path)
{
	int calls = 0;
	struct gpmu_import_options options = { .size = sizeof(options), .progress = stop, .user = &calls };
	struct gpmu_import_facts facts = { .size = sizeof(facts) };
	FILE *trace = tmpfile();
	int ret = trace ? gpmu_import(path, fileno(trace), &options, &facts, NULL) : -1;

	ok(!ret && facts.is_stopped && !facts.is_damaged, "import: reading that progress() ends is reported as stopped");
	is_u64(facts.samples, 2 * ROUND - PARTS - 2, "import: the samples that were read before progress() ended reading are imported");
	is_u64(facts.spe, PARTS * SLOTS,
	       "import: the records of SPE in the AUX buffers that were read before progress() ended reading are imported");
	if (trace)
		fclose(trace);
}

int main(void)
{
	const struct perf_event_attr attr = test_attr();
	const char *path;

	put_time_conv();
	put_auxtrace_info(&records, PMU, 0);
	put_parts(0);
	for (uint64_t i = 0; i < SAMPLES; i++)
		put_sample(&records, 1, 0x10000, 7, 1000 + i);
	put_parts(PARTS);
	make_file(&file, &attr, 1, &records, NULL, 0);
	path = written(file.data, file.length);
	test_profile(path);
	test_import(path);
	unlink(path);
	return done_testing();
}
