// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/raw_clock.h"
#include "cupti_decode.h"

#define SEC		1000000000ull	/* in ns */

#define DEFAULT_INTERVAL	1000000		/* ns */
#define DEFAULT_CYCLES		2000000		/* about 1 ms */
#define TRIAL_BUFFER		(16u << 20)	/* bytes of the hardware's buffer for sampler_try() */
#define RESERVED_MAX	(1u << 20)	/* room for so many samples is made at the start, at most */
#define ERRORS_MAX	3		/* consecutive, before a GPU is given up */
#define SHORTEST_SLEEP	200000		/* ns; each decoding costs some us */

void sampler_init(struct sampler *sampler, const struct library *library, const struct gpu *gpu,
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

/* CUPTI cannot sample Turing and GA100 by time, only by cycles (cupti_pmsampling.h). */
static bool has_time_trigger(const char *chip)
{
	return strncmp(chip, "TU", 2) && strcmp(chip, "GA100") && strncmp(chip, "GV", 2);
}

static int choose_trigger(struct sampler *sampler, const struct options *options,
			  struct gpmu_error *error)
{
	bool has_time = has_time_trigger(sampler->gpu->chip);

	sampler->trigger = options->trigger;
	if (sampler->trigger == TRIGGER_TIME && !has_time)
		return fail(error, -EINVAL, "trigger: %s can only be sampled by trigger=sysclk",
			    sampler->gpu->chip);
	if (sampler->trigger == TRIGGER_DEFAULT)
		sampler->trigger = has_time ? TRIGGER_TIME : TRIGGER_SYSCLK;
	if (options->interval && options->is_in_cycles != (sampler->trigger == TRIGGER_SYSCLK))
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

/* --- the thread of the decoder */

static void give_up(struct sampler *sampler, int failure)
{
	messages_add(sampler->messages, "%s: sampling has failed: %s (%d)", sampler->gpu->uuid,
		     library_text(sampler->library, failure), failure);
	pthread_mutex_lock(&sampler->lock);
	sampler->is_dead = true;
	pthread_mutex_unlock(&sampler->lock);
}

/* Restarts sampling after a failure, without which an overflowed buffer stays full, or gives up the GPU. */
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
	sampler_disable(sampler);
	result = sampler_enable(sampler, 0);
	if (!result) {
		images_reset(sampler);
		result = sampler_start_hardware(sampler);
	}
	if (result || errors >= ERRORS_MAX)
		give_up(sampler, result ? result : failure);
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

/* Returns the time @ns from now on CLOCK_MONOTONIC, the clock of the sampler's conditions. */
static struct timespec deadline(uint64_t ns)
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

	while (!sampler->wants_stop && now < (until = sleep_until(sampler, begin))) {
		struct timespec time = deadline(until - now);

		pthread_cond_timedwait(&sampler->wake, &sampler->lock, &time);
		now = raw_clock_now();
	}
}

static void *run(void *data)
{
	struct sampler *sampler = data;
	bool has_more = false;
	uint64_t now;
	int result;

	pthread_mutex_lock(&sampler->lock);
	while (!sampler->wants_stop && !sampler->is_dead) {
		if (!has_more)
			nap(sampler);
		pthread_mutex_unlock(&sampler->lock);
		result = sampler_decode(sampler, &has_more);
		pthread_mutex_lock(&sampler->lock);
		if (!result)
			result = sampler->failure;
		if (result) {
			pthread_mutex_unlock(&sampler->lock);
			recover(sampler, result == CUPTI_ERROR_OUT_OF_MEMORY ? GAP_OVERFLOW : GAP_ERROR, result);
			has_more = false;
			pthread_mutex_lock(&sampler->lock);
		}
		now = raw_clock_now();
		if (now > COUNTS_KEPT && now - COUNTS_KEPT > sampler->counts->settled)
			counts_settle(sampler->counts, now - COUNTS_KEPT);
		pthread_cond_broadcast(&sampler->decoded);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

/* --- begin and end */

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
		.is_sysclk = sampler->trigger == TRIGGER_SYSCLK, .interval = sampler->interval,
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
	if (!ret) {
		sampler->is_running = !pthread_create(&sampler->thread, NULL, run, sampler);
		ret = sampler->is_running ? 0 : fail_memory(error);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int sampler_start(struct sampler *sampler, const struct host *host, const char *const *names,
		  size_t length, struct counts *counts, const struct options *options,
		  struct gpmu_error *error)
{
	int ret = begin(sampler, host, names, length, options, error);

	sampler->wants_stop = sampler->is_dead = sampler->has_begun = false;
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
	if (!sampler->is_running)
		return;
	pthread_mutex_lock(&sampler->lock);
	sampler->wants_stop = true;
	pthread_cond_signal(&sampler->wake);
	pthread_mutex_unlock(&sampler->lock);
	/* CUPTI cannot stop while another thread decodes. */
	pthread_join(sampler->thread, NULL);
	sampler->is_running = false;
	sampler_drain(sampler);
	images_settle(sampler);
	release_run(sampler);
}

bool sampler_wait(struct sampler *sampler, uint64_t time)
{
	struct timespec end = deadline(SEC + 10 * sampler->period);
	bool has_data;

	pthread_mutex_lock(&sampler->lock);
	sampler->wanted = time;
	pthread_cond_signal(&sampler->wake);
	while (sampler->is_running && !sampler->is_dead && sampler->counts->newest < time)
		if (pthread_cond_timedwait(&sampler->decoded, &sampler->lock, &end))
			break;
	has_data = sampler->is_running && sampler->counts->newest >= time;
	sampler->wanted = 0;
	pthread_mutex_unlock(&sampler->lock);
	return has_data;
}
