// SPDX-License-Identifier: LGPL-2.1-or-later
/* The thread that flushes CUPTI's buffers and writes their records. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/raw_clock.h"
#include "inject.h"

#define POLL_MS		10	/* between polls of the control page */
#define LEAST_FLUSH_MS	1
#define UNREAD_MS	1000	/* between flushes without a reader */
#define LAST_MS		1000	/* for the last records to find room */
#define END_MS		2000	/* without progress, until the process's end no longer waits */

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
	static bool of_cupti, of_channel;
	bool all = true;

	if (output_has_lost(ACTIVITY_LOST_CUPTI))
		all = output_warn_once(self, &of_cupti,
				       "records are lost: CUPTI has filled all of its buffers (limit: %zu MiB); gpmu record --cuda-buffers=SIZE allows more",
				       buffers_limit() >> 20);
	if (output_has_lost(ACTIVITY_LOST_CHANNEL))
		all = output_warn_once(self, &of_channel,
				       "records are lost: they come faster than gpmu writes them; use gpmu record --cuda=LIST to record fewer kinds, or a faster disk") && all;
	return all;
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
	bool declined = buffers_declined();
	size_t dropped = 0;

	if (inject_is_alive(self))
		self->api.flush(flags);
	drain(self);
	/* Without any buffer, no completed buffer reports how many records CUPTI dropped. */
	if ((declined || buffers_are_short()) && inject_is_alive(self) && !self->api.dropped(NULL, 0, &dropped))
		output_lost(self, ACTIVITY_LOST_CUPTI, 0, dropped);
	return complete(self, now);
}

/* The last flush waits for room if there is a reader. Returns whether all records have been written or counted. */
static bool flush_last(struct inject *self)
{
	uint64_t begin = raw_clock_now();
	bool done = flush(self, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

	for (int i = 0; i < LAST_MS && !done && channel_has_reader(self->control); i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		done = complete(self, begin);
	}
	return done;
}

static unsigned int flush_ms(const struct inject *self)
{
	unsigned int ms = __atomic_load_n(&self->control->flush, __ATOMIC_RELAXED);

	if (!channel_has_reader(self->control))
		return UNREAD_MS;
	return ms < LEAST_FLUSH_MS ? LEAST_FLUSH_MS : ms;
}

/* Without a reader there are few records and no changes. */
static unsigned int wait_ms(const struct inject *self, unsigned int flush)
{
	return flush < POLL_MS || !channel_has_reader(self->control) ? flush : POLL_MS;
}

static void *run(void *data)
{
	struct inject *self = data;
	uint64_t next = raw_clock_now(), last = 0, now;
	bool records, is_short, done;

	while (!__atomic_load_n(&self->stop, __ATOMIC_ACQUIRE)) {
		unsigned int ms = flush_ms(self);

		buffers_wait(buffers_are_short() ? LEAST_FLUSH_MS : wait_ms(self, ms));
		records = capture_update(self);
		drain(self);
		now = raw_clock_now();
		/* After a declined request CUPTI drops all records until a flush. */
		is_short = buffers_are_short() && now >= last + LEAST_FLUSH_MS * UINT64_C(1000000);
		if (now < next && !is_short)
			continue;
		flush(self, 0);
		probe_look(self, records);
		last = raw_clock_now();
		next = last + ms * UINT64_C(1000000);
	}
	capture_update(self);
	done = flush_last(self);
	__atomic_store_n(&self->fatal, 1, __ATOMIC_SEQ_CST);
	/* Without the last records the reader must take the file as incomplete. */
	if (done)
		channel_writer_finish(self->writer);
	return NULL;
}

bool thread_start(struct inject *self)
{
	sigset_t all, kept;
	int code;

	sigfillset(&all);
	if (pthread_sigmask(SIG_BLOCK, &all, &kept))
		return false;
	code = pthread_create(&self->thread, NULL, run, self);
	pthread_sigmask(SIG_SETMASK, &kept, NULL);
	if (code)
		return false;
	pthread_setname_np(self->thread, "gpmu");
	self->has_thread = true;
	return true;
}

void thread_end(struct inject *self)
{
	uint64_t progress = 0, now;
	struct timespec until;
	int code;

	if (!self->has_thread)
		return;
	__atomic_store_n(&self->stop, 1, __ATOMIC_RELEASE);
	do {
		now = __atomic_load_n(&self->progress, __ATOMIC_RELAXED);
		if (progress && progress == now + 1)
			return;
		progress = now + 1;
		buffers_wake();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += END_MS / 1000;
		code = pthread_timedjoin_np(self->thread, NULL, &until);
	} while (code == ETIMEDOUT);
}
