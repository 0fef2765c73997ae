// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Totals of events: observed at times, interpolated for any time between. Times are CLOCK_MONOTONIC_RAW of the
 * observation. NVML's own time stamps, CLOCK_REALTIME, are not used, so that setting that clock does not affect counts
 * and no clock pairs are needed.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/raw_clock.h"
#include "nvml_source.h"

#define NS	1000000000ull
#define LATE	(2 * NS)	/* a time in the future is waited for if it is not further ahead */

static struct point *newest(struct stream *stream)
{
	return &stream->points[(stream->first + stream->length - 1) % MAX_POINTS];
}

static const struct point *point(const struct stream *stream, size_t index)
{
	return &stream->points[(stream->first + index) % MAX_POINTS];
}

static void append(struct stream *stream, const struct point *added)
{
	if (stream->length == MAX_POINTS)
		stream->first = (stream->first + 1) % MAX_POINTS;
	else
		stream->length++;
	*newest(stream) = *added;
}

/* The increment by @value, a momentary one over @ns or a difference of a counter */
static long double amount(const struct nv_event *event, double value, uint64_t ns)
{
	long double number = value * (event->factor ? event->factor : 1);

	if (event->is_counter)
		return number;
	return number * ns / (event->is_mean ? (event->scale ? event->scale : 1) : 1e9);
}

/* Adds a point: @value holds from the last point to @time; unknown if @result is an error. */
static void advance(struct stream *stream, uint64_t time, double value, int result)
{
	struct point next = *newest(stream);
	uint64_t ns;

	if (time <= next.time)
		return;
	ns = time - next.time;
	stream->result = result;
	if (!result && isfinite(value) && value >= 0) {
		next.total += amount(stream->event, value, ns);
		next.running += ns;
	} else {
		stream->missed += ns;
		stream->why = result ? result : NV_NO_DATA;
	}
	next.time = time;
	append(stream, &next);
}

struct stream *nv_stream_get(struct gpu *gpu, const struct nv_event *event)
{
	struct stream *stream;
	struct point first = { 0 };

	for (stream = gpu->streams; stream; stream = stream->next) {
		if (stream->event == event) {
			stream->users++;
			return stream;
		}
	}
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->gpu = gpu;
	stream->event = event;
	stream->users = 1;
	if (event->read)
		stream->result = event->read(gpu, event->argument, &stream->last);
	stream->is_stale = stream->result;
	first.time = raw_clock_now();
	append(stream, &first);
	stream->next = gpu->streams;
	gpu->streams = stream;
	return stream;
}

void nv_stream_put(struct stream *stream)
{
	struct stream **link = &stream->gpu->streams;

	if (--stream->users)
		return;
	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	free(stream);
}

void nv_stream_begin(struct stream *stream, uint64_t time)
{
	if (newest(stream)->time >= time)
		return;
	newest(stream)->time = time;
	stream->is_stale = stream->event->is_counter;
}

void nv_stream_end(struct stream *stream, uint64_t time)
{
	uint64_t last = newest(stream)->time;

	if (stream->event->is_counter && stream->result && last < time)
		stream->missed += time - last;
}

struct point nv_stream_at(const struct stream *stream, uint64_t time)
{
	size_t i = stream->length - 1;
	const struct point *after, *before;
	struct point result;
	long double share;

	while (i && point(stream, i - 1)->time >= time)
		i--;
	after = point(stream, i);
	if (!i || time >= after->time) {
		result = *after;
		result.time = time;
		return result;
	}
	before = point(stream, i - 1);
	share = (long double)(time - before->time) / (long double)(after->time - before->time);
	result = (struct point){
		.time = time,
		.total = before->total + (after->total - before->total) * share,
		.running = before->running + (after->running > before->running ? time - before->time : 0),
	};
	return result;
}

/* --- observing --- */

static void lose(struct gpu *gpu, int result)
{
	if (result == NV_GPU_IS_LOST || result == NV_GPU_NOT_FOUND)
		gpu->lost = result;
}

static void observe_read(struct stream *stream)
{
	const struct nv_event *event = stream->event;
	uint64_t before = raw_clock_now(), time;
	double value = 0, last = stream->last;
	int result = event->read(stream->gpu, event->argument, &value);

	lose(stream->gpu, result);
	time = raw_clock_now();
	if (!event->is_counter) {
		advance(stream, time, value, result);
		return;
	}
	/* A counter goes on while reads fail: the next value covers all of the time since. */
	if (result) {
		stream->result = stream->why = result;
		return;
	}
	stream->last = value;
	if (stream->is_stale) {
		stream->is_stale = false;
		stream->result = NV_SUCCESS;
		stream->missed += time - newest(stream)->time;
		newest(stream)->time = time;
		return;
	}
	/* A counter that fell was reset. */
	advance(stream, before + (time - before) / 2, value - last, value < last ? NV_NO_DATA : 0);
}

/* Observes all streams of GPM by one sample */
static void observe_gpm(struct gpu *gpu)
{
	struct nv_gpm_metrics *metrics;
	struct stream *stream;
	bool is_first = !gpu->is_sampled;
	unsigned int n = 0;
	uint64_t time;
	int result;

	metrics = calloc(1, sizeof(*metrics));
	if (!metrics)
		return;
	for (stream = gpu->streams; stream && n < NV_GPM_IDS; stream = stream->next)
		if (!stream->event->read)
			metrics->metrics[n++].id = stream->event->argument;
	metrics->length = n;
	result = n ? nv_gpm_take(gpu, metrics) : NV_SUCCESS;
	lose(gpu, result);
	time = raw_clock_now();
	n = 0;
	for (stream = gpu->streams; stream && n < NV_GPM_IDS; stream = stream->next) {
		const struct nv_gpm_metric *metric = &metrics->metrics[n];

		if (stream->event->read)
			continue;
		n++;
		/* A value needs two samples. */
		if (!is_first)
			advance(stream, time, metric->value, result ? result : metric->result);
	}
	free(metrics);
}

static void wait_until(uint64_t time)
{
	uint64_t now = raw_clock_now();
	struct timespec rest;

	if (now >= time || time - now > LATE)
		return;
	rest = (struct timespec){ .tv_sec = (time_t)((time - now) / NS),
				  .tv_nsec = (long)((time - now) % NS) + 1 };
	nanosleep(&rest, NULL);
}

void nv_observe(struct gpu *gpu, uint64_t time)
{
	bool has_gpm = false;

	if (gpu->lost || !gpu->streams || gpu->time >= time)
		return;
	wait_until(time);
	/* Taken before reading, so that each stream has a point at this time or later. */
	gpu->time = raw_clock_now();
	for (struct stream *stream = gpu->streams; stream && !gpu->lost; stream = stream->next) {
		if (!stream->event->read)
			has_gpm = true;
		else if (stream->event->is_slow)
			advance(stream, raw_clock_now(), stream->last, stream->result);
		else
			observe_read(stream);
	}
	if (has_gpm && !gpu->lost)
		observe_gpm(gpu);
	if (!gpu->lost || gpu->is_loss_reported)
		return;
	gpu->is_loss_reported = true;
	messages_add(&gpu->source->messages, "GPU %s: NVML: %s; its counts end here", gpu->uuid,
		     nv_text(gpu->api, gpu->lost));
}

void nv_observe_all(struct source *source, uint64_t time)
{
	for (size_t i = 0; i < source->gpu_count; i++)
		nv_observe(&source->gpus[i], time);
}

static void report_missed(struct stream *stream)
{
	if (stream->missed && !stream->gpu->lost)
		messages_add(&stream->gpu->source->messages, "nvidia_%s_%u/%s/: %.1f ms were not counted: NVML: %s",
			     stream->event->read ? "nvml" : "gpu", stream->gpu->index, stream->event->name,
			     (double)stream->missed / 1e6, nv_text(stream->gpu->api, stream->why));
	stream->missed = 0;
}

void nv_say_missed(struct source *source)
{
	for (size_t i = 0; i < source->gpu_count; i++)
		for (struct stream *stream = source->gpus[i].streams; stream; stream = stream->next)
			report_missed(stream);
}
