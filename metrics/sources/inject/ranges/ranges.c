// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/raw_clock.h"
#include "base/text/demangle.h"
#include "collect.h"
#include "ranges.h"
#include "sources/inject/inject.h"

#define CAPTURE_INVALIDATED	901	/* CUDA_ERROR_STREAM_CAPTURE_INVALIDATED */
#define END_S	2	/* until the end of the process no longer waits for a launch */

/* Functions of the driver that begin graphs, by callback id as in cupti_driver_cbid.h */
static const struct {
	uint16_t cbid;
	enum { GRAPH, CAPTURE, CAPTURE_END } what;
} graph_calls[] = {
	{ 495, CAPTURE }, { 496, CAPTURE },	/* cuStreamBeginCapture */
	{ 539, CAPTURE }, { 540, CAPTURE },	/* cuStreamBeginCapture_v2 */
	{ 720, CAPTURE }, { 721, CAPTURE },	/* cuStreamBeginCaptureToGraph */
	{ 497, CAPTURE_END }, { 498, CAPTURE_END },
	{ 501, GRAPH },				/* cuGraphCreate */
	{ 513, GRAPH }, { 578, GRAPH }, { 643, GRAPH }, { 656, GRAPH }, { 657, GRAPH },	/* cuGraphInstantiate */
	{ 523, GRAPH },				/* cuGraphClone */
};

static struct collector collector;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct activity_ranges written;	/* numbers that have been written; the size of its head is 0 until then */
static uint64_t launched;	/* time at which the replayed launch began; 0: none; atomic */
static const char *replayed;	/* its kernel; atomic */
static __thread bool has_lock;	/* from the begin of a launch to its end */
static __thread bool is_inside;	/* a call to CUPTI, which may call back */

bool ranges_are_wanted(const struct inject *self)
{
	return self->control->ranges.mode == CHANNEL_RANGES_KERNEL || self->control->ranges.mode == CHANNEL_RANGES_USER;
}

static bool is_kernel_mode(const struct inject *self)
{
	return self->control->ranges.mode == CHANNEL_RANGES_KERNEL;
}

/* --- preparation */

static const char *fill(struct ranges_api *api)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	const char *missing = NULL;

#define FILL(table, find, member, symbol) \
	*(void **)&api->table.member = find; \
	if (!api->table.member && !missing) \
		missing = #symbol;
#define FILL_HOST(member, symbol, ...)		FILL(host, inject_cupti_symbol(#symbol), member, symbol)
#define FILL_PROFILER(member, symbol, ...)	FILL(profiler, inject_cupti_symbol(#symbol), member, symbol)
#define FILL_SETUP(member, symbol, ...)		FILL(setup, inject_cupti_symbol(#symbol), member, symbol)
#define FILL_DRIVER(member, symbol, ...)	FILL(driver, driver ? dlsym(driver, #symbol) : NULL, member, symbol)
	CUPTI_HOST_FUNCTIONS(FILL_HOST)
	CUPTI_RANGE_FUNCTIONS(FILL_PROFILER)
	RANGES_SETUP_FUNCTIONS(FILL_SETUP)
	RANGES_DRIVER_FUNCTIONS(FILL_DRIVER)
	return missing;
}

static bool read_options(struct collector *of_all)
{
	const struct channel_ranges *options = of_all->options;
	const char *name = options->metrics, *end = options->metrics + sizeof(options->metrics);

	of_all->metrics.names = calloc(options->metric_count, sizeof(*of_all->metrics.names));
	while (of_all->metrics.names && of_all->metrics.length < options->metric_count && name < end && *name) {
		of_all->metrics.names[of_all->metrics.length++] = name;
		name += strlen(name) + 1;
	}
	if (*options->filter && regcomp(&of_all->filter, options->filter, REG_EXTENDED | REG_NOSUB))
		return false;
	of_all->has_filter = *options->filter;
	return of_all->metrics.length == options->metric_count;
}

static void prepare(void)
{
	const char *missing = fill(&collector.api);

	collector.self = inject;
	collector.options = &inject->control->ranges;
	collector.metrics.api = &collector.api.host;
	collector.profiler.api = &collector.api.profiler;
	collector.numbers.head = (struct activity_head){ sizeof(collector.numbers), ACTIVITY_RANGES, 0 };
	if (missing) {
		collector.has_ended = true;
		output_note(inject, ACTIVITY_WARNING, "ranges are not counted: CUPTI has no function %s; CUDA 12.6 is the first that has it", missing);
	} else if (!read_options(&collector)) {
		collect_give_up(&collector, "ranges are not counted: invalid options");
	}
}

static void take_lock(void)
{
	pthread_once(&once, prepare);
	pthread_mutex_lock(&lock);
	is_inside = true;
}

static void leave_lock(void)
{
	is_inside = false;
	pthread_mutex_unlock(&lock);
}

void ranges_enable(struct inject *self)
{
	for (size_t i = 0; i < ARRAY_SIZE(graph_calls); i++)
		self->api.callback(1, self->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, graph_calls[i].cbid);
	self->api.callback(1, self->subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
	if (self->control->ranges.checkpoint)
		memory_enable(self);
	if (self->control->ranges.sources & CHANNEL_RANGES_NVTX)
		self->api.domain(1, self->subscriber, CUPTI_CB_DOMAIN_NVTX);
}

/* --- calls of the program */

void ranges_work_begin(struct inject *self, void *context, const char *kernel)
{
	if (is_inside || (is_kernel_mode(self) && !kernel))
		return;
	take_lock();
	if (!is_kernel_mode(self)) {
		user_work(&collector, context);
		return leave_lock();
	}
	kernels_begin(&collector, context, kernel);
	is_inside = false;
	has_lock = true;
	if (collector.profiler.state != PROFILER_STARTED)
		return;
	__atomic_store_n(&replayed, kernel, __ATOMIC_RELAXED);
	__atomic_store_n(&launched, raw_clock_now(), __ATOMIC_RELEASE);
}

void ranges_work_end(struct inject *self, bool is_launched)
{
	(void)self;
	if (!has_lock || is_inside)
		return;
	__atomic_store_n(&launched, 0, __ATOMIC_RELEASE);
	kernels_end(&collector, is_launched);
	has_lock = false;
	pthread_mutex_unlock(&lock);
}

/* Metrics that CUPTI counts by instructions that it inserts into kernels */
static bool has_inserted(const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->length; i++)
		if (strstr(metrics->names[i], "_sass_"))
			return true;
	return false;
}

/* A graph that was made before the profiler was started has no such instructions: kernels count 0, without an error. */
static void refuse_inserted(void)
{
	user_abandon(&collector);
	collect_give_up(&collector, "ranges are not counted from here on: the program makes a CUDA graph, and CUPTI counts metrics with _sass_ in their names as 0 in kernels of graphs, or makes these kernels fail; count other metrics, or run the program without graphs");
}

/*
 * CUPTI 13.0 executes a graph that was instantiated before the profiler was started wrongly, without an error. Kernels of
 * graphs are therefore not replayed.
 */
static void refuse_graphs(const struct inject *self)
{
	if (collector.has_ended)
		return;
	if (!is_kernel_mode(self)) {
		if (has_inserted(&collector.metrics))
			refuse_inserted();
		return;
	}
	if (collector.options->replay == CHANNEL_REPLAY_KERNEL || collector.options->replay == CHANNEL_REPLAY_APPLICATION) {
		collect_finish(&collector);
		collect_give_up(&collector, "kernels are not counted from here on: the program makes a CUDA graph, whose kernels CUPTI replays wrongly; count ranges of the program by --ranges=nvtx or --ranges=region");
	}
}

/* A call that begins a capture, or ends one (@is_end), returns @result. Only some calls that fail end a capture. */
static void end_capture_call(bool is_end, int result)
{
	const bool has_ended = is_end ? !result || result == CAPTURE_INVALIDATED : result != 0;

	if (has_ended && collector.captures)
		collector.captures--;
}

static void watch_memory(struct inject *self, uint32_t cbid, const void *parameters, const int *result)
{
	if (!self->control->ranges.checkpoint || !memory_has_call(cbid))
		return;
	take_lock();
	memory_call(&collector.checkpoint.memory, cbid, parameters, result);
	leave_lock();
}

void ranges_call(struct inject *self, uint32_t cbid, const void *parameters, const int *result)
{
	const bool is_begin = !result;

	if (is_inside)
		return;
	watch_memory(self, cbid, parameters, result);
	for (size_t i = 0; i < ARRAY_SIZE(graph_calls); i++) {
		if (graph_calls[i].cbid != cbid)
			continue;
		take_lock();
		if (is_begin && graph_calls[i].what != CAPTURE_END)
			refuse_graphs(self);
		if (graph_calls[i].what == CAPTURE && is_begin)
			collector.captures++;
		else if (graph_calls[i].what != GRAPH && !is_begin)
			end_capture_call(graph_calls[i].what == CAPTURE_END, *result);
		return leave_lock();
	}
}

void ranges_push(struct inject *self, uint32_t source, const char *name)
{
	if (is_inside || self->control->ranges.mode != CHANNEL_RANGES_USER || !(self->control->ranges.sources & source))
		return;
	take_lock();
	user_push(&collector, name ? name : "");
	leave_lock();
}

void ranges_pop(struct inject *self, uint32_t source)
{
	if (is_inside || self->control->ranges.mode != CHANNEL_RANGES_USER || !(self->control->ranges.sources & source))
		return;
	take_lock();
	user_pop(&collector);
	leave_lock();
}

/* --- the end */

static void finish(struct inject *self)
{
	if (is_kernel_mode(self))
		collect_finish(&collector);
	else
		user_end(&collector);
	collector.has_ended = true;
}

void ranges_context_end(struct inject *self, const void *context)
{
	if (is_inside || !ranges_are_wanted(self) || has_lock)
		return;
	take_lock();
	if (context == collector.context && !collector.has_ended)
		finish(self);
	leave_lock();
}

static bool lock_until(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += END_S;
	return !pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until);
}

/* A context that this thread has not made current is made current around the calls. */
static void finish_in_context(struct inject *self)
{
	void *context = collector.context;
	const bool is_pushed = context && !collector.api.driver.push(context);

	finish(self);
	if (is_pushed)
		collector.api.driver.pop(&context);
}

static struct activity_checkpoints checkpoints_since(const struct activity_checkpoints *now,
						     const struct activity_checkpoints *before)
{
	return (struct activity_checkpoints){
		.saved = now->saved - before->saved, .restored = now->restored - before->restored,
		.failed = now->failed - before->failed, .bytes = now->bytes - before->bytes,
		.device_bytes = now->device_bytes - before->device_bytes,
		.save_time = now->save_time - before->save_time, .restore_time = now->restore_time - before->restore_time,
	};
}

/* Writes the numbers of ranges since the last record of them: calls may follow an end, as after an exec that has failed. */
static void write_numbers(void)
{
	struct activity_ranges since = collector.numbers;

	if (!memcmp(&written, &since, sizeof(since)))
		return;
	since.seen -= written.seen;
	since.counted -= written.counted;
	for (int i = 0; i < ACTIVITY_RANGES_REASONS; i++)
		since.lost[i] -= written.lost[i];
	since.checkpoints = checkpoints_since(&collector.numbers.checkpoints, &written.checkpoints);
	collect_write(&collector, &since.head);
	written = collector.numbers;
}

void ranges_end(struct inject *self)
{
	if (!ranges_are_wanted(self) || is_inside || has_lock || !inject_is_alive(self))
		return;
	pthread_once(&once, prepare);
	if (!lock_until())
		return;
	is_inside = true;
	if (!collector.has_ended)
		finish_in_context(self);
	write_numbers();
	leave_lock();
}

/* Ends the process if a checkpoint may wait for ever: for a kernel that waits for a thread that waits for the lock. */
static void watch_checkpoint(struct inject *self)
{
	const uint64_t since = __atomic_load_n(&collector.checkpoint.begin, __ATOMIC_ACQUIRE);
	const uint32_t limit = self->control->ranges.limit;

	if (!since || !limit || raw_clock_now() < since + limit * UINT64_C(1000000))
		return;
	output_note(self, ACTIVITY_FATAL,
		    "the process was ended: a checkpoint has taken %.1f s, and may wait for a kernel that waits for the program; use --replay=application, or, for large checkpoints, a higher --replay-limit",
		    limit / 1e3);
	kill(getpid(), SIGKILL);
}

void ranges_watch(struct inject *self)
{
	const uint64_t since = __atomic_load_n(&launched, __ATOMIC_ACQUIRE);
	const char *kernel = __atomic_load_n(&replayed, __ATOMIC_RELAXED);
	const uint32_t limit = self->control->ranges.limit;
	char *name;

	watch_checkpoint(self);
	if (!since || !limit || self->control->ranges.replay != CHANNEL_REPLAY_KERNEL ||
	    raw_clock_now() < since + limit * UINT64_C(1000000))
		return;
	name = demangle(kernel ? kernel : "");
	output_note(self, ACTIVITY_FATAL,
		    "the process was ended: its kernel %.100s has not ended after %.1f s of replay, and may wait for a kernel that is launched after it; use --replay=application, or --ranges=nvtx",
		    name ? name : kernel, limit / 1e3);
	free(name);
	kill(getpid(), SIGKILL);
}
