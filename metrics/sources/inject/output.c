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
static bool has_lost[ACTIVITY_LOST_REASONS];
static uint64_t since;	/* the last completion time */

/* Used by gpmu's thread */

/* After a lost record the next ones do not wait until there is room again. */
static bool is_full;

/* Ends of ranges that found no room are written later: their ranges would stay open. */
static struct activity_marker *later;	/* NULL before the first */
static size_t later_count;
static uint64_t owed_count;	/* number of ends that were ever put into later */

static void count_lost(struct inject *self, enum activity_lost_why why, enum activity_kind kind, uint64_t count,
		       uint64_t time, uint32_t thread)
{
	const struct activity_lost lost = {
		.from = time ? time : __atomic_load_n(&since, __ATOMIC_RELAXED),
		.to = time ? time : raw_clock_now(),
		.count = count, .why = why, .kind = kind, .thread = thread,
	};

	if (!count)
		return;
	channel_lose(self->writer, &lost);
	__atomic_store_n(&has_lost[why], true, __ATOMIC_RELAXED);
}

void output_lost(struct inject *self, enum activity_lost_why why, enum activity_kind kind, uint64_t count)
{
	count_lost(self, why, kind, count, 0, 0);
}

bool output_has_lost(enum activity_lost_why why)
{
	return __atomic_load_n(&has_lost[why], __ATOMIC_RELAXED);
}

/* The time of a record, after the head; 0: records of this kind have none */
static uint64_t time_of(const struct activity_head *record)
{
	const uint64_t without = UINT64_C(1) << ACTIVITY_NAME | UINT64_C(1) << ACTIVITY_DEVICE |
				 UINT64_C(1) << ACTIVITY_CONTEXT | UINT64_C(1) << ACTIVITY_EXTERNAL |
				 UINT64_C(1) << ACTIVITY_CUBIN;
	uint64_t time;

	if (without >> record->kind & 1)
		return 0;
	memcpy(&time, record + 1, sizeof(time));
	return time;
}

static bool is_end(const struct activity_head *record)
{
	return record->kind == ACTIVITY_MARKER &&
	       ((const struct activity_marker *)(const void *)record)->marker == ACTIVITY_MARKER_END;
}

/* Lost markers other than ends leave no range open. */
static void lose(struct inject *self, const struct activity_head *record)
{
	count_lost(self, ACTIVITY_LOST_CHANNEL, record->kind, 1, time_of(record),
		   record->kind == ACTIVITY_MARKER && !is_end(record) ? ACTIVITY_NO_END : 0);
}

/* The reader counts the ends that it has not read as lost if the process ends. */
static void owe_later(struct inject *self)
{
	struct activity_lost owed = {
		.count = owed_count, .why = ACTIVITY_LOST_CHANNEL, .kind = ACTIVITY_MARKER,
		.from = later_count ? later[0].time : 0,
	};

	for (size_t i = 0; i < later_count; i++) {
		owed.from = later[i].time < owed.from ? later[i].time : owed.from;
		owed.to = later[i].time > owed.to ? later[i].time : owed.to;
	}
	channel_owe(self->writer, &owed);
}

/* Keeps the end of a range, or counts the record as lost. */
static void keep_or_lose(struct inject *self, const struct activity_head *record)
{
	if (!later && is_end(record))
		later = inject_table(LATER * sizeof(*later));
	if (!later || !is_end(record) || later_count == LATER)
		return lose(self, record);
	memcpy(&later[later_count], record, sizeof(later[0]));
	later[later_count++].head.flags |= ACTIVITY_OWED;
	owed_count++;
	owe_later(self);
}

/* Writes the ends of ranges that found no room. Returns whether all are written. */
static bool put_later(struct inject *self)
{
	size_t n = 0;

	while (n < later_count && !channel_write(self->writer, &later[n].head))
		n++;
	if (!n)
		return !later_count;
	later_count -= n;
	memmove(later, later + n, later_count * sizeof(later[0]));
	owe_later(self);
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
		keep_or_lose(self, record);
	return !ret;
}

void output_try(struct inject *self, const struct activity_head *record)
{
	if (channel_write(self->writer, record))
		lose(self, record);
}

bool output_complete(struct inject *self, uint64_t time)
{
	const struct activity_complete complete = {
		{ sizeof(complete), ACTIVITY_COMPLETE, 0 }, time, buffers_memory(),
	};

	if (!put_later(self))
		return false;
	if (!inject_is_alive(self))
		return true;
	if (channel_write(self->writer, &complete.head))
		return false;
	__atomic_store_n(&since, time, __ATOMIC_RELAXED);
	return true;
}

static bool put_note(struct inject *self, enum activity_note_level level, const char *fmt, va_list args)
{
	union {
		struct activity_note note;
		char bytes[sizeof(struct activity_note) + TEXT];
	} record = { .note = { .head.kind = ACTIVITY_NOTE, .time = raw_clock_now(), .level = level } };

	vsnprintf(record.note.text, TEXT, fmt, args);
	record.note.head.size = (sizeof(record.note) + strlen(record.note.text) + 1 + 7) / 8 * 8;
	return !channel_write(self->writer, &record.note.head);
}

void output_note(struct inject *self, enum activity_note_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!put_note(self, level, fmt, args))
		count_lost(self, ACTIVITY_LOST_CHANNEL, ACTIVITY_NOTE, 1, raw_clock_now(), 0);
	va_end(args);
}

bool output_warn_once(struct inject *self, bool *is_written, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	*is_written = *is_written || put_note(self, ACTIVITY_WARNING, fmt, args);
	va_end(args);
	return *is_written;
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
	since = record.process.time;
	output_try(self, &record.process.head);
}
