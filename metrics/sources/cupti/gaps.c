// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages of a sampler about time without samples */
#include <time.h>

#include "base/text/gpmu_plural.h"
#include "cupti_sampling.h"

#define REPORT_EACH	1	/* s, while gaps continue */

static const struct {
	const char *name, *text;
} reasons[GAPS] = {
	[GAP_NONE] = { "unknown", "the GPU delivered no samples" },
	[GAP_OVERFLOW] = { "overflow",
			   "the hardware's buffer was full: sample less often, or increase buffer=" },
	[GAP_IMAGE] = { "image", "its samples were decoded too late: sample less often, or fewer metrics" },
	[GAP_ERROR] = { "error", "CUPTI failed and was restarted" },
	[GAP_MEMORY] = { "memory", "there was no memory for its samples" },
};

const char *sampler_gap(enum gap gap)
{
	return reasons[gap].name;
}

void sampler_begin(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
	sampler->has_begun = true;
	pthread_mutex_unlock(&sampler->lock);
}

void sampler_report(struct sampler *sampler, bool is_due)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	if (!is_due && sampler->reported && time.tv_sec <= sampler->reported + REPORT_EACH)
		return;
	for (enum gap gap = 0; gap < GAPS; gap++) {
		struct gaps *gaps = &sampler->gaps[gap];
		uint64_t number, length;

		pthread_mutex_lock(&sampler->lock);
		number = gaps->number - gaps->reported_number;
		length = gaps->length - gaps->reported_length;
		gaps->reported_number = gaps->number;
		gaps->reported_length = gaps->length;
		pthread_mutex_unlock(&sampler->lock);
		if (!number)
			continue;
		sampler->reported = time.tv_sec;
		messages_add(sampler->messages, "%s: not sampled for %.3f ms in %llu %s: %s",
			     sampler->gpu->uuid, (double)length / 1e6, (unsigned long long)number,
			     gpmu_plural(number, "gap", "gaps"), reasons[gap].text);
	}
}
