// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sends regions to gpmu record: a record at the start and one at the end, through a channel that
 * the process opens at its first mark. No later mark waits. Records that find no room are dropped
 * and counted in the channel.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/raw_clock.h"
#include "mark.h"
#include "trace/channel/channel.h"
#include "trace/channel/channel_names.h"

#define RING		(UINT64_C(1) << 20)	/* bytes; 10,000 visits */
/* NVTX ranges of the same process have smaller ids. */
#define FIRST_ID	(UINT64_C(1) << 63)

/* The regions of a thread that have begun, the innermost last */
struct slice_thread {
	uint32_t tid;
	size_t depth, room;
	size_t forgotten;		/* regions inside the open ones, begun without memory */
	size_t inherited;		/* regions around the open ones, begun in the parent before fork() */
	struct slice_open {
		uint64_t id;		/* 0: the begin was lost */
		uint32_t name;		/* 0: not known */
	} *open;
};

/* Name of the reader's socket: a copy of CHANNEL_VARIABLE, which the program can change before its first mark */
static char *channel;
static pthread_key_t key;			/* the thread's struct slice_thread */

/* The lock protects the variables below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct channel_control *control;		/* NULL: the process has marked nothing yet */
static struct channel_writer *writer;
static bool is_over;				/* the process exits, or it has no channel */
static struct channel_names names;
static size_t name_bytes;
static bool has_warned;				/* of too many names */
static bool has_warned_nesting;			/* of an end that is ignored */
static uint64_t last_id;

/* --- the channel */

static void put_process(void)
{
	union {
		struct activity_process process;
		char bytes[sizeof(struct activity_process) + 256];
	} record = { .process = {
		.head = { .kind = ACTIVITY_PROCESS, .flags = ACTIVITY_PROCESS_REGIONS },
		.time = raw_clock_now(),
		.pid = (uint32_t)getpid(),
		.parent = (uint32_t)getppid(),
	} };

	snprintf(record.process.text, 255, "%s", program_invocation_short_name);
	record.process.head.size = (uint32_t)(sizeof(record.process) + strlen(record.process.text) + 1 + 7) / 8 * 8;
	channel_write(writer, &record.process.head);
}

static void open_channel(void)
{
	int connection;

	control = channel_connect(channel, "the regions", &connection);
	if (!control)
		return;
	if (control->regions && channel_has_reader(control))
		writer = channel_writer_send(connection, control->ring < RING ? control->ring : RING, "the regions");
	else
		channel_send(connection, CHANNEL_LOADED, -1, NULL);
	close(connection);
	if (writer)
		put_process();
}

/* Returns whether there is a channel to write to, which the first call opens. Called with the lock held. */
static bool has_channel(void)
{
	if (!is_over && !writer) {
		open_channel();
		is_over = !writer;
	}
	return !is_over && channel_has_reader(control);
}

/* Returns whether regions that begin now are recorded. Regions that began earlier keep their end. Called with the lock held. */
static bool is_recording(void)
{
	return has_channel() && __atomic_load_n(&control->enabled, __ATOMIC_RELAXED);
}

/* --- records, with the lock held */

/* @thread: as in struct activity_lost */
static void lose(enum activity_lost_why why, uint64_t time, uint32_t thread)
{
	const struct activity_lost lost = {
		.from = time, .to = time, .count = 1, .why = why, .kind = ACTIVITY_MARKER, .thread = thread,
	};

	channel_lose(writer, &lost);
}

/* Returns whether the record is in the channel. Only a lost end leaves a region open. */
static bool put_marker(const struct activity_marker *record)
{
	if (!channel_write(writer, &record->head))
		return true;
	lose(ACTIVITY_LOST_CHANNEL, record->time,
	     record->marker == ACTIVITY_MARKER_END ? record->thread : ACTIVITY_NO_END);
	return false;
}

static bool write_name(void *unused, const struct activity_head *record)
{
	(void)unused;
	return !channel_write(writer, record);
}

/* Writes a warning; false: no room */
__attribute__((format(printf, 1, 2)))
static bool note(const char *fmt, ...)
{
	struct {
		struct activity_note note;
		char text[200];
	} record = { .note = { .head = { sizeof(record), ACTIVITY_NOTE, 0 }, .time = raw_clock_now(),
			       .level = ACTIVITY_WARNING } };
	va_list args;

	va_start(args, fmt);
	vsnprintf(record.text, sizeof(record.text), fmt, args);
	va_end(args);
	return !channel_write(writer, &record.note.head);
}

/* The number of a name; 0 without room or memory */
static uint32_t intern(const char *name)
{
	const uint32_t number = channel_names_intern(&names, &name_bytes, name, write_name, NULL);

	/* The channel is likely to be full of names at the first note. */
	if (number && !has_warned && channel_name_is(&names, number, CHANNEL_NAMES_MORE))
		has_warned = note(CHANNEL_NAMES_NOTE, CHANNEL_NAMES_MAX >> 20, "region", CHANNEL_NAMES_REMEDY);
	return number;
}

static struct activity_marker marker_of(const struct slice_thread *thread, uint64_t time,
					enum activity_marker_kind kind)
{
	return (struct activity_marker){
		.head = { sizeof(struct activity_marker), ACTIVITY_MARKER, 0 }, .time = time,
		.thread = thread->tid, .marker = kind,
	};
}

static void begin(struct slice_thread *thread, struct slice_open *open, const char *name)
{
	struct activity_marker record;

	*open = (struct slice_open){ 0 };
	if (!is_recording())
		return;
	open->name = intern(name);
	record = marker_of(thread, raw_clock_now(), ACTIVITY_MARKER_BEGIN);
	record.id = FIRST_ID | ++last_id;
	record.name = open->name;
	if (!open->name)
		lose(ACTIVITY_LOST_CHANNEL, record.time, ACTIVITY_NO_END);
	else if (put_marker(&record))
		open->id = record.id;
}

static void end(const struct slice_thread *thread, const struct slice_open *open, uint64_t time)
{
	struct activity_marker record = marker_of(thread, time, ACTIVITY_MARKER_END);

	record.id = open->id;
	if (open->id && has_channel())
		put_marker(&record);
}

/* --- threads */

/* A thread's open regions end with it. */
static void thread_end(void *data)
{
	struct slice_thread *thread = data;
	const uint64_t time = raw_clock_now();

	pthread_mutex_lock(&lock);
	while (thread->depth)
		end(thread, &thread->open[--thread->depth], time);
	pthread_mutex_unlock(&lock);
	free(thread->open);
	free(thread);
}

/* NULL: no memory */
static struct slice_thread *this_thread(void)
{
	struct slice_thread *thread = pthread_getspecific(key);

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = (uint32_t)gettid();
	if (!pthread_setspecific(key, thread))
		return thread;
	free(thread);
	return NULL;
}

static struct slice_open *push(struct slice_thread *thread)
{
	if (thread->depth == thread->room) {
		const size_t room = thread->room ? thread->room * 2 : 16;
		struct slice_open *open = reallocarray(thread->open, room, sizeof(*open));

		if (!open)
			return NULL;
		thread->open = open;
		thread->room = room;
	}
	return &thread->open[thread->depth++];
}

void slice_begin(const char *name)
{
	struct slice_thread *thread = this_thread();
	struct slice_open *open = thread ? push(thread) : NULL;

	pthread_mutex_lock(&lock);
	if (open) {
		begin(thread, open, name);
	} else {
		if (is_recording())
			lose(ACTIVITY_LOST_CHANNEL, raw_clock_now(), ACTIVITY_NO_END);
		if (thread)
			thread->forgotten++;
	}
	pthread_mutex_unlock(&lock);
}

/* Counts the end of a region that is not the innermost; with the lock held */
static void ignore_end(const char *name, uint64_t time)
{
	if (!is_recording())
		return;
	lose(ACTIVITY_LOST_NESTING, time, ACTIVITY_NO_END);
	if (!has_warned_nesting)
		has_warned_nesting = note("the end of region %.60s is ignored: a thread can only end the innermost "
					  "of the regions that it has begun", name);
}

/* With the lock held */
static bool is_named(const struct slice_open *open, const char *name)
{
	uint32_t number = channel_names_find(&names, name);

	if (!number)
		number = channel_names_find(&names, CHANNEL_NAMES_MORE);
	return !open->name || open->name == number;
}

void slice_end(const char *name)
{
	const uint64_t time = raw_clock_now();
	struct slice_thread *thread = pthread_getspecific(key);
	struct slice_open *open = thread && thread->depth ? &thread->open[thread->depth - 1] : NULL;

	if (thread && thread->forgotten) {
		thread->forgotten--;
		return;
	}
	if (thread && !open && thread->inherited) {
		thread->inherited--;
		return;
	}
	pthread_mutex_lock(&lock);
	if (open && is_named(open, name)) {
		end(thread, open, time);
		thread->depth--;
	} else {
		ignore_end(name, time);
	}
	pthread_mutex_unlock(&lock);
}

/* --- the process */

bool slice_load(void)
{
	const char *value = secure_getenv(CHANNEL_VARIABLE);

	if (!value || !*value)
		return false;
	channel = strdup(value);
	if (!channel || pthread_key_create(&key, thread_end)) {
		free(channel);
		return false;
	}
	channel_announce(channel);
	return true;
}

/*
 * The channel, and the regions that have begun, are the parent's. Another thread of the parent may
 * have been changing the names at the fork, so their memory is not freed.
 */
void slice_fork(void)
{
	const pthread_mutex_t again = PTHREAD_MUTEX_INITIALIZER;
	struct slice_thread *thread = pthread_getspecific(key);

	memcpy(&lock, &again, sizeof(lock));
	if (writer)
		channel_writer_forget(writer);
	if (control)
		channel_unmap_control(control);
	writer = NULL;
	control = NULL;
	is_over = false;
	memset(&names, 0, sizeof(names));
	name_bytes = 0;
	has_warned = has_warned_nesting = false;
	if (thread) {
		thread->inherited += thread->depth + thread->forgotten;
		thread->depth = thread->forgotten = 0;
		thread->tid = (uint32_t)gettid();
	}
}

void slice_exit(void)
{
	pthread_mutex_lock(&lock);
	if (writer && !is_over)
		channel_writer_finish(writer);
	is_over = true;
	pthread_mutex_unlock(&lock);
}
