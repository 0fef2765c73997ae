// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A complete plugin: gpmu-clock.so has a PMU "clock" with an event "ns",
 * which counts elapsed time.
 */
#include <errno.h>
#include <stdlib.h>

#include <gpmu-source.h>

struct clock {
	uint64_t since, sum;
	int enabled;
};

static const char *const formats[] = { "event", "config:0-7", NULL };
static const char *const events[] = { "ns", "event=1", NULL };
static const struct gpmu_source_pmu pmus[] = { {
	.size = sizeof(pmus[0]),
	.name = "clock",
	.node = -1,
	.counters = 1,
	.counter_width = 64,
	.cycle_counter = 0,
	.formats = formats,
	.events = events,
} };

static int clock_open(void **source, const char *options,
		      struct gpmu_error *error)
{
	(void)options;
	(void)error;
	*source = calloc(1, sizeof(struct clock));
	return *source ? 0 : -ENOMEM;
}

static void clock_close(void *source)
{
	free(source);
}

static const struct gpmu_source_pmu *clock_pmu(void *source,
					       size_t index)
{
	(void)source;
	return index ? NULL : pmus;
}

static int clock_group_open(void *source, size_t pmu,
			    const struct gpmu_source_event *event,
			    size_t length, void **group,
			    struct gpmu_error *error)
{
	(void)pmu;
	(void)error;
	if (length > 1)
		return -ENOSPC;
	if (event->config != 1)
		return -ENOENT;
	*group = source;
	return 0;
}

static void clock_group_close(void *source, void *group)
{
	(void)source;
	(void)group;
}

static int clock_enable(void *source, uint64_t time)
{
	struct clock *clock = source;

	clock->since = time;
	clock->enabled = 1;
	return 0;
}

static int clock_disable(void *source, uint64_t time)
{
	struct clock *clock = source;

	clock->sum += time - clock->since;
	clock->enabled = 0;
	return 0;
}

static int clock_group_read(void *source, void *group, uint64_t time,
			    struct gpmu_source_count *counts)
{
	const struct clock *clock = source;

	(void)group;
	counts->raw = clock->sum;
	if (clock->enabled)
		counts->raw += time - clock->since;
	counts->enabled = counts->raw;
	counts->running = counts->raw;
	return 0;
}

const struct gpmu_source_plugin gpmu_source_plugin = {
	.size = sizeof(gpmu_source_plugin),
	.abi = GPMU_SOURCE_ABI,
	.name = "clock",
	.open = clock_open,
	.close = clock_close,
	.pmu = clock_pmu,
	.group_open = clock_group_open,
	.group_close = clock_group_close,
	.enable = clock_enable,
	.disable = clock_disable,
	.group_read = clock_group_read,
};
