// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The threads that observe NVML's momentary values: one for PCIe throughput, of which each read takes 20 ms, and one for
 * all other values.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/raw_clock.h"
#include "nvml_source.h"

/* No stream is opened or closed while the thread runs, so the lists need no lock. */
static void read_slow(struct source *source, struct stream *stream)
{
	double value = 0;
	int result;

	if (!stream->event->is_slow)
		return;
	result = stream->event->read(stream->gpu, stream->event->argument, &value);
	pthread_mutex_lock(&source->lock);
	stream->last = value;
	stream->result = result;
	pthread_mutex_unlock(&source->lock);
}

static void observe_slow(struct source *source)
{
	for (size_t i = 0; i < source->gpu_count; i++)
		for (struct stream *stream = source->gpus[i].streams; stream; stream = stream->next)
			read_slow(source, stream);
}

static void observe(struct source *source)
{
	pthread_mutex_lock(&source->lock);
	nv_observe_all(source, raw_clock_now());
	pthread_mutex_unlock(&source->lock);
}

static void add_ms(struct timespec *time, unsigned int ms)
{
	time->tv_sec += ms / 1000;
	time->tv_nsec += (long)(ms % 1000) * 1000000;
	if (time->tv_nsec >= 1000000000) {
		time->tv_sec++;
		time->tv_nsec -= 1000000000;
	}
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Waits for the next period, skipping missed ones; returns whether to go on */
static bool wait_for(struct source *source, struct timespec *next)
{
	struct timespec now;
	bool wants_stop;

	clock_gettime(CLOCK_MONOTONIC, &now);
	do
		add_ms(next, source->period);
	while (is_before(next, &now));
	pthread_mutex_lock(&source->lock);
	while (!source->wants_stop &&
	       pthread_cond_timedwait(&source->wake, &source->lock, next) != ETIMEDOUT)
		;
	wants_stop = source->wants_stop;
	pthread_mutex_unlock(&source->lock);
	return !wants_stop;
}

static void run(struct source *source, void (*work)(struct source *source))
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	while (wait_for(source, &next))
		work(source);
}

static void *run_fast(void *source)
{
	run(source, observe);
	return NULL;
}

static void *run_slow(void *source)
{
	run(source, observe_slow);
	return NULL;
}

static bool has_slow(const struct source *source)
{
	for (size_t i = 0; i < source->gpu_count; i++)
		for (const struct stream *stream = source->gpus[i].streams; stream; stream = stream->next)
			if (stream->event->is_slow)
				return true;
	return false;
}

static int start(struct source *source, void *(*thread)(void *))
{
	sigset_t all, old;
	int ret;

	/* Leave signals to the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&source->threads[source->thread_count], NULL, thread, source);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	source->thread_count += !ret;
	return -ret;
}

int nv_start(struct source *source)
{
	int ret;

	source->wants_stop = false;
	ret = start(source, run_fast);
	if (!ret && has_slow(source))
		ret = start(source, run_slow);
	if (ret)
		nv_stop(source);
	return ret;
}

void nv_stop(struct source *source)
{
	pthread_mutex_lock(&source->lock);
	source->wants_stop = true;
	pthread_cond_broadcast(&source->wake);
	pthread_mutex_unlock(&source->lock);
	while (source->thread_count)
		pthread_join(source->threads[--source->thread_count], NULL);
}
