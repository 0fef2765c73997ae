// SPDX-License-Identifier: LGPL-2.1-or-later
/* The thread that flushes CUPTI's buffers and writes their records. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/raw_clock.h"
#include "inject.h"
#include "pcs/pcs.h"
#include "ranges/ranges.h"
#include "sass/sass.h"
#include "word.h"

#define POLL_MS		10	/* between polls of the control page */
#define FLUSH_MS_MIN	1
#define UNREAD_MS	1000	/* between flushes without a reader */
#define LAST_MS		1000	/* for the last records to find room */
#define WORK_MS		100	/* time in which no work has ended, after which the last flush no longer waits */
#define AWAIT_MS	1000	/* until the last flush no longer waits for work that ends one after the other */
#define SOON_MS		10	/* between flushes while records arrive */
#define SHARE		20	/* a flush takes at most this fraction of the time */
#define HOLD_MS		250	/* without progress or after the last flush, until held calls go on; more than WORK_MS */

static void drain(struct inject *self)
{
	struct inject_buffer *buffer;

	while ((buffer = buffers_take())) {
		records_read(self, buffer);
		buffers_give(buffer);
		/* After each buffer, so that a range that begins need not wait for all buffers. */
		capture_update(self);
	}
}

/* Notes, once, the option that prevents a loss; false: no room */
static bool report_losses(struct inject *self)
{
	static bool is_cupti_reported, is_channel_reported;
	bool is_logged = true;

	if (output_has_lost(ACTIVITY_LOST_CUPTI))
		is_logged = output_warn_once(self, &is_cupti_reported, "records are lost: CUPTI has filled all of its buffers "
					     "(limit: %zu MiB); gpmu record --cuda-buffers=SIZE allows more",
					     buffers_limit() >> 20);
	if (output_has_lost(ACTIVITY_LOST_CHANNEL))
		is_logged = output_warn_once(self, &is_channel_reported,
					     "records are lost: they come faster than gpmu writes them; "
					     "use gpmu record --cuda=LIST to record fewer kinds, or a faster disk") && is_logged;
	return is_logged;
}

/* Ends a flush that began at @time; false: no room */
static bool complete(struct inject *self, uint64_t time)
{
	return output_complete(self, time) && report_losses(self);
}

/* Flushes and writes all full buffers; false if there was no room for the completion record and the notes of losses */
static bool flush(struct inject *self, uint32_t flags)
{
	uint64_t now = raw_clock_now();
	/* A request that is declined from now on needs another flush. */
	bool is_declined = buffers_were_declined();
	size_t dropped = 0;

	if (inject_is_alive(self))
		self->api.flush(flags);
	drain(self);
	/* Without any buffer, no completed buffer reports how many records CUPTI dropped. */
	if ((is_declined || buffers_are_short()) && inject_is_alive(self) && !self->api.dropped(NULL, 0, &dropped))
		output_lost(self, ACTIVITY_LOST_CUPTI, 0, dropped);
	return complete(self, now);
}

/* Flushes until all work that the program has called has ended, no work has ended for WORK_MS, or AWAIT_MS have passed. */
static void await_work(struct inject *self)
{
	static uint64_t given_up;	/* work that did not end in time */
	/* Other threads may go on calling: their later work is not awaited. */
	const uint64_t called = channel_called(self->writer), begin = raw_clock_now();
	uint64_t since = begin, arrived = self->arrived;

	while (inject_is_alive(self) && called > self->arrived + given_up &&
	       raw_clock_now() < since + WORK_MS * UINT64_C(1000000) &&
	       raw_clock_now() < begin + AWAIT_MS * UINT64_C(1000000)) {
		flush(self, 0);
		if (arrived != self->arrived)
			since = raw_clock_now();
		arrived = self->arrived;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	given_up = called > self->arrived ? called - self->arrived : 0;
}

/* The last flush waits for room if there is a reader. Returns whether all records have been written or counted. */
static bool flush_last(struct inject *self)
{
	uint64_t begin;
	bool is_done;

	await_work(self);
	self->is_last = true;
	begin = raw_clock_now();
	is_done = flush(self, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

	for (int i = 0; i < LAST_MS && !is_done && channel_has_reader(self->control); i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		is_done = complete(self, begin);
	}
	return is_done;
}

/* Determines when the next flush is due. */
struct pace {
	uint64_t begin, end;	/* of the last flush */
	uint64_t called, completed;	/* calls and buffers before it */
};

static void flush_now(struct inject *self, struct pace *pace)
{
	pace->called = channel_called(self->writer);
	/* The program goes on after a flush for exec or abort(). */
	if (pace->called != self->marked)
		channel_writer_mark(self->writer, false);
	pace->completed = buffers_completed();
	pace->begin = raw_clock_now();
	flush(self, 0);
	pace->end = raw_clock_now();
}

/* Returns the ns from the end of the last flush to the next one: few while there is something to flush, unless flushes take long. */
static uint64_t interval(const struct inject *self, const struct pace *pace)
{
	uint64_t max = __atomic_load_n(&self->control->flush, __ATOMIC_RELAXED) * UINT64_C(1000000);
	uint64_t soon = SOON_MS * UINT64_C(1000000), min = FLUSH_MS_MIN * UINT64_C(1000000);

	if (!channel_has_reader(self->control))
		return UNREAD_MS * UINT64_C(1000000);
	if (pace->called == channel_called(self->writer) && pace->completed == buffers_completed())
		soon = max;
	if (soon < (pace->end - pace->begin) * SHARE)
		soon = (pace->end - pace->begin) * SHARE;
	soon = soon < max ? soon : max;
	return soon > min ? soon : min;
}

/* Without a reader there are few records and no changes. */
static unsigned int wait_ms(const struct inject *self)
{
	unsigned int ms = __atomic_load_n(&self->control->flush, __ATOMIC_RELAXED);

	if (!channel_has_reader(self->control))
		return UNREAD_MS;
	ms = ms < FLUSH_MS_MIN ? FLUSH_MS_MIN : ms;
	return ms < POLL_MS ? ms : POLL_MS;
}

/* Lets the callers of exec go on that requested a flush before @wanted was read. */
static void answer_exec(struct inject *self, uint32_t wanted)
{
	__atomic_store_n(&self->flushed, wanted, __ATOMIC_RELEASE);
	word_wake(&self->flushed);
}

/* Flushes because exec is about to replace the program, or abort() is about to call its handler. */
static void flush_for_exec(struct inject *self, uint32_t wanted)
{
	bool is_done;

	self->marked = channel_called(self->writer);
	/* If exec fails, PC sampling and SASS metrics have ended all the same. */
	pcs_end(self);
	sass_end(self);
	await_work(self);
	self->is_last = true;
	is_done = flush(self, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	self->is_last = false;
	channel_writer_mark(self->writer, is_done);
	answer_exec(self, wanted);
}

static void finish(struct inject *self, enum inject_end end)
{
	bool is_done;

	pcs_end(self);
	ranges_end(self);
	sass_end(self);
	capture_end(self);
	host_memory_end(self);
	if (end == END_FIRST)
		probe_begin_end(self);
	is_done = flush_last(self);
	if (end == END_FIRST)
		probe_end(self);
	/* The file stays incomplete if the last records had no room. */
	if (end == END_FIRST) {
		channel_writer_mark(self->writer, is_done);
		__atomic_store_n(&self->called, channel_called(self->writer), __ATOMIC_RELAXED);
	} else {
		__atomic_store_n(&self->fatal, 1, __ATOMIC_SEQ_CST);
		if (is_done)
			channel_writer_finish(self->writer);
	}
	/* First: a thread that waits for the end could otherwise end the process with another status. */
	if (__atomic_load_n(&self->signal, __ATOMIC_ACQUIRE))
		signals_die((int)self->signal);
	__atomic_store_n(&self->ended, end, __ATOMIC_SEQ_CST);
	word_wake(&self->ended);
	/* A request that comes later than this read sees the end, and does not wait. */
	answer_exec(self, __atomic_load_n(&self->wanted, __ATOMIC_SEQ_CST));
}

/* Makes the flushes that are requested at the end, and no other calls to CUPTI, which may have ended after the first one. */
static void flush_at_end(struct inject *self)
{
	uint32_t done = END_NONE, wanted;

	while (done != END_LAST) {
		wanted = __atomic_load_n(&self->stop, __ATOMIC_ACQUIRE);
		if (wanted == done)
			word_wait(&self->stop, done, UNREAD_MS);
		else
			finish(self, wanted);
		done = wanted;
	}
}

static void *run(void *data)
{
	struct inject *self = data;
	struct pace pace = { 0 };
	bool has_records, is_short;
	uint64_t since;
	uint32_t wanted;

	while (!__atomic_load_n(&self->stop, __ATOMIC_ACQUIRE)) {
		buffers_wait(buffers_are_short() ? FLUSH_MS_MIN : wait_ms(self));
		has_records = capture_update(self);
		drain(self);
		pcs_poll(self);
		host_memory_poll(self);
		ranges_watch(self);
		wanted = __atomic_load_n(&self->wanted, __ATOMIC_ACQUIRE);
		if (wanted != self->flushed)
			flush_for_exec(self, wanted);
		since = raw_clock_now() - pace.end;
		/* After a declined request CUPTI drops all records until a flush. */
		is_short = buffers_are_short() && since >= FLUSH_MS_MIN * UINT64_C(1000000);
		if (since < interval(self, &pace) && !is_short)
			continue;
		flush_now(self, &pace);
		probe_look(self, has_records);
		/* The C library ends the process when the last thread returns, which this one is. */
		if (end_is_due())
			__atomic_store_n(&self->stop, END_LAST, __ATOMIC_RELEASE);
	}
	flush_at_end(self);
	return NULL;
}

bool thread_start(struct inject *self)
{
	sigset_t all, kept;
	pthread_t thread;
	int code;

	sigfillset(&all);
	if (pthread_sigmask(SIG_BLOCK, &all, &kept))
		return false;
	code = pthread_create(&thread, NULL, run, self);
	pthread_sigmask(SIG_SETMASK, &kept, NULL);
	if (code)
		return false;
	pthread_setname_np(thread, "gpmu");
	self->has_thread = true;
	return true;
}

/* Waits until the word has reached @value. Returns false if the thread makes no progress for @ms. */
static bool wait_for(const struct inject *self, const uint32_t *word, uint32_t value, unsigned int ms)
{
	uint64_t progress = __atomic_load_n(&self->progress, __ATOMIC_RELAXED), begin = raw_clock_now();
	uint32_t now;

	while ((int32_t)((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) - value) < 0) {
		uint64_t other = __atomic_load_n(&self->progress, __ATOMIC_RELAXED);

		if (other != progress) {
			progress = other;
			begin = raw_clock_now();
		} else if (raw_clock_now() >= begin + ms * UINT64_C(1000000)) {
			return false;
		}
		/* Shorter, so that the time counts from the last progress, not from when it is noticed. */
		word_wait(word, now, ms / 8);
	}
	return true;
}

bool thread_end(struct inject *self, enum inject_end end, unsigned int ms)
{
	uint32_t wanted = __atomic_load_n(&self->stop, __ATOMIC_RELAXED);

	__atomic_store_n(&self->ender, (uint32_t)gettid(), __ATOMIC_RELAXED);
	while (wanted < end && !__atomic_compare_exchange_n(&self->stop, &wanted, end, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	buffers_wake();
	word_wake(&self->stop);
	if (wait_for(self, &self->ended, end, ms))
		return true;
	__atomic_store_n(&self->ender, 0, __ATOMIC_RELAXED);
	return false;
}

bool thread_has_flushed(const struct inject *self)
{
	return __atomic_load_n(&self->ended, __ATOMIC_ACQUIRE) == END_FIRST &&
	       __atomic_load_n(&self->called, __ATOMIC_RELAXED) == channel_called(self->writer);
}

void thread_hold(struct inject *self)
{
	if (!__atomic_load_n(&self->stop, __ATOMIC_ACQUIRE) || __atomic_load_n(&self->is_released, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&self->ender, __ATOMIC_RELAXED) == (uint32_t)gettid())
		return;
	/* After the flush the process ends, unless its end waits for this thread. CUPTI's flush could wait for this call, too. */
	if (wait_for(self, &self->ended, END_FIRST, HOLD_MS))
		nanosleep(&(struct timespec){ .tv_nsec = HOLD_MS * 1000000 }, NULL);
	__atomic_store_n(&self->is_released, true, __ATOMIC_RELAXED);
}

void thread_flush(struct inject *self, unsigned int ms)
{
	uint32_t number = __atomic_add_fetch(&self->wanted, 1, __ATOMIC_SEQ_CST);

	buffers_wake();
	if (!__atomic_load_n(&self->ended, __ATOMIC_SEQ_CST))
		wait_for(self, &self->flushed, number, ms);
}
