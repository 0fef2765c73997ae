// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Images of a sampler without CUPTI: several threads evaluate images, some slowly, and the samples are counted in the
 * order of time. Gaps before an image have a reason.
 */
#include <errno.h>
#include <time.h>

#include "cupti-test.h"
#include "cupti_decode.h"

#define MS		1000000ull	/* in ns */
#define T0		5000000123ull
#define IMAGE_SIZE	8192
#define SAMPLES		10	/* of an image */
#define IMAGES		300

static const char *const names[] = { "a.sum", "b.avg" };
static const struct count_event events[] = { { false, 1 }, { true, 1 } };

static int failing;	/* first byte of the image whose evaluation fails */

/* The fake CUPTI checks nothing of an object but its pointer. */
static int initialize(CUpti_Profiler_Host_Initialize_Params *params)
{
	params->pHostObject = (CUpti_Profiler_Host_Object *)names;
	return CUPTI_SUCCESS;
}

static int deinitialize(CUpti_Profiler_Host_Deinitialize_Params *params)
{
	return params->pHostObject ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

static int add_metrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
	return params->numMetrics == 2 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/* The count is the image's first byte, the mean is 50. Every third image takes 200 us. */
static int evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
	const struct timespec while_ = { .tv_nsec = 200000 };
	int byte = params->pCounterDataImage[0];

	if (!params->rangeIndex && byte % 3 == 0)
		nanosleep(&while_, NULL);
	params->pMetricValues[0] = byte;
	params->pMetricValues[1] = 50;
	return byte == failing ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

static struct library library = {
	.cupti = { .initialize = initialize, .deinitialize = deinitialize, .add_metrics = add_metrics,
		   .evaluate = evaluate },
};

/* Begins an enabled sampler with @threads threads that evaluate images. */
static void begin(struct sampler *sampler, struct counts *counts, struct messages *messages,
		  size_t threads)
{
	static const struct gpu gpu = { .uuid = "GPU-0", .chip = "GH100" };
	struct host host = { .library = &library, .chip = (char *)"GH100" };

	messages_init(messages);
	sampler_init(sampler, &library, &gpu, messages);
	if (counts_init(counts, events, 2) || counts_switch(counts, T0, true))
		exit(1);
	sampler->counts = counts;
	sampler->names = names;
	sampler->length = 2;
	sampler->period = MS;
	sampler->threads = threads;
	sampler->images_len = threads + 3;
	sampler->image_samples = SAMPLES;
	sampler->image_size = IMAGE_SIZE;
	sampler->empty = calloc(1, IMAGE_SIZE);
	if (!sampler->empty || images_init(sampler, &host))
		exit(1);
	sampler_begin(sampler);
}

static void end(struct sampler *sampler, struct counts *counts, struct messages *messages)
{
	images_release(sampler);
	free(sampler->empty);
	sampler_release(sampler);
	counts_release(counts);
	messages_release(messages);
}

/* Submits an image of ten samples of a millisecond each. Returns their end, 0 if the free image was not empty. */
static uint64_t submit(struct sampler *sampler, uint64_t start, int byte, bool is_skipped, enum gap reason)
{
	struct image *image = images_free(sampler);

	if (image->bytes[0])
		return 0;
	image->bytes[0] = (uint8_t)byte;
	image->samples = SAMPLES;
	image->is_skipped = is_skipped;
	image->reason = reason;
	for (size_t i = 0; i < SAMPLES; i++)
		image->times[i] = (struct sample_time){ start + i * MS, start + (i + 1) * MS };
	images_submit(sampler, image);
	return start + SAMPLES * MS;
}

static void in_order(size_t threads)
{
	struct messages messages;
	struct sampler sampler;
	struct counts counts;
	uint64_t time = T0, sum = 0;
	size_t unclean = 0;

	begin(&sampler, &counts, &messages, threads);
	is_u64(sampler.workers_len, threads, "images: all evaluating threads are started");
	for (int i = 0; i < IMAGES; i++) {
		uint64_t behind = submit(&sampler, time, 1 + i % 200, false, GAP_NONE);

		unclean += !behind;
		time += SAMPLES * MS;
		sum += SAMPLES * (uint64_t)(1 + i % 200);
	}
	images_settle(&sampler);
	counts_settle(&counts, time);
	is_u64(unclean, 0, "images: a free image is empty");
	is_u64(sampler.samples, IMAGES * SAMPLES, "images: each sample is counted");
	is_u64(counts.counts[0].raw, sum, "images: each sample is counted with its value");
	is_u64(counts.counts[0].running, time - T0,
	       "images: samples are counted in the order of time, so none is lost");
	is_u64(sampler.gaps[GAP_NONE].number, 0, "images: contiguous images have no gap");
	end(&sampler, &counts, &messages);
}

static void missing(void)
{
	struct messages messages;
	struct sampler sampler;
	struct counts counts;
	uint64_t time = T0;

	begin(&sampler, &counts, &messages, 3);
	time = submit(&sampler, time, 3, true, GAP_NONE);
	time = submit(&sampler, time, 1, false, GAP_NONE);
	time = submit(&sampler, time + 7 * MS, 1, true, GAP_OVERFLOW);
	time = submit(&sampler, time, 1, false, GAP_NONE);
	time = submit(&sampler, time + 2 * MS, 1, false, GAP_NONE);
	images_settle(&sampler);
	is_u64(sampler.samples, 5 * SAMPLES - 2, "images: an invalid first sample is left out");
	is_u64(sampler.gaps[GAP_OVERFLOW].number, 1, "images: a gap is counted by its reason");
	is_u64(sampler.gaps[GAP_OVERFLOW].length, 8 * MS,
	       "images: a gap includes the invalid sample after it");
	is_u64(sampler.gaps[GAP_NONE].length, 2 * MS,
	       "images: a gap of unknown reason is counted as such");
	sampler_report(&sampler, false);
	ok(strstr(messages_take(&messages), "not sampled for 2.000 ms in 1 gap:"),
	   "images: a gap of unknown reason is reported");
	ok(strstr(messages_take(&messages), "not sampled for 8.000 ms in 1 gap: the hardware's"),
	   "images: a gap by a full hardware buffer is reported");
	submit(&sampler, time + 4 * MS, 1, false, GAP_IMAGE);
	images_settle(&sampler);
	sampler_report(&sampler, false);
	ok(!messages_take(&messages),
	   "images: a gap within a second after a report is not reported at once");
	sampler_report(&sampler, true);
	ok(strstr(messages_take(&messages), "4.000 ms in 1 gap: its samples were decoded too late"),
	   "images: the final report has the remaining gaps");
	end(&sampler, &counts, &messages);
}

/* Images seem apart, or overlap, by less than a quarter of the interval. */
static void seem_apart(void)
{
	struct messages messages;
	struct sampler sampler;
	struct counts counts;
	uint64_t time = T0;

	begin(&sampler, &counts, &messages, 1);
	time = submit(&sampler, time, 1, false, GAP_NONE);
	time = submit(&sampler, time + 300, 1, false, GAP_NONE);
	time = submit(&sampler, time - 300, 1, false, GAP_NONE);
	time = submit(&sampler, time + MS / 5, 1, false, GAP_NONE);
	images_settle(&sampler);
	counts_settle(&counts, time);
	is_u64(counts.counts[0].running, time - T0,
	       "images: a small gap or overlap between images is closed");
	is_u64(counts.counts[0].raw, 4 * SAMPLES, "images: joined images keep all of their counts");
	is_u64(sampler.gaps[GAP_NONE].number, 0,
	       "images: a small distance between images is no gap");
	submit(&sampler, time - 20 * MS, 1, false, GAP_NONE);
	images_settle(&sampler);
	is_u64(sampler.samples, 4 * SAMPLES,
	       "images: samples before the newest one are not counted again");
	end(&sampler, &counts, &messages);
}

static void failure(void)
{
	struct messages messages;
	struct sampler sampler;
	struct counts counts;
	uint64_t time = T0;

	begin(&sampler, &counts, &messages, 2);
	failing = 7;
	for (int i = 1; i < 20; i++)
		time = submit(&sampler, time, i, false, GAP_NONE);
	images_settle(&sampler);
	failing = 0;
	is_u64(sampler.samples, 18 * SAMPLES,
	       "images: an image that cannot be evaluated is left out");
	is_u64((uint64_t)sampler.failure, CUPTI_ERROR_UNKNOWN,
	       "images: the decoder gets the error of a failed evaluation");
	is_u64(sampler.gaps[GAP_NONE].length, SAMPLES * MS,
	       "images: an image that cannot be evaluated is a gap");
	end(&sampler, &counts, &messages);
}

int main(void)
{
	in_order(0);
	in_order(1);
	in_order(6);
	missing();
	seem_apart();
	failure();
	return done_testing();
}
