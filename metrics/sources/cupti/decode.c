// SPDX-License-Identifier: LGPL-2.1-or-later
/* The thread of a sampler */
#include <time.h>

#include "cupti_decode.h"

#define SEC		1000000000ull	/* in ns */
#define MOST_ERRORS	3		/* one after the other, before a GPU is given up */
#define MOST_DRAINS	1000
#define SHORTEST_SLEEP	200000		/* ns; each decoding costs some us */

static uint64_t now_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * SEC + (uint64_t)time.tv_nsec;
}

static int sample_times(const struct sampler *sampler, size_t index, struct sample_time *times)
{
	CUpti_PmSampling_CounterData_GetSampleInfo_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_CounterData_GetSampleInfo_Params,
						endTimestamp),
		.pPmSamplingObject = sampler->object, .pCounterDataImage = sampler->image,
		.counterDataImageSize = sampler->image_size, .sampleIndex = index };
	int result = sampler->library->cupti.sample(&params);

	*times = (struct sample_time){ params.startTimestamp, params.endTimestamp };
	return result;
}

/* Time without samples; where they only seem apart the clocks' interpolation is the reason. */
static void find_gap(struct sampler *sampler, uint64_t start)
{
	uint64_t newest = sampler->counts->newest;

	if (newest && start > newest && start - newest > sampler->period / 4) {
		sampler->gaps[sampler->reason].number++;
		sampler->gaps[sampler->reason].length += start - newest;
	}
	sampler->reason = GAP_NONE;
}

/* One sample, with its values at sampler->values; one that is not used gets no length. */
static void take_sample(struct sampler *sampler, struct sample_time *times)
{
	bool used = !sampler->skip;

	sampler->skip = false;
	pthread_mutex_lock(&sampler->lock);
	if (times->start < sampler->counts->newest)
		times->start = sampler->counts->newest;
	if (!used || times->start >= times->end) {
		times->start = times->end;
	} else {
		find_gap(sampler, times->start);
		sampler->errors = 0;
		sampler->samples++;
		if (counts_add(sampler->counts, times->start, times->end, sampler->values))
			sampler->reason = GAP_MEMORY;
	}
	pthread_mutex_unlock(&sampler->lock);
}

/* The samples that the image has, and an empty one; a CUptiResult */
static int take_image(struct sampler *sampler)
{
	struct sample_time times;
	size_t samples;
	int result = host_samples(sampler->library, sampler->image, sampler->image_size, &samples);

	for (size_t i = 0; i < samples && !result; i++) {
		result = sample_times(sampler, i, &times);
		if (!result)
			result = evaluator_values(&sampler->evaluator, sampler->image,
						  sampler->image_size, i, sampler->values);
		if (result)
			break;
		take_sample(sampler, &times);
		if (sampler->times && i < sampler->image_samples)
			sampler->times[i] = times;
	}
	if (!result && samples && sampler->saver && samples <= sampler->image_samples)
		saver_samples(sampler->saver, sampler->saver_run, sampler->image, sampler->empty,
			      sampler->image_size, sampler->times, samples);
	if (!result && samples)
		result = sampler_reset_image(sampler);
	return result;
}

/* Nothing else brings samples back: the hardware's buffer stays full. */
static void restart(struct sampler *sampler, enum gap reason, int failure)
{
	int result;

	sampler->reason = reason;
	sampler->errors++;
	/* What was too much to hold is less if it is fetched sooner. */
	if (sampler->nap > 2 * SHORTEST_SLEEP)
		sampler->nap /= 2;
	sampler_disable(sampler);
	result = sampler_enable(sampler, 0);
	if (!result && sampler->errors < MOST_ERRORS)
		return;
	if (result)
		failure = result;
	messages_add(sampler->messages, "%s: it cannot be sampled any more: %s (%d)", sampler->gpu->uuid,
		     library_text(sampler->library, failure), failure);
	pthread_mutex_lock(&sampler->lock);
	sampler->dead = true;
	pthread_mutex_unlock(&sampler->lock);
}

/* Decodes once. Returns whether there may be more at once. */
static bool decode(struct sampler *sampler)
{
	CUpti_PmSampling_DecodeData_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_DecodeData_Params, overflow),
		.pPmSamplingObject = sampler->object, .pCounterDataImage = sampler->image,
		.counterDataImageSize = sampler->image_size };
	int result = sampler->library->cupti.decode(&params);
	int taken = take_image(sampler);

	if (params.overflow || result == CUPTI_ERROR_OUT_OF_MEMORY) {
		restart(sampler, GAP_OVERFLOW, CUPTI_ERROR_OUT_OF_MEMORY);
		return false;
	}
	if (result || taken) {
		restart(sampler, GAP_ERROR, result ? result : taken);
		return false;
	}
	if (params.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL) {
		/* The rest of what the hardware had is lost; the next sample begins in it. */
		sampler->reason = GAP_IMAGE;
		sampler->skip = true;
		return true;
	}
	return false;
}

/* Until when the thread may sleep, CLOCK_MONOTONIC_RAW; the lock is held. */
static uint64_t sleep_until(const struct sampler *sampler, uint64_t now)
{
	uint64_t until = now + sampler->nap, retry = sampler->period;

	if (!sampler->wanted || sampler->counts->newest >= sampler->wanted)
		return until;
	/* The sample that somebody waits for is there an interval after it has begun, at last. */
	if (sampler->wanted + sampler->period > now)
		retry = sampler->wanted + sampler->period - now;
	if (retry < SHORTEST_SLEEP)
		retry = SHORTEST_SLEEP;
	return retry < sampler->nap ? now + retry : until;
}

/* Sleeps for the nap, or less where somebody waits. */
static void nap(struct sampler *sampler)
{
	uint64_t now = now_of(CLOCK_MONOTONIC_RAW), begin = now, until;

	while (!sampler->stop && now < (until = sleep_until(sampler, begin))) {
		uint64_t end = now_of(CLOCK_MONOTONIC) + until - now;
		struct timespec time = { .tv_sec = (time_t)(end / SEC), .tv_nsec = (long)(end % SEC) };

		pthread_cond_timedwait(&sampler->wake, &sampler->lock, &time);
		now = now_of(CLOCK_MONOTONIC_RAW);
	}
}

void *sampler_decode(void *data)
{
	struct sampler *sampler = data;
	bool more = false;
	uint64_t now;

	pthread_mutex_lock(&sampler->lock);
	while (!sampler->stop && !sampler->dead) {
		if (!more)
			nap(sampler);
		pthread_mutex_unlock(&sampler->lock);
		more = decode(sampler);
		pthread_mutex_lock(&sampler->lock);
		now = now_of(CLOCK_MONOTONIC_RAW);
		if (now > COUNTS_KEPT && now - COUNTS_KEPT > sampler->counts->settled)
			counts_settle(sampler->counts, now - COUNTS_KEPT);
		pthread_cond_broadcast(&sampler->decoded);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

void sampler_drain(struct sampler *sampler)
{
	CUpti_PmSampling_DecodeData_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_DecodeData_Params, overflow),
		.pPmSamplingObject = sampler->object, .pCounterDataImage = sampler->image,
		.counterDataImageSize = sampler->image_size };

	if (sampler->dead || sampler_stop_hardware(sampler))
		return;
	for (int i = 0; i < MOST_DRAINS; i++) {
		if (sampler->library->cupti.decode(&params) || take_image(sampler) || params.overflow ||
		    params.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS)
			return;
	}
}

static const struct {
	const char *name, *text;
} reasons[GAPS] = {
	[GAP_NONE] = { "unknown", "the GPU gave no samples" },
	[GAP_OVERFLOW] = { "overflow",
			   "the hardware's buffer was full: sample less often, or give buffer=" },
	[GAP_IMAGE] = { "image", "its samples were decoded too late: sample less often, or fewer metrics" },
	[GAP_ERROR] = { "error", "CUPTI failed and was started anew" },
	[GAP_MEMORY] = { "memory", "there was no memory for its samples" },
};

const char *sampler_gap(enum gap gap)
{
	return reasons[gap].name;
}

void sampler_report(struct sampler *sampler)
{
	for (enum gap gap = 0; gap < GAPS; gap++) {
		struct gaps *gaps = &sampler->gaps[gap];
		uint64_t number, length;

		pthread_mutex_lock(&sampler->lock);
		number = gaps->number - gaps->said_number;
		length = gaps->length - gaps->said_length;
		gaps->said_number = gaps->number;
		gaps->said_length = gaps->length;
		pthread_mutex_unlock(&sampler->lock);
		if (number)
			messages_add(sampler->messages, "%s: not sampled for %.3f ms in %llu gap%s: %s",
				     sampler->gpu->uuid, (double)length / 1e6, (unsigned long long)number,
				     number == 1 ? "" : "s", reasons[gap].text);
	}
}
