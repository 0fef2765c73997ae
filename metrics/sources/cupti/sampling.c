// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cupti_decode.h"

#define SEC		1000000000ull	/* in ns */

#define DEFAULT_INTERVAL	1000000		/* ns */
#define DEFAULT_CYCLES		2000000		/* about 1 ms */
#define TRIAL_BUFFER		(16u << 20)	/* bytes of the hardware's buffer for sampler_try() */
#define RESERVED_MAX	(1u << 20)	/* samples that are not settled yet */

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
			  sampler->interval > 1 ? sampler->interval / 2 : 1;
	return 0;
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
	const uint64_t kept = COUNTS_KEPT / sampler->period;
	sigset_t all, before;
	int ret;

	/* Leave signals to the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = counts_reserve(sampler->counts, kept < RESERVED_MAX ? kept : RESERVED_MAX) ||
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

	small.buffer = TRIAL_BUFFER;
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
