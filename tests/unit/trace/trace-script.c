// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trace-script FILE: makes a trace from standard input, with one command a line and fields
 * separated by semicolons. Times are in ns. Tracks are named by keys. ARGS are NAME=VALUE:
 * integers, real numbers with a point, or else texts.
 *
 *   process;PID;NAME                     key pPID
 *   thread;PID;TID;NAME                  key tTID
 *   track;KEY;PARENT;NAME                PARENT: a key, or -
 *   counter;KEY;PARENT;UNIT;NAME
 *   slice;KEY;BEGIN;END;CATEGORY;NAME;ARGS...
 *   begin;KEY;TIME;CATEGORY;NAME;ARGS...
 *   end;KEY;TIME
 *   instant;KEY;TIME;CATEGORY;NAME;ARGS...
 *   many;KEY;N;BEGIN;STEP;LENGTH;CATEGORY;NAME;ARGS...   N slices
 *   value;KEY;TIME;VALUE
 *   audit;NAME;ARGS...
 *   gpu;NUMBER;NAME;UUID;ADDRESS
 *   queue;KEY;NUMBER;PID;NAME		a queue of that GPU
 *   gpu-counter;KEY;NUMBER;UNIT;NAME
 *   work;KEY;BEGIN;END;KIND;NAME;ARGS...	KIND: kernel, memcpy, memset or graph
 *   switch;CPU;TIME;PREVIOUS;NEXT;STATE;NAME	NAME: of the next thread
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/gpmu_trace_gpu.h"

#define FIELDS	40
#define KEYS	256

static struct {
	char name[32];
	int track;
} keys[KEYS];

static size_t key_count;
static struct gpmu_trace *trace;
static unsigned int line_number;

static void die(const char *why)
{
	fprintf(stderr, "trace-script: line %u: %s\n", line_number, why);
	exit(1);
}

static int check(int ret)
{
	if (ret < 0)
		die(strerror(-ret));
	return ret;
}

static int track_of(const char *key)
{
	if (!strcmp(key, "-"))
		return 0;
	for (size_t i = 0; i < key_count; i++)
		if (!strcmp(keys[i].name, key))
			return keys[i].track;
	die("expected the key of a track");
	return 0;
}

static void add_key(const char *prefix, const char *key, int track)
{
	if (key_count == KEYS)
		die("too many tracks");
	snprintf(keys[key_count].name, sizeof(keys[0].name), "%s%s", prefix, key);
	keys[key_count++].track = check(track);
}

static pid_t pid_of(const char *text)
{
	return (pid_t)strtol(text, NULL, 10);
}

static size_t split(char *line, char **fields)
{
	size_t n = 0;

	for (char *rest = line; rest && n < FIELDS; n++)
		fields[n] = strsep(&rest, ";");
	return n;
}

static struct gpmu_trace_arg arg_of(char *field)
{
	struct gpmu_trace_arg arg = { .name = field };
	char *value = strchr(field, '='), *end;

	if (!value)
		die("expected NAME=VALUE");
	*value++ = '\0';
	errno = 0;
	arg.integer = strtoll(value, &end, 10);
	if (!*end && *value)
		return arg;
	arg.real = strtod(value, &end);
	arg.kind = *end || !*value ? GPMU_TRACE_TEXT : GPMU_TRACE_DOUBLE;
	arg.text = value;
	return arg;
}

static size_t args_of(char **fields, size_t from, size_t n, struct gpmu_trace_arg *args)
{
	for (size_t i = from; i < n; i++)
		args[i - from] = arg_of(fields[i]);
	return n > from ? n - from : 0;
}

static uint64_t number_of(const char *text)
{
	return strtoull(text, NULL, 10);
}

/* @index: the field of the category */
static struct gpmu_trace_event event_of(char **fields, size_t index, size_t n, struct gpmu_trace_arg *args)
{
	struct gpmu_trace_event event = { .size = sizeof(event), .track = track_of(fields[1]), .args = args };

	if (n < index + 2)
		die("expected more fields");
	event.category = fields[index];
	event.name = fields[index + 1];
	event.arg_count = args_of(fields, index + 2, n, args);
	return event;
}

static void do_many(char **fields, size_t n)
{
	struct gpmu_trace_arg args[FIELDS];
	struct gpmu_trace_event event = event_of(fields, 6, n, args);

	event.time = number_of(fields[3]);
	for (uint64_t i = number_of(fields[2]); i; i--) {
		check(gpmu_trace_slice(trace, &event, number_of(fields[5])));
		event.time += number_of(fields[4]);
	}
}

static void do_switch(char **fields)
{
	char key[32];
	struct gpmu_trace_switch change = {
		.size = sizeof(change), .cpu = (unsigned int)number_of(fields[1]), .time = number_of(fields[2]),
		.prev = (pid_t)number_of(fields[3]), .next = (pid_t)number_of(fields[4]),
		.prev_state = (int64_t)number_of(fields[5]), .next_name = *fields[6] ? fields[6] : NULL,
	};

	snprintf(key, sizeof(key), "t%s", fields[4]);
	if (change.next)
		change.track = track_of(key);
	check(gpmu_trace_sched_switch(trace, &change));
}

static enum gpmu_trace_work_kind kind_of(const char *text)
{
	static const char *const kinds[GPMU_TRACE_WORK_KINDS] = { "kernel", "memcpy", "memset", "graph" };

	for (unsigned int i = 0; i < GPMU_TRACE_WORK_KINDS; i++)
		if (!strcmp(text, kinds[i]))
			return i;
	die("expected the kind of work");
	return 0;
}

static void do_work(char **fields, size_t n)
{
	struct gpmu_trace_arg args[FIELDS];
	struct gpmu_trace_work work = {
		.size = sizeof(work), .queue = track_of(fields[1]), .time = number_of(fields[2]),
		.duration = number_of(fields[3]) - number_of(fields[2]), .kind = kind_of(fields[4]), .name = fields[5],
		.id = line_number, .args = args,
	};

	work.arg_count = args_of(fields, 6, n, args);
	check(gpmu_trace_work(trace, &work));
}

/* Returns whether the line is of a GPU. */
static bool do_gpu(char **fields, size_t n)
{
	const struct gpmu_trace_gpu gpu = {
		.size = sizeof(gpu), .number = pid_of(fields[1]), .name = fields[2], .uuid = fields[3], .address = fields[4],
	};
	const struct gpmu_trace_gpu_counter counter = {
		.size = sizeof(counter), .gpu = pid_of(fields[2]), .unit = fields[3], .name = fields[4],
	};

	if (!strcmp(fields[0], "gpu") && n == 5)
		check(gpmu_trace_gpu(trace, &gpu));
	else if (!strcmp(fields[0], "queue") && n == 5)
		add_key("", fields[1], gpmu_trace_queue(trace, pid_of(fields[2]),
							check(gpmu_trace_context(trace, pid_of(fields[3]))), fields[4]));
	else if (!strcmp(fields[0], "gpu-counter") && n == 5)
		add_key("", fields[1], gpmu_trace_gpu_counter(trace, &counter));
	else if (!strcmp(fields[0], "work") && n >= 6)
		do_work(fields, n);
	else
		return false;
	return true;
}

static void do_event(char **fields, size_t n)
{
	struct gpmu_trace_arg args[FIELDS];
	struct gpmu_trace_event event;

	if (!strcmp(fields[0], "slice")) {
		event = event_of(fields, 4, n, args);
		event.time = number_of(fields[2]);
		check(gpmu_trace_slice(trace, &event, number_of(fields[3]) - event.time));
	} else if (!strcmp(fields[0], "begin")) {
		event = event_of(fields, 3, n, args);
		event.time = number_of(fields[2]);
		check(gpmu_trace_begin(trace, &event));
	} else if (!strcmp(fields[0], "instant")) {
		event = event_of(fields, 3, n, args);
		event.time = number_of(fields[2]);
		check(gpmu_trace_instant(trace, &event));
	} else if (!strcmp(fields[0], "many")) {
		do_many(fields, n);
	} else if (!strcmp(fields[0], "audit")) {
		size_t arg_count = args_of(fields, 2, n, args);

		check(gpmu_trace_audit(trace, 1, fields[1], args, arg_count));
	} else if (!strcmp(fields[0], "switch") && n == 7) {
		do_switch(fields);
	} else {
		die("expected a command");
	}
}

static void do_line(char *line)
{
	static char nothing[1];
	char *fields[FIELDS];
	size_t n;

	for (size_t i = 0; i < FIELDS; i++)
		fields[i] = nothing;
	n = split(line, fields);
	if (!strcmp(fields[0], "process") && n == 3)
		add_key("p", fields[1], gpmu_trace_process(trace, pid_of(fields[1]), fields[2]));
	else if (!strcmp(fields[0], "thread") && n == 4)
		add_key("t", fields[2], gpmu_trace_thread(trace, pid_of(fields[1]), pid_of(fields[2]), fields[3]));
	else if (!strcmp(fields[0], "track") && n == 4)
		add_key("", fields[1], gpmu_trace_track(trace, track_of(fields[2]), fields[3]));
	else if (!strcmp(fields[0], "counter") && n == 5)
		add_key("", fields[1], gpmu_trace_counter(trace, track_of(fields[2]), fields[4], fields[3]));
	else if (!strcmp(fields[0], "value") && n == 4)
		check(gpmu_trace_value(trace, track_of(fields[1]), number_of(fields[2]), strtod(fields[3], NULL)));
	else if (!strcmp(fields[0], "end") && n == 3)
		check(gpmu_trace_end(trace, track_of(fields[1]), number_of(fields[2])));
	else if (!do_gpu(fields, n))
		do_event(fields, n);
}

int main(int argc, char **argv)
{
	struct gpmu_trace_options options = { .size = sizeof(options), .restart = 1U << 20 };
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	char line[4096];

	if (fd < 0) {
		fprintf(stderr, "usage: trace-script FILE < SCRIPT\n");
		return 1;
	}
	trace = gpmu_trace_new(fd, &options, NULL);
	if (!trace)
		die("no memory");
	while (fgets(line, sizeof(line), stdin)) {
		line_number++;
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			do_line(line);
	}
	check(gpmu_trace_flush(trace, NULL));
	gpmu_trace_free(trace);
	return close(fd) ? 1 : 0;
}
