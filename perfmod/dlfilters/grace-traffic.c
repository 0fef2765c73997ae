// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf script --dlfilter grace-traffic.so: bandwidth over time of a recording of
 * leader-sampled counters, {cpu-clock,nvidia_scf_pmu_0/cmem_rd_data/,...}:S.
 *
 * Filters get no read values. But perf makes a sample for each member of the group: its
 * event, id, and as period the difference of its count from that in the previous sample.
 * It makes no sample of a member whose count did not change. The time of the leader's sample, which
 * comes first, is then the end of an interval without counts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlfilter.h"

#define NS_PER_MS	1000000
#define DEFAULT_MS	100
#define MS_MAX		1000000000

struct perf_dlfilter_fns perf_dlfilter_fns;

/* A member of a group on one CPU */
struct member {
	uint64_t id;
	char *event;
	int32_t cpu;
	uint32_t bytes;		/* of one count, 0 if the event counts no bytes */
	uint64_t first;		/* time of the first sample */
	uint64_t begin;		/* of the interval */
	uint64_t end;		/* time of the last sample on the CPU */
	uint64_t count;		/* from begin to end */
};

struct traffic {
	struct member *members;
	size_t used;
	uint64_t interval;	/* ns */
	uint64_t first;		/* time of the first sample */
	uint64_t rows;
};

/* Bytes of a count by the end of the event's name, see pmu-events. Data beats have 32 bytes. */
static const struct {
	const char *end;
	uint32_t bytes;
} units[] = {
	{ "rd_data", 32 }, { "wb_data", 32 }, { "wr_data", 1 }, { "bytes", 1 }, { "bytes_loc", 1 }, { "bytes_rem", 1 },
};

/* "nvidia_scf_pmu_0/cmem_rd_data/" or "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x1/" */
static uint32_t bytes_of(const char *event)
{
	const char *name = strchr(event, '/');
	size_t length;

	if (!name)
		return 0;
	length = strcspn(++name, ",/");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t end = strlen(units[i].end);

		if (length >= end && !strncmp(name + length - end, units[i].end, end))
			return units[i].bytes;
	}
	return 0;
}

static struct member *member_of(struct traffic *traffic, const struct perf_dlfilter_sample *sample)
{
	struct member *members, *member;

	for (size_t i = 0; i < traffic->used; i++) {
		if (traffic->members[i].id == sample->id)
			return &traffic->members[i];
	}
	members = realloc(traffic->members, (traffic->used + 1) * sizeof(*members));
	if (!members)
		return NULL;
	traffic->members = members;
	member = &members[traffic->used];
	*member = (struct member){
		.id = sample->id, .event = strdup(sample->event), .cpu = sample->cpu,
		.bytes = bytes_of(sample->event), .first = sample->time, .begin = sample->time,
		.end = sample->time,
	};
	if (!member->event)
		return NULL;
	traffic->used++;
	return member;
}

/* Prints the member's interval up to the last sample, and begins the next. */
static void print_interval(struct traffic *traffic, struct member *member)
{
	uint64_t ns = member->end - member->begin;

	if (!ns)
		return;
	if (!traffic->rows++)
		printf("#    begin s       end s  CPU            per second  event\n");
	printf("%12.6f %11.6f %4d ", (member->begin - traffic->first) / 1e9,
	       (member->end - traffic->first) / 1e9, member->cpu);
	if (member->bytes)
		printf("%16.3f GB", (double)member->count * member->bytes / ns);
	else
		printf("%16.3f M ", (double)member->count * 1e3 / ns);
	printf("   %s\n", member->event);
	member->begin = member->end;
	member->count = 0;
}

/* Ends the intervals that are complete when a sample comes. */
static void advance(struct traffic *traffic, const struct perf_dlfilter_sample *sample)
{
	for (size_t i = 0; i < traffic->used; i++) {
		struct member *member = &traffic->members[i];

		if (member->cpu != sample->cpu || sample->time <= member->end)
			continue;
		if (member->end - member->begin >= traffic->interval)
			print_interval(traffic, member);
		member->end = sample->time;
	}
	if (!traffic->first)
		traffic->first = sample->time;
}

/* --- perf's interface */

int start(void **data, void *ctx)
{
	struct traffic *traffic = calloc(1, sizeof(*traffic));
	unsigned long ms = DEFAULT_MS;
	int count = 0;
	char **args;

	if (!traffic)
		return -ENOMEM;
	args = perf_dlfilter_fns.args(ctx, &count);
	if (count > 0) {
		char *end;

		ms = strtoul(args[0], &end, 10);
		if (*end || end == args[0] || count > 1 || !ms || ms > MS_MAX) {
			fprintf(stderr, "grace-traffic.so: --dlarg %s: expected the length of an "
				"interval in milliseconds\n", args[count > 1]);
			free(traffic);
			return -EINVAL;
		}
	}
	traffic->interval = (uint64_t)ms * NS_PER_MS;
	*data = traffic;
	return 0;
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct traffic *traffic = data;
	struct member *member;

	(void)ctx;
	if (!sample_has(sample, event) || !sample->event)
		return -EINVAL;
	advance(traffic, sample);
	/* The leader is an event of the kernel without a PMU in its name */
	if (!strchr(sample->event, '/') || !sample->id)
		return SAMPLE_DROP;
	member = member_of(traffic, sample);
	if (!member)
		return -ENOMEM;
	/* The first count has no known begin */
	if (sample->time > member->first)
		member->count += sample->period;
	return SAMPLE_DROP;
}

int stop(void *data, void *ctx)
{
	struct traffic *traffic = data;

	(void)ctx;
	/* perf calls stop() also after start() failed */
	if (!traffic)
		return 0;
	for (size_t i = 0; i < traffic->used; i++) {
		print_interval(traffic, &traffic->members[i]);
		free(traffic->members[i].event);
	}
	if (!traffic->rows)
		printf("# no counts of PMUs in leader samples: grace-traffic.so needs a recording by "
		       "perf record -a -e '{cpu-clock,nvidia_scf_pmu_0/cmem_rd_data/}:S'\n");
	free(traffic->members);
	free(traffic);
	return 0;
}

const char *filter_description(const char **long_description)
{
	*long_description = "Prints the bandwidth of leader-sampled counters over time, instead of samples:\n"
			    "perf record -a -e '{cpu-clock,nvidia_scf_pmu_0/cmem_rd_data/}:S'\n"
			    "--dlarg MS averages over MS milliseconds (default 100).\n"
			    "Events that count no bytes are printed in millions per second.";
	return "Bandwidth of leader-sampled fabric counters over time";
}
