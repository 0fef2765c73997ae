// SPDX-License-Identifier: LGPL-2.1-or-later
/* PM sampling in the GPU: its configuration, its buffer, and the image into which CUPTI decodes the buffer */
#include <stdlib.h>
#include <unistd.h>

#include "cupti_decode.h"

#define SEC		1000000000ull	/* in ns */

/*
 * The decoder sleeps for a quarter of the time in which the image fills, so that it may come late. Resetting an image
 * takes time by its size.
 */
#define IMAGE_TIME	(2 * SEC / 5)
#define IMAGE_BYTES	(64u << 20)
#define IMAGE_FEWEST	64
#define LONGEST_NAP	(SEC / 10)
#define SHORTEST_NAP	200000

/*
 * Estimated costs of a sample. Decoding takes most time on a busy GPU, whose short counters are sent whenever they are full. If
 * a sample costs more than a third of the interval, workers with twice the capacity needed evaluate the samples, and the
 * decoder sleeps less: fresh samples are still in the caches, which saves a third of the time.
 */
#define DECODE_COST	60000	/* ns */
#define EVALUATE_COST	1500	/* ns for each metric */
#define RESET_BYTES	2	/* bytes of the image that are emptied in 1 ns */
#define BUSY_NAP	2000000
#define BUSY_NAP_PERIODS	100
#define BUSY_IMAGE_TIME	100000000
#define WORKERS_MAX	8
#define SPARE_IMAGES	3

/*
 * The hardware's buffer should hold the samples of a second. A sample takes less than twice its bytes in the image, and
 * short counters send more between samples: more than 100 MB/s on an H200 that copies memory.
 */
#define BUFFER_TIME	SEC
#define BUFFER_SMALLEST	(256u << 20)
#define BUFFER_LARGEST	(512u << 20)	/* largest size that was tested */

static uint64_t at_max(uint64_t value, uint64_t max)
{
	return value < max ? value : max;
}

static uint64_t at_min(uint64_t value, uint64_t min)
{
	return value > min ? value : min;
}

static int image_bytes(const struct sampler *sampler, uint32_t samples, size_t *bytes)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_GetCounterDataSize_Params, counterDataSize,
		     .pPmSamplingObject = sampler->object, .pMetricNames = (const char **)sampler->names,
		     .numMetrics = sampler->length, .maxSamples = samples);
	int result = sampler->library->cupti.data_size(&params);

	*bytes = params.counterDataSize;
	return result;
}

/* The number of workers; 0 if the decoder can evaluate, too. A sample has @bytes of the image. */
static size_t choose_workers(const struct sampler *sampler, size_t bytes)
{
	uint64_t cost = EVALUATE_COST * sampler->length + bytes / RESET_BYTES;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (processors < 2 || sampler->period > 3 * (DECODE_COST + EVALUATE_COST * sampler->length))
		return 0;
	return at_max(at_max(2 * cost / sampler->period + 1, WORKERS_MAX), (uint64_t)processors - 1);
}

/* Chooses sizes by the bytes of a sample, which depend on the metrics and the GPU's units */
static int choose_sizes(struct sampler *sampler, size_t buffer)
{
	size_t few, more, sample;
	uint64_t time, nap;
	int result;

	result = image_bytes(sampler, IMAGE_FEWEST, &few);
	if (!result)
		result = image_bytes(sampler, 2 * IMAGE_FEWEST, &more);
	if (result)
		return result;
	sampler->sample_bytes = more > few ? (more - few) / IMAGE_FEWEST : 0;
	sample = sampler->sample_bytes + 1;
	sampler->threads = choose_workers(sampler, sample);
	sampler->images_len = sampler->threads ? sampler->threads + SPARE_IMAGES : 1;
	time = sampler->threads ? BUSY_IMAGE_TIME : IMAGE_TIME;
	sampler->image_samples = (uint32_t)at_min(at_max(time / sampler->period, IMAGE_BYTES / sample),
						    IMAGE_FEWEST);
	nap = sampler->threads ? at_min(BUSY_NAP, BUSY_NAP_PERIODS * sampler->period) : LONGEST_NAP;
	sampler->nap = at_min(at_max(sampler->image_samples * sampler->period / 4, nap), SHORTEST_NAP);
	sampler->buffer = buffer ? buffer :
			  at_min(at_max(2 * sample * (BUFFER_TIME / sampler->period),
					   BUFFER_LARGEST), BUFFER_SMALLEST);
	return 0;
}

static int set_config(struct sampler *sampler)
{
	CUpti_PmSampling_SetConfig_Params params = {
		.structSize = sampler->library->set_config_size,
		.pPmSamplingObject = sampler->object,
		.configSize = sampler->config.size, .pConfig = sampler->config.image,
		.hardwareBufferSize = sampler->buffer, .samplingInterval = sampler->interval,
		.triggerMode = sampler->trigger == TRIGGER_TIME ?
			       CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL :
			       CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL,
		/* KEEP_LATEST loses samples without reporting an overflow. */
		.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST };

	return sampler->library->cupti.set_config(&params);
}

static int initialize_image(const struct sampler *sampler)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_CounterDataImage_Initialize_Params, pCounterData,
		     .pPmSamplingObject = sampler->object, .counterDataSize = sampler->image_size,
		     .pCounterData = sampler->empty);

	return sampler->library->cupti.data_initialize(&params);
}

/* The object learns its metrics by GetCounterDataSize, whose result is the same each time. */
static int make_empty(struct sampler *sampler)
{
	size_t size;
	int result = image_bytes(sampler, sampler->image_samples, &size);

	if (result)
		return result;
	if (!sampler->empty) {
		sampler->empty = malloc(size);
		sampler->image_size = size;
	}
	if (!sampler->empty)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	return size == sampler->image_size ? initialize_image(sampler) : CUPTI_ERROR_UNKNOWN;
}

void sampler_disable(struct sampler *sampler)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_Disable_Params, pPmSamplingObject, .pPmSamplingObject = sampler->object);

	if (sampler->object)
		sampler->library->cupti.disable(&params);
	sampler->object = NULL;
}

int sampler_stop_hardware(struct sampler *sampler)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_Stop_Params, pPmSamplingObject, .pPmSamplingObject = sampler->object);

	return sampler->library->cupti.stop(&params);
}

/* The first call chooses the sizes, which is possible only with PM sampling enabled. */
int sampler_enable(struct sampler *sampler, size_t buffer)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_Enable_Params, pPmSamplingObject, .deviceIndex = sampler->gpu->ordinal);
	int result = sampler->library->cupti.enable(&params);

	if (result)
		return result;
	sampler->object = params.pPmSamplingObject;
	/* The first sample's start is 0.4 s or more too early. */
	sampler->is_skipped = true;
	if (!sampler->image_samples)
		result = choose_sizes(sampler, buffer);
	if (!result)
		result = set_config(sampler);
	if (!result)
		result = make_empty(sampler);
	if (result)
		sampler_disable(sampler);
	return result;
}

int sampler_start_hardware(struct sampler *sampler)
{
	CUPTI_PARAMS(params, CUpti_PmSampling_Start_Params, pPmSamplingObject, .pPmSamplingObject = sampler->object);
	int result = sampler->library->cupti.start(&params);

	if (result)
		sampler_disable(sampler);
	return result;
}
