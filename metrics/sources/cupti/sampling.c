// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cupti_decode.h"

#define SEC		1000000000ull	/* in ns */

#define DEFAULT_INTERVAL	1000000		/* ns */
#define DEFAULT_CYCLES		2000000		/* about 1 ms */

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
 * Estimated cost of a sample in ns: decoding it, most of it for a busy GPU, whose short counters are sent whenever they
 * are full; evaluating each metric. RESET_BYTES of the image are emptied in a ns. If a sample costs more than a third of
 * the interval, there are workers with twice the capacity needed, and the decoder sleeps less: fresh samples are still
 * in the caches, which saves a third of the time.
 */
#define DECODE_COST	60000
#define EVALUATE_COST	1500
#define RESET_BYTES	2
#define BUSY_NAP	2000000
#define BUSY_NAP_PERIODS	100
#define BUSY_IMAGE_TIME	100000000
#define MOST_WORKERS	8
#define SPARE_IMAGES	3
#define MOST_RESERVED	(1u << 20)	/* samples that are not settled yet */

/*
 * The hardware's buffer should hold the samples of a second. A sample takes less than twice its bytes in the image, and
 * short counters send more between samples: more than 100 MB/s on an H200 that copies memory.
 */
#define BUFFER_TIME	SEC
#define BUFFER_TRIAL	(16u << 20)
#define BUFFER_SMALLEST	(256u << 20)
#define BUFFER_LARGEST	(512u << 20)	/* largest size that was tested */

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

static uint64_t at_least(uint64_t value, uint64_t least)
{
	return value > least ? value : least;
}

int sampler_init(struct sampler *sampler, const struct library *library, const struct gpu *gpu,
		 struct messages *messages)
{
	pthread_condattr_t attr;

	*sampler = (struct sampler){ .library = library, .gpu = gpu, .messages = messages };
	pthread_mutex_init(&sampler->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&sampler->wake, &attr);
	pthread_cond_init(&sampler->decoded, &attr);
	pthread_cond_init(&sampler->work, &attr);
	pthread_cond_init(&sampler->freed, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void sampler_release(struct sampler *sampler)
{
	sampler_stop(sampler);
	pthread_cond_destroy(&sampler->wake);
	pthread_cond_destroy(&sampler->decoded);
	pthread_cond_destroy(&sampler->work);
	pthread_cond_destroy(&sampler->freed);
	pthread_mutex_destroy(&sampler->lock);
}

/* Turing and GA100 have no trigger by time: cupti_pmsampling.h. */
static bool has_time_trigger(const char *chip)
{
	return strncmp(chip, "TU", 2) && strcmp(chip, "GA100") && strncmp(chip, "GV", 2);
}

static int choose_trigger(struct sampler *sampler, const struct options *options,
			  struct gpmu_error *error)
{
	bool time = has_time_trigger(sampler->gpu->chip);

	sampler->trigger = options->trigger;
	if (sampler->trigger == TRIGGER_TIME && !time)
		return fail(error, -EINVAL, "trigger: %s can only be sampled by trigger=sysclk",
			    sampler->gpu->chip);
	if (sampler->trigger == TRIGGER_DEFAULT)
		sampler->trigger = time ? TRIGGER_TIME : TRIGGER_SYSCLK;
	if (options->interval && options->cycles != (sampler->trigger == TRIGGER_SYSCLK))
		return fail(error, -EINVAL, "interval: %s is sampled by cycles of its system clock: interval=%u",
			    sampler->gpu->chip, DEFAULT_CYCLES);
	sampler->interval = options->interval;
	if (!sampler->interval)
		sampler->interval = sampler->trigger == TRIGGER_TIME ? DEFAULT_INTERVAL : DEFAULT_CYCLES;
	/* System clocks are not much faster than 2 GHz. */
	sampler->period = sampler->trigger == TRIGGER_TIME ? sampler->interval :
			  at_least(sampler->interval / 2, 1);
	return 0;
}

static int image_bytes(const struct sampler *sampler, uint32_t samples, size_t *bytes)
{
	CUpti_PmSampling_GetCounterDataSize_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_GetCounterDataSize_Params,
						counterDataSize),
		.pPmSamplingObject = sampler->object, .pMetricNames = (const char **)sampler->names,
		.numMetrics = sampler->length, .maxSamples = samples };
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
	return at_most(at_most(2 * cost / sampler->period + 1, MOST_WORKERS), (uint64_t)processors - 1);
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
	sampler->image_samples = (uint32_t)at_least(at_most(time / sampler->period, IMAGE_BYTES / sample),
						    IMAGE_FEWEST);
	nap = sampler->threads ? at_least(BUSY_NAP, BUSY_NAP_PERIODS * sampler->period) : LONGEST_NAP;
	sampler->nap = at_least(at_most(sampler->image_samples * sampler->period / 4, nap), SHORTEST_NAP);
	sampler->buffer = buffer ? buffer :
			  at_least(at_most(2 * sample * (BUFFER_TIME / sampler->period),
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
	CUpti_PmSampling_CounterDataImage_Initialize_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_CounterDataImage_Initialize_Params,
						pCounterData),
		.pPmSamplingObject = sampler->object, .counterDataSize = sampler->image_size,
		.pCounterData = sampler->empty };

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
	CUpti_PmSampling_Disable_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_Disable_Params, pPmSamplingObject),
		.pPmSamplingObject = sampler->object };

	if (sampler->object)
		sampler->library->cupti.disable(&params);
	sampler->object = NULL;
}

int sampler_stop_hardware(struct sampler *sampler)
{
	CUpti_PmSampling_Stop_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_Stop_Params, pPmSamplingObject),
		.pPmSamplingObject = sampler->object };

	return sampler->library->cupti.stop(&params);
}

/* The first call chooses the sizes, which is possible only with PM sampling enabled. */
int sampler_enable(struct sampler *sampler, size_t buffer)
{
	CUpti_PmSampling_Enable_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_Enable_Params, pPmSamplingObject),
		.deviceIndex = sampler->gpu->ordinal };
	int result = sampler->library->cupti.enable(&params);

	if (result)
		return result;
	sampler->object = params.pPmSamplingObject;
	/* The first sample's start is 0.4 s or more too early. */
	sampler->skip = true;
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
	CUpti_PmSampling_Start_Params params = {
		.structSize = CUPTI_STRUCT_SIZE(CUpti_PmSampling_Start_Params, pPmSamplingObject),
		.pPmSamplingObject = sampler->object };
	int result = sampler->library->cupti.start(&params);

	if (result)
		sampler_disable(sampler);
	return result;
}

static int start_decoder(struct sampler *sampler)
{
	int ret = pthread_create(&sampler->thread, NULL, sampler_decode, sampler);

	sampler->running = !ret;
	return ret ? -ENOMEM : 0;
}

static void release_run(struct sampler *sampler)
{
	images_release(sampler);
	sampler_disable(sampler);
	host_config_release(&sampler->config);
	free(sampler->empty);
	sampler->empty = NULL;
	sampler->image_samples = 0;
	sampler->counts = NULL;
}

static void start_saving(struct sampler *sampler)
{
	const struct saver_run run = {
		.gpu = sampler->gpu, .names = sampler->names, .length = sampler->length,
		.sysclk = sampler->trigger == TRIGGER_SYSCLK, .interval = sampler->interval,
		.config = sampler->config.image, .config_size = sampler->config.size,
		.empty = sampler->empty, .image_size = sampler->image_size,
		.cuda = sampler->library->cuda_version };

	if (sampler->saver)
		sampler->saver_run = saver_run(sampler->saver, &run);
}

static int refused(struct sampler *sampler, int result, struct gpmu_error *error)
{
	if (!result)
		return 0;
	gpu_refusal(sampler->library, result, &sampler->trouble);
	return trouble_fail(&sampler->trouble, sampler->gpu->uuid,
			    result == CUPTI_ERROR_HARDWARE_BUSY ? -EBUSY : -EIO, error);
}

/* Configures and enables; the caller releases the sampler in any case. */
static int begin(struct sampler *sampler, const struct host *host, const char *const *names,
		 size_t length, const struct options *options, struct gpmu_error *error)
{
	int ret;

	sampler->names = names;
	sampler->length = length;
	ret = choose_trigger(sampler, options, error);
	if (!ret)
		ret = host_configure(host, names, length, &sampler->config, error);
	return ret ? ret : refused(sampler, sampler_enable(sampler, options->buffer), error);
}

/*
 * The hardware is started last: a decoder that starts late finds its data no longer in the caches and hardly catches
 * up.
 */
static int start_threads(struct sampler *sampler, const struct host *host, struct gpmu_error *error)
{
	sigset_t all, before;
	int ret;

	/* Leave signals to the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = counts_reserve(sampler->counts, at_most(COUNTS_KEPT / sampler->period, MOST_RESERVED)) ||
	      images_init(sampler, host) ? fail_memory(error) : 0;
	if (!ret)
		ret = refused(sampler, sampler_start_hardware(sampler), error);
	if (!ret && start_decoder(sampler))
		ret = fail_memory(error);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int sampler_start(struct sampler *sampler, const struct host *host, const char *const *names,
		  size_t length, struct counts *counts, const struct options *options,
		  struct gpmu_error *error)
{
	int ret = begin(sampler, host, names, length, options, error);

	sampler->stop = sampler->dead = sampler->begun = false;
	sampler->wanted = 0;
	sampler->errors = sampler->failure = 0;
	sampler->reason = sampler->missing = GAP_NONE;
	sampler->counts = counts;
	if (!ret) {
		start_saving(sampler);
		ret = start_threads(sampler, host, error);
	}
	if (ret)
		release_run(sampler);
	return ret;
}

/* The first counter that takes one pass; chips have different counters. */
static int try_metric(const struct host *host, char name[256], struct gpmu_error *error)
{
	const char *const names[] = { name };

	for (size_t i = 0; i < host->length; i++) {
		struct host_config config;
		size_t passes;

		snprintf(name, 256, "%s.sum", host->metrics[i].name);
		passes = host_configure(host, names, 1, &config, error) ? 0 : config.passes;
		host_config_release(&config);
		if (passes == 1)
			return 0;
	}
	return fail(error, -ENODEV, "%s: no metric that can be sampled", host->chip);
}

int sampler_try(struct sampler *sampler, const struct host *host, const struct options *options,
		struct gpmu_error *error)
{
	struct options small = *options;
	char name[256];
	const char *const names[] = { name };
	int ret = try_metric(host, name, error);

	small.buffer = BUFFER_TRIAL;
	if (!ret)
		ret = begin(sampler, host, names, 1, &small, error);
	if (!ret)
		ret = refused(sampler, sampler_start_hardware(sampler), error);
	if (!ret)
		sampler_stop_hardware(sampler);
	release_run(sampler);
	return ret;
}

void sampler_stop(struct sampler *sampler)
{
	if (!sampler->running)
		return;
	pthread_mutex_lock(&sampler->lock);
	sampler->stop = true;
	pthread_cond_signal(&sampler->wake);
	pthread_mutex_unlock(&sampler->lock);
	/* CUPTI cannot stop while another thread decodes. */
	pthread_join(sampler->thread, NULL);
	sampler->running = false;
	sampler_drain(sampler);
	images_settle(sampler);
	release_run(sampler);
}

bool sampler_wait(struct sampler *sampler, uint64_t time)
{
	struct timespec end = sampler_deadline(SEC + 10 * sampler->period);
	bool there;

	pthread_mutex_lock(&sampler->lock);
	sampler->wanted = time;
	pthread_cond_signal(&sampler->wake);
	while (sampler->running && !sampler->dead && sampler->counts->newest < time)
		if (pthread_cond_timedwait(&sampler->decoded, &sampler->lock, &end))
			break;
	there = sampler->running && sampler->counts->newest >= time;
	sampler->wanted = 0;
	pthread_mutex_unlock(&sampler->lock);
	return there;
}
