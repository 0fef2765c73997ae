// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stands for a program with GPUs: writes the records of a script, FILE or standard input, to the channel in
 * $GPMU_CHANNEL. Lines are
 *
 *	KIND MEMBER=VALUE...	a record, as kernel begin=+100 end=+200 context=1 stream=7 name=foo grid=1,1,1
 *	sleep MS
 *	wait			until the reader enables it
 *	repeat N KIND ...	the same record N times; work and calls one behind the other, correlation by 1 more
 *	kill			by SIGKILL
 *	exit STATUS		with no word to the reader
 *
 * A time with "+" counts ns from the begin, name=, domain= and text= are texts ("%20" is a blank). A
 * record of the process comes first, with time, pid and parent where the script does not say them.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"

#define NAMES	4096
#define LINE	4096
#define TEXT	1024

enum type { U32, U64, THREE, NAME, TEXT_END, UUID };

struct member {
	const char *name;
	size_t offset;
	enum type type;
};

#define M32(of, member)		{ #member, offsetof(struct of, member), U32 }
#define M64(of, member)		{ #member, offsetof(struct of, member), U64 }
#define MNAME(of, member)	{ #member, offsetof(struct of, member), NAME }
#define MTEXT(of)		{ "text", offsetof(struct of, text), TEXT_END }
#define W32(member)		{ #member, offsetof(struct activity_work, member), U32 }
#define W64(member)		{ #member, offsetof(struct activity_work, member), U64 }
#define WORK			W64(begin), W64(end), W32(device), W32(context), W32(stream), \
				W32(correlation), W32(graph), W64(node)
#define CALL			M64(activity_call, begin), M64(activity_call, end), \
				M32(activity_call, thread), M32(activity_call, correlation), \
				MNAME(activity_call, name), M32(activity_call, result)

static const struct kind {
	const char *name;
	size_t size;	/* without a text */
	enum activity_kind kind;
	struct member members[20];
} kinds[] = {
	{ "process", sizeof(struct activity_process), ACTIVITY_PROCESS,
	  { M64(activity_process, time), M32(activity_process, pid), M32(activity_process, parent),
	    M32(activity_process, cupti), M32(activity_process, driver), MTEXT(activity_process) } },
	{ "device", sizeof(struct activity_device), ACTIVITY_DEVICE,
	  { M32(activity_device, device), { "uuid", offsetof(struct activity_device, uuid), UUID },
	    MTEXT(activity_device) } },
	{ "context", sizeof(struct activity_context), ACTIVITY_CONTEXT,
	  { M32(activity_context, context), M32(activity_context, device),
	    M32(activity_context, null_stream) } },
	{ "note", sizeof(struct activity_note), ACTIVITY_NOTE,
	  { M64(activity_note, time), M32(activity_note, level), MTEXT(activity_note) } },
	{ "lost", sizeof(struct activity_lost), ACTIVITY_LOST,
	  { M64(activity_lost, from), M64(activity_lost, to), M64(activity_lost, count),
	    M32(activity_lost, why) } },
	{ "complete", sizeof(struct activity_complete), ACTIVITY_COMPLETE,
	  { M64(activity_complete, time) } },
	{ "capture", sizeof(struct activity_capture), ACTIVITY_CAPTURE,
	  { M64(activity_capture, time), M32(activity_capture, begins) } },
	{ "kernel", sizeof(struct activity_kernel), ACTIVITY_KERNEL,
	  { WORK, MNAME(activity_kernel, name),
	    { "grid", offsetof(struct activity_kernel, grid), THREE },
	    { "block", offsetof(struct activity_kernel, block), THREE },
	    M32(activity_kernel, registers), M32(activity_kernel, shared_static),
	    M32(activity_kernel, shared_dynamic) } },
	{ "copy", sizeof(struct activity_copy), ACTIVITY_COPY,
	  { WORK, M64(activity_copy, bytes), M32(activity_copy, copy), M32(activity_copy, from),
	    M32(activity_copy, to), M32(activity_copy, peer) } },
	{ "set", sizeof(struct activity_set), ACTIVITY_SET,
	  { WORK, M64(activity_set, bytes), M32(activity_set, value), M32(activity_set, memory) } },
	{ "graph", sizeof(struct activity_graph), ACTIVITY_GRAPH, { WORK } },
	{ "runtime", sizeof(struct activity_call), ACTIVITY_RUNTIME, { CALL } },
	{ "driver", sizeof(struct activity_call), ACTIVITY_DRIVER, { CALL } },
	{ "sync", sizeof(struct activity_sync), ACTIVITY_SYNC,
	  { M64(activity_sync, begin), M64(activity_sync, end), M32(activity_sync, context),
	    M32(activity_sync, stream), M32(activity_sync, correlation), M32(activity_sync, sync) } },
	{ "marker", sizeof(struct activity_marker), ACTIVITY_MARKER,
	  { M64(activity_marker, time), M64(activity_marker, id), M32(activity_marker, thread),
	    M32(activity_marker, marker), MNAME(activity_marker, name),
	    MNAME(activity_marker, domain) } },
	{ "memory", sizeof(struct activity_memory), ACTIVITY_MEMORY,
	  { M64(activity_memory, time), M64(activity_memory, address), M64(activity_memory, bytes),
	    M32(activity_memory, device), M32(activity_memory, context),
	    M32(activity_memory, memory), M32(activity_memory, frees),
	    M32(activity_memory, stream), M32(activity_memory, correlation) } },
	{ "overhead", sizeof(struct activity_overhead), ACTIVITY_OVERHEAD,
	  { M64(activity_overhead, begin), M64(activity_overhead, end),
	    M32(activity_overhead, thread), MNAME(activity_overhead, name) } },
	{ "external", sizeof(struct activity_external), ACTIVITY_EXTERNAL,
	  { M64(activity_external, external), M32(activity_external, kind),
	    M32(activity_external, correlation) } },
	{ "unified", sizeof(struct activity_unified), ACTIVITY_UNIFIED,
	  { M64(activity_unified, begin), M64(activity_unified, end),
	    M64(activity_unified, address), M64(activity_unified, value),
	    MNAME(activity_unified, name), M32(activity_unified, from),
	    M32(activity_unified, to) } },
	{ "environment", sizeof(struct activity_environment), ACTIVITY_ENVIRONMENT,
	  { M64(activity_environment, time), M32(activity_environment, device),
	    M32(activity_environment, what),
	    { "values", offsetof(struct activity_environment, values), THREE } } },
};

static struct channel_writer *writer;
static struct channel_control *control;
static uint64_t base;
static char *names[NAMES];
static unsigned int line_number;

static _Noreturn void fail(const char *what, const char *of)
{
	fprintf(stderr, "activity-script: line %u: %s %s\n", line_number, what, of);
	exit(2);
}

static void put(const struct activity_head *record)
{
	int ret;

	while ((ret = channel_write(writer, record)) == -EAGAIN)
		poll(NULL, 0, 1);
	if (ret)
		fail("cannot be written:", strerror(-ret));
}

static void decode(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (strncmp(text, "%20", 3)) {
			*to++ = *text;
			continue;
		}
		*to++ = ' ';
		text += 2;
	}
	*to = '\0';
}

/* The number of a name; its record comes before the first that has it. */
static uint32_t intern(const char *text)
{
	union {
		struct activity_name name;
		char bytes[sizeof(struct activity_name) + TEXT];
	} record = { .name.head.kind = ACTIVITY_NAME };
	size_t length = strlen(text) + 1;

	for (uint32_t i = 1; i < NAMES; i++) {
		if (names[i] && !strcmp(names[i], text))
			return i;
		if (names[i])
			continue;
		names[i] = strdup(text);
		if (!names[i] || length > TEXT)
			fail("too long:", text);
		record.name.id = i;
		record.name.head.size = (sizeof(record.name) + length + 7) / 8 * 8;
		memcpy(record.name.text, text, length);
		put(&record.name.head);
		return i;
	}
	fail("too many names:", text);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text + (*text == '+'), &end, 0);

	if (*end && *end != ',')
		fail("no number:", text);
	return value + (*text == '+' ? base : 0);
}

static void set(struct activity_head *record, const struct member *member, char *value)
{
	char *at = (char *)record + member->offset;
	uint64_t wide;
	uint32_t word;

	switch (member->type) {
	case U64:
		wide = number(value);
		memcpy(at, &wide, sizeof(wide));
		break;
	case THREE:
		for (int i = 0; i < 3 && value; i++) {
			word = (uint32_t)number(value);
			memcpy(at + i * sizeof(word), &word, sizeof(word));
			value = strchr(value, ',');
			value = value ? value + 1 : NULL;
		}
		break;
	case TEXT_END:
	case UUID:
		decode(value);
		if (strlen(value) >= (member->type == UUID ? sizeof(((struct activity_device *)0)->uuid) : TEXT))
			fail("too long:", value);
		memcpy(at, value, strlen(value) + 1);
		break;
	default:
		decode(value);
		word = member->type == NAME ? intern(value) : (uint32_t)number(value);
		memcpy(at, &word, sizeof(word));
	}
	if (member->type == TEXT_END)
		record->size = (member->offset + strlen(value) + 1 + 7) / 8 * 8;
}

static void members(struct activity_head *record, const struct kind *kind, char **state)
{
	for (char *word; (word = strtok_r(NULL, " \t\n", state));) {
		const struct member *member = kind->members;
		char *value = strchr(word, '=');

		if (!value)
			fail("no value:", word);
		*value++ = '\0';
		while (member->name && strcmp(member->name, word))
			member++;
		if (!member->name)
			fail("no member", word);
		set(record, member, value);
	}
}

/* What differs in the next of those that are repeated */
static void advance(struct activity_head *record)
{
	struct activity_work *work = (struct activity_work *)record;
	struct activity_call *call = (struct activity_call *)record;

	if (record->kind >= ACTIVITY_KERNEL && record->kind <= ACTIVITY_DRIVER) {
		uint64_t length = work->end - work->begin + 1;

		work->begin += length;
		work->end += length;
		if (record->kind >= ACTIVITY_RUNTIME)
			call->correlation++;
		else
			work->correlation++;
	}
}

static void write_record(const char *name, char **state, uint64_t times)
{
	union {
		struct activity_head head;
		struct activity_process process;
		char bytes[sizeof(struct activity_kernel) + TEXT];
	} record = { 0 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		record.head.kind = kinds[i].kind;
		record.head.size = (kinds[i].size + 1 + 7) / 8 * 8;
		if (record.head.kind == ACTIVITY_PROCESS) {
			record.process.time = base;
			record.process.pid = getpid();
			record.process.parent = getppid();
		}
		members(&record.head, &kinds[i], state);
		for (uint64_t n = 0; n < times; n++, advance(&record.head))
			put(&record.head);
		return;
	}
	fail("no kind", name);
}

static void command(char *line)
{
	char *state = NULL, *word = strtok_r(line, " \t\n", &state), *value;

	if (!word || *word == '#')
		return;
	if (!strcmp(word, "kill"))
		raise(SIGKILL);
	if (!strcmp(word, "wait")) {
		while (!__atomic_load_n(&control->enabled, __ATOMIC_RELAXED))
			poll(NULL, 0, 1);
		return;
	}
	if (!strcmp(word, "sleep") || !strcmp(word, "exit") || !strcmp(word, "repeat")) {
		value = strtok_r(NULL, " \t\n", &state);
		if (!value)
			fail("no value:", word);
		if (*word == 'e')
			_exit((int)number(value));
		if (*word == 's')
			poll(NULL, 0, (int)number(value));
		else if ((word = strtok_r(NULL, " \t\n", &state)))
			write_record(word, &state, number(value));
		return;
	}
	write_record(word, &state, 1);
}

int main(int argc, char **argv)
{
	const char *folder = getenv(CHANNEL_VARIABLE);
	FILE *script = argc > 1 ? fopen(argv[1], "re") : stdin;
	char line[LINE];
	struct timespec now;
	bool is_first = true;

	if (!folder || !script) {
		fprintf(stderr, "activity-script: %s\n", folder ? argv[1] : "no $" CHANNEL_VARIABLE);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	base = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	control = channel_map_control(folder);
	writer = control ? channel_writer_new(folder, control->ring) : NULL;
	if (!writer) {
		perror("activity-script");
		return 2;
	}
	while (fgets(line, sizeof(line), script)) {
		line_number++;
		if (is_first && strncmp(line, "process", 7))
			command((char[]){ "process text=script" });
		is_first = false;
		command(line);
	}
	channel_writer_close(writer);
	for (size_t i = 0; i < NAMES; i++)
		free(names[i]);
	channel_unmap_control(control);
	return argc > 1 ? fclose(script) : 0;
}
