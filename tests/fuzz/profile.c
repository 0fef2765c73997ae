// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any file is read as a recording of perf up to its damage, or refused with an offset and the expected content. All
 * tables have the samples of the events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/gpmu_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

static const enum gpmu_profile_key keys[][GPMU_PROFILE_KEYS_MAX] = {
	{ GPMU_PROFILE_FUNCTION, GPMU_PROFILE_OBJECT, GPMU_PROFILE_TIER, GPMU_PROFILE_HOME, GPMU_PROFILE_DATA,
	  GPMU_PROFILE_CPU },
	{ GPMU_PROFILE_COMM, GPMU_PROFILE_STACK, GPMU_PROFILE_LINE, GPMU_PROFILE_PAGE, GPMU_PROFILE_OP,
	  GPMU_PROFILE_PROCESS },
};

static volatile size_t length;	/* keeps the reads */

static void must(int promise)
{
	if (!promise)
		abort();
}

static void check_table(const struct gpmu_profile *profile, const enum gpmu_profile_key *list, size_t count,
			uint64_t samples)
{
	struct gpmu_profile_table table;
	uint64_t sum = 0;

	must(!gpmu_profile_table(profile, list, count, &table));
	for (size_t i = 0; i < table.count; i++) {
		const struct gpmu_profile_row *row = &table.rows[i];

		must(row->event < gpmu_profile_event_count(profile) && row->samples >= row->latency_samples);
		must(row->latency_max <= row->latency);
		for (size_t k = 0; k < count; k++)
			length += row->keys[k] ? strlen(row->keys[k]) : 0;
		sum += row->samples;
	}
	must(sum == samples);
	gpmu_profile_table_release(&table);
}

static void check(const struct gpmu_profile *profile, const enum gpmu_profile_key *list)
{
	struct gpmu_profile_facts facts = { .size = sizeof(facts) };
	uint64_t samples = 0;
	const char *why;

	must(!gpmu_profile_get_facts(profile, &facts) && facts.info && !facts.is_stopped);
	for (size_t i = 0; i < gpmu_profile_event_count(profile); i++) {
		struct gpmu_profile_event event;

		gpmu_profile_event(profile, i, &event);
		must(event.event ? event.event->index == i : event.is_spe);
		samples += event.samples;
	}
	for (size_t count = 0; count <= GPMU_PROFILE_KEYS_MAX; count += 3)
		check_table(profile, list, count, samples);
	for (size_t i = 0; gpmu_profile_without_functions(profile, i, &why); i++)
		must(*why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("profile", 0);
	char path[32];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < LENGTH(keys); i++) {
		struct gpmu_profile_options options = { .size = sizeof(options), .keys = keys[i],
							.key_count = GPMU_PROFILE_KEYS_MAX };
		struct gpmu_error error = { .size = sizeof(error) };
		struct gpmu_profile *profile = gpmu_profile_new(path, &options, &error);

		if (profile)
			check(profile, keys[i]);
		else
			must(errno == EINVAL && !strncmp(error.text, path, strlen(path)));
		gpmu_profile_free(profile);
	}
	close(fd);
	return 0;
}
