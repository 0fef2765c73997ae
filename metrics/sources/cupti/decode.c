// SPDX-License-Identifier: LGPL-2.1-or-later
/* The decoder: the thread of a sampler */
#include <time.h>

#include "base/raw_clock.h"
#include "cupti_decode.h"

#define SEC		1000000000ull	/* in ns */
#define ERRORS_MAX	3		/* consecutive, before a GPU is given up */
#define DRAINS_MAX	1000
#define BEHIND		3		/* naps */
#define SHORTEST_SLEEP	200000		/* ns; each decoding costs some us */

static int sample_times(const struct sampler *sampler, const struct image *image, size_t index,
			struct sample_time *times)
{
	CUpti_PmSampling_CounterData_GetSampleInfo_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_CounterData_GetSampleInfo_Params,
						endTimestamp),
		.pPmSamplingObject = sampler->object, .pCounterDataImage = image->bytes,
		.counterDataImageSize = sampler->image_size, .sampleIndex = index };
	int result = sampler->library->cupti.sample(&params);

	*times = (struct sample_time){ params.startTimestamp, params.endTimestamp };
	return result;
}

/* Submits the samples of an image with their times; returns a CUptiResult */
static int take_samples(struct sampler *sampler, struct image *image, bool full)
{
	size_t samples;
	int result = host_samples(sampler->library, image->bytes, sampler->image_size, &samples);

	if (samples > sampler->image_samples)
		samples = sampler->image_samples;
	for (size_t i = 0; i < samples && !result; i++)
		result = sample_times(sampler, image, i, &image->times[i]);
	image->samples = image->decoded = result ? 0 : samples;
	sampler->batch = samples;
	image->full = full;
	if (!image->samples)
		return result;
	image->skip = sampler->skip;
	image->reason = sampler->reason;
	/* A sample without its time is repeated in the next image. */
	sampler->skip &= image->samples == 1 && image->times[0].start == image->times[0].end;
	sampler->reason = GAP_NONE;
	images_submit(sampler, image);
	return 0;
}

static void give_up(struct sampler *sampler, int failure)
{
	messages_add(sampler->messages, "%s: sampling has failed: %s (%d)", sampler->gpu->uuid,
		     library_text(sampler->library, failure), failure);
	pthread_mutex_lock(&sampler->lock);
	sampler->dead = true;
	pthread_mutex_unlock(&sampler->lock);
}

/* Restarts sampling after a failure, or gives up the GPU. */
static void recover(struct sampler *sampler, enum gap reason, int failure)
{
	int result, errors;

	images_settle(sampler);
	pthread_mutex_lock(&sampler->lock);
	errors = ++sampler->errors;
	sampler->failure = 0;
	pthread_mutex_unlock(&sampler->lock);
	sampler->reason = reason;
	/* Decoding more often leaves fewer samples in the buffer. */
	if (sampler->nap > 2 * SHORTEST_SLEEP)
		sampler->nap /= 2;
	result = sampler_restart_hardware(sampler);
	if (result || errors >= ERRORS_MAX)
		give_up(sampler, result ? result : failure);
}

static bool is_full(const CUpti_PmSampling_DecodeData_Params *params)
{
	return params->decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
}

/* Makes one call to CUPTI and handles its failure; returns its result */
static int decode_once(struct sampler *sampler, CUpti_PmSampling_DecodeData_Params *params)
{
	struct image *image = images_free(sampler);
	int result, taken;

	*params = (CUpti_PmSampling_DecodeData_Params){
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_DecodeData_Params, overflow),
		.pPmSamplingObject = sampler->object, .pCounterDataImage = image->bytes,
		.counterDataImageSize = sampler->image_size };
	result = sampler->library->cupti.decode(params);
	taken = take_samples(sampler, image, is_full(params));
	if (params->overflow)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	return result ? result : taken;
}

/* Returns whether more samples may be waiting, so that the thread should not sleep. */
static bool decode(struct sampler *sampler)
{
	CUpti_PmSampling_DecodeData_Params params;
	int result = decode_once(sampler, &params);

	if (!result) {
		pthread_mutex_lock(&sampler->lock);
		result = sampler->failure;
		pthread_mutex_unlock(&sampler->lock);
	}
	if (result) {
		recover(sampler, result == CUPTI_ERROR_OUT_OF_MEMORY ? GAP_OVERFLOW : GAP_ERROR, result);
		return false;
	}
	if (!is_full(&params))
		return sampler->batch * sampler->period > BEHIND * sampler->nap;
	/* Depending on the metrics CUPTI drops the remaining samples, or only their times. */
	sampler->reason = GAP_IMAGE;
	return true;
}

/* The time (CLOCK_MONOTONIC_RAW) until which the thread may sleep; called with the lock held */
static uint64_t sleep_until(const struct sampler *sampler, uint64_t now)
{
	uint64_t until = now + sampler->nap, retry = sampler->period;

	if (!sampler->wanted || sampler->counts->newest >= sampler->wanted)
		return until;
	/* A sample is available one interval after its start at the latest. */
	if (sampler->wanted + sampler->period > now)
		retry = sampler->wanted + sampler->period - now;
	if (retry < SHORTEST_SLEEP)
		retry = SHORTEST_SLEEP;
	return retry < sampler->nap ? now + retry : until;
}

struct timespec sampler_deadline(uint64_t ns)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	ns += (uint64_t)time.tv_nsec;
	time.tv_sec += (time_t)(ns / SEC);
	time.tv_nsec = (long)(ns % SEC);
	return time;
}

/* Sleeps for the nap, or less if a reader waits. */
static void nap(struct sampler *sampler)
{
	uint64_t now = raw_clock_now(), begin = now, until;

	while (!sampler->stop && now < (until = sleep_until(sampler, begin))) {
		struct timespec time = sampler_deadline(until - now);

		pthread_cond_timedwait(&sampler->wake, &sampler->lock, &time);
		now = raw_clock_now();
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
		now = raw_clock_now();
		if (now > COUNTS_KEPT && now - COUNTS_KEPT > sampler->counts->settled)
			counts_settle(sampler->counts, now - COUNTS_KEPT);
		pthread_cond_broadcast(&sampler->decoded);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

void sampler_drain(struct sampler *sampler)
{
	CUpti_PmSampling_DecodeData_Params params;

	if (sampler->dead || sampler_stop_hardware(sampler))
		return;
	for (int i = 0; i < DRAINS_MAX; i++)
		if (decode_once(sampler, &params) ||
		    params.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS)
			return;
}
