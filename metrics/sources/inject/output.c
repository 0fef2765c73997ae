// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"

#define WAIT_MS		200	/* for room, since the last record that was written */
#define TEXT		512

/* Used by any thread, because callbacks write, too */
static uint64_t lost[ACTIVITY_LOST_REASONS], since;

/* After a lost record the next ones do not wait until there is room again. */
static bool is_full;

uint64_t inject_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

void output_lost(struct inject *self, enum activity_lost_why why, uint64_t count)
{
	(void)self;
	__atomic_add_fetch(&lost[why], count, __ATOMIC_RELAXED);
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
		output_lost(self, ACTIVITY_LOST_CHANNEL, 1);
	return !ret;
}

void output_try(struct inject *self, const struct activity_head *record)
{
	if (channel_write(self->writer, record))
		output_lost(self, ACTIVITY_LOST_CHANNEL, 1);
}

/* Numbers that find no room now are written by the next call. */
bool output_complete(struct inject *self, uint64_t time)
{
	const struct activity_complete complete = { { sizeof(complete), ACTIVITY_COMPLETE, 0 }, time };
	uint64_t now = inject_now();
	bool all = true;

	for (unsigned int why = 0; why < ACTIVITY_LOST_REASONS; why++) {
		struct activity_lost record = {
			{ sizeof(record), ACTIVITY_LOST, 0 }, since ? since : time, now, 0, why, 0,
		};

		record.count = __atomic_exchange_n(&lost[why], 0, __ATOMIC_RELAXED);
		if (!record.count)
			continue;
		if (channel_write(self->writer, &record.head)) {
			output_lost(self, why, record.count);
			all = false;
		}
	}
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
	} record = { .note = { .head.kind = ACTIVITY_NOTE, .time = inject_now(), .level = level } };
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
		.time = inject_now(),
		.pid = getpid(),
		.parent = getppid(),
		.cupti = self->version,
		.driver = self->driver,
	} };

	snprintf(record.process.text, 255, "%s", program_invocation_short_name);
	record.process.head.size = (sizeof(record.process) + strlen(record.process.text) + 1 + 7) / 8 * 8;
	output_try(self, &record.process.head);
}
