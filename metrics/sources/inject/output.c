// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/raw_clock.h"
#include "inject.h"

#define WAIT_MS		200	/* for room, since the last record that was written */
#define TEXT		512
#define LATER		4096	/* ends of ranges */

/* Used by any thread, because callbacks write, too */
static struct {
	uint64_t count, from, to;	/* from and to: 0: not known */
	bool ends;			/* ends of ranges have been among them */
} lost[ACTIVITY_LOST_REASONS][ACTIVITY_KINDS];
static bool has_lost[ACTIVITY_LOST_REASONS];
static uint64_t since;

/* Used by gpmu's thread */

/* After a lost record the next ones do not wait until there is room again. */
static bool is_full;

/* Ends of ranges that found no room are written later: their ranges would stay open. */
static struct activity_marker later[LATER];
static size_t later_count;

void output_lost(struct inject *self, enum activity_lost_why why, enum activity_kind kind, uint64_t count,
		 uint64_t time)
{
	uint64_t known = __atomic_load_n(&lost[why][kind].from, __ATOMIC_RELAXED);

	(void)self;
	if (!count)
		return;
	while (time && (!known || time < known) &&
	       !__atomic_compare_exchange_n(&lost[why][kind].from, &known, time, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	known = __atomic_load_n(&lost[why][kind].to, __ATOMIC_RELAXED);
	while (time > known &&
	       !__atomic_compare_exchange_n(&lost[why][kind].to, &known, time, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	__atomic_add_fetch(&lost[why][kind].count, count, __ATOMIC_RELAXED);
	__atomic_store_n(&has_lost[why], true, __ATOMIC_RELAXED);
}

bool output_has_lost(enum activity_lost_why why)
{
	return __atomic_load_n(&has_lost[why], __ATOMIC_RELAXED);
}

/* The time of a record, after the head; 0: records of this kind have none */
static uint64_t time_of(const struct activity_head *record)
{
	uint64_t time;

	if (record->kind < ACTIVITY_KERNEL || record->kind == ACTIVITY_EXTERNAL)
		return 0;
	memcpy(&time, record + 1, sizeof(time));
	return time;
}

static bool is_end(const struct activity_head *record)
{
	return record->kind == ACTIVITY_MARKER &&
	       ((const struct activity_marker *)(const void *)record)->marker == ACTIVITY_MARKER_END;
}

/* Keeps the end of a range, or counts the record as lost. */
static void lose(struct inject *self, const struct activity_head *record)
{
	bool ends = is_end(record);

	if (ends && later_count < LATER) {
		memcpy(&later[later_count++], record, sizeof(later[0]));
		return;
	}
	if (ends)
		lost[ACTIVITY_LOST_CHANNEL][ACTIVITY_MARKER].ends = true;
	output_lost(self, ACTIVITY_LOST_CHANNEL, record->kind, 1, time_of(record));
}

/* Writes the ends of ranges that found no room. Returns whether all are written. */
static bool put_later(struct inject *self)
{
	size_t n = 0;

	while (n < later_count && !channel_write(self->writer, &later[n].head))
		n++;
	later_count -= n;
	memmove(later, later + n, later_count * sizeof(later[0]));
	return !later_count;
}

bool output_write(struct inject *self, const struct activity_head *record)
{
	unsigned int waits = is_full || !channel_has_reader(self->control) ? 0 : WAIT_MS;
	int ret;

	while ((ret = channel_write(self->writer, record)) == -EAGAIN && waits--)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	is_full = ret != 0;
	if (!ret)
		__atomic_add_fetch(&self->progress, 1, __ATOMIC_RELAXED);
	else if (record->kind != ACTIVITY_NAME && channel_has_reader(self->control))
		lose(self, record);
	return !ret;
}

void output_try(struct inject *self, const struct activity_head *record)
{
	if (channel_write(self->writer, record))
		output_lost(self, ACTIVITY_LOST_CHANNEL, record->kind, 1, time_of(record));
}

/* Writes how many records of a kind were lost. Without room the next call does. */
static bool put_lost(struct inject *self, uint32_t why, uint32_t kind, uint64_t time)
{
	struct activity_lost record = {
		{ sizeof(record), ACTIVITY_LOST, 0 }, since ? since : time, time, 0, why, kind,
		kind == ACTIVITY_MARKER && !lost[why][kind].ends ? ACTIVITY_NO_END : 0, 0,
	};
	uint64_t from, to;

	record.count = __atomic_exchange_n(&lost[why][kind].count, 0, __ATOMIC_RELAXED);
	if (!record.count)
		return true;
	from = __atomic_exchange_n(&lost[why][kind].from, 0, __ATOMIC_RELAXED);
	to = __atomic_exchange_n(&lost[why][kind].to, 0, __ATOMIC_RELAXED);
	record.from = from ? from : record.from;
	record.to = to ? to : raw_clock_now();
	if (!channel_write(self->writer, &record.head))
		return true;
	output_lost(self, why, kind, record.count - 1, from);
	output_lost(self, why, kind, 1, to);
	return false;
}

bool output_complete(struct inject *self, uint64_t time)
{
	const struct activity_complete complete = {
		{ sizeof(complete), ACTIVITY_COMPLETE, 0 }, time, buffers_memory(),
	};
	bool all = put_later(self);

	for (uint32_t why = 0; why < ACTIVITY_LOST_REASONS; why++)
		for (uint32_t kind = 0; kind < ACTIVITY_KINDS && output_has_lost(why); kind++)
			all = put_lost(self, why, kind, time) && all;
	if (!all || !inject_is_alive(self))
		return all;
	if (channel_write(self->writer, &complete.head))
		return false;
	since = time;
	return true;
}

void output_note(struct inject *self, enum activity_note_level level, const char *fmt, ...)
{
	union {
		struct activity_note note;
		char bytes[sizeof(struct activity_note) + TEXT];
	} record = { .note = { .head.kind = ACTIVITY_NOTE, .time = raw_clock_now(), .level = level } };
	va_list args;

	va_start(args, fmt);
	vsnprintf(record.note.text, TEXT, fmt, args);
	va_end(args);
	record.note.head.size = (sizeof(record.note) + strlen(record.note.text) + 1 + 7) / 8 * 8;
	output_try(self, &record.note.head);
}

void output_process(struct inject *self)
{
	union {
		struct activity_process process;
		char bytes[sizeof(struct activity_process) + 256];
	} record = { .process = {
		.head.kind = ACTIVITY_PROCESS,
		.time = raw_clock_now(),
		.pid = getpid(),
		.parent = getppid(),
		.cupti = self->version,
		.driver = self->driver,
	} };

	snprintf(record.process.text, 255, "%s", program_invocation_short_name);
	record.process.head.size = (sizeof(record.process) + strlen(record.process.text) + 1 + 7) / 8 * 8;
	output_try(self, &record.process.head);
}
