// SPDX-License-Identifier: LGPL-2.1-or-later
/* The thread that observes what NVML tells of the moment alone. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "nvml_source.h"

/* Streams are not opened or closed while it runs: their lists need no lock. */
static void read_slow(struct source *source, struct stream *stream)
{
	double value = 0;
	int result;

	if (!stream->event->slow)
		return;
	result = stream->event->read(stream->gpu, stream->event->argument, &value);
	pthread_mutex_lock(&source->lock);
	stream->last = value;
	stream->result = result;
	pthread_mutex_unlock(&source->lock);
}

static void observe(struct source *source)
{
	for (size_t i = 0; i < source->n_gpus; i++)
		for (struct stream *stream = source->gpus[i].streams; stream; stream = stream->next)
			read_slow(source, stream);
	pthread_mutex_lock(&source->lock);
	nv_observe_all(source, nv_now());
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

/* Until the next period; what is late is left out. Whether to go on */
static bool wait_for(struct source *source, struct timespec *next)
{
	struct timespec now;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &now);
	do
		add_ms(next, source->period);
	while (is_before(next, &now));
	pthread_mutex_lock(&source->lock);
	while (!source->stop &&
	       pthread_cond_timedwait(&source->wake, &source->lock, next) != ETIMEDOUT)
		;
	stop = source->stop;
	pthread_mutex_unlock(&source->lock);
	return !stop;
}

static void *run(void *data)
{
	struct source *source = data;
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	while (wait_for(source, &next))
		observe(source);
	return NULL;
}

int nv_start(struct source *source)
{
	sigset_t all, old;
	int ret;

	if (source->has_thread)
		return 0;
	/* Signals are the program's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	source->stop = false;
	ret = pthread_create(&source->thread, NULL, run, source);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	source->has_thread = !ret;
	return -ret;
}

void nv_stop(struct source *source)
{
	if (!source->has_thread)
		return;
	pthread_mutex_lock(&source->lock);
	source->stop = true;
	pthread_cond_signal(&source->wake);
	pthread_mutex_unlock(&source->lock);
	pthread_join(source->thread, NULL);
	source->has_thread = false;
}
