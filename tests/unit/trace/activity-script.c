// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stands in for a program that uses GPUs: writes the records of a script, from FILE or standard input, to the channel
 * in $GPMU_CHANNEL. The lines of a script are
 *
 *	KIND MEMBER=VALUE...	a record, such as kernel begin=+100 end=+200 context=1 stream=7 name=foo grid=1,1,1
 *	sleep MS
 *	wait			until the reader enables the channel
 *	repeat N KIND ...	N records; work and calls follow each other, correlation grows by 1
 *	kill			ends by SIGKILL
 *	truncate		tries to truncate its file
 *	damage			overwrites a position in its file
 *	exit STATUS		without closing the channel
 *
 * A time with "+" is in ns from the start of the program. name=, domain= and text= are texts, in which "%20" is a
 * blank. The first record is that of the process, with time, pid and parent unless the script gives them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "activity-members.h"
#include "channel-connect.h"
#include "trace/channel/channel_file.h"

#define NAMES	4096
#define LINE	4096
#define TEXT	1024

static struct channel_writer *writer;
static struct channel_control *control;
static uint64_t base;
static char *names[NAMES];
static unsigned int line_number;

static _Noreturn void fail(const char *what, const char *where)
{
	fprintf(stderr, "activity-script: line %u: %s %s\n", line_number, what, where);
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

/* Returns the id of a name. The first use of a name writes its record. */
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
	char *bytes = (char *)record + member->offset;
	uint64_t wide;
	uint32_t word;

	switch (member->type) {
	case U64:
		wide = number(value);
		memcpy(bytes, &wide, sizeof(wide));
		break;
	case THREE:
		for (int i = 0; i < 3 && value; i++) {
			word = (uint32_t)number(value);
			memcpy(bytes + i * sizeof(word), &word, sizeof(word));
			value = strchr(value, ',');
			value = value ? value + 1 : NULL;
		}
		break;
	case TEXT_END:
	case UUID:
		decode(value);
		if (strlen(value) >= (member->type == UUID ? sizeof(((struct activity_device *)0)->uuid) : TEXT))
			fail("too long:", value);
		memcpy(bytes, value, strlen(value) + 1);
		if (member->type == TEXT_END)
			record->size = (member->offset + strlen(value) + 1 + 7) / 8 * 8;
		break;
	default:
		decode(value);
		word = member->type == NAME ? intern(value) : (uint32_t)number(value);
		memcpy(bytes, &word, sizeof(word));
	}
}

static void members(struct activity_head *record, const struct members_kind *kind, char **state)
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

/* Advances times and correlation for the next record of a repetition. */
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

	for (size_t i = 0; i < MEMBERS_KINDS; i++) {
		if (strcmp(members_kinds[i].name, name))
			continue;
		record.head.kind = members_kinds[i].kind;
		record.head.size = (members_kinds[i].size + 1 + 7) / 8 * 8;
		if (record.head.kind == ACTIVITY_PROCESS) {
			record.process.time = base;
			record.process.pid = getpid();
			record.process.parent = getppid();
		}
		members(&record.head, &members_kinds[i], state);
		for (uint64_t n = 0; n < times; n++, advance(&record.head))
			put(&record.head);
		return;
	}
	fail("no kind", name);
}

/* Opens this process's file through gpmu's descriptor, once gpmu, the parent, has it. */
static int open_own_file(void)
{
	char path[LINE], link[LINE];

	for (int fd = 0;; fd = (fd + 1) % 1024) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), fd);
		n = readlink(path, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		if (strstr(link, "memfd:gpmu-channel"))
			return open(path, O_RDWR | O_CLOEXEC);
	}
}

static void cut_off(void)
{
	int fd = open_own_file();

	if (fd < 0 || !ftruncate(fd, 0) || errno != EPERM)
		fail("truncate:", strerror(errno));
	close(fd);
}

/* Writes a position at which no record can end. */
static void damage(void)
{
	const uint64_t written = 20;
	int fd = open_own_file();

	if (pwrite(fd, &written, sizeof(written), offsetof(struct channel_head, written)) < 0)
		fail("damage:", strerror(errno));
	close(fd);
}

static void command(char *line)
{
	char *state = NULL, *word = strtok_r(line, " \t\n", &state), *value;

	if (!word || *word == '#')
		return;
	if (!strcmp(word, "kill"))
		raise(SIGKILL);
	if (!strcmp(word, "truncate"))
		return cut_off();
	if (!strcmp(word, "damage"))
		return damage();
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
	const char *name = getenv(CHANNEL_VARIABLE);
	FILE *script = argc > 1 ? fopen(argv[1], "re") : stdin;
	char line[LINE];
	struct timespec now;
	bool is_first = true;

	if (!name || !script) {
		fprintf(stderr, "activity-script: %s\n", name ? argv[1] : "no $" CHANNEL_VARIABLE);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	base = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	writer = connect_writer(name, 0, &control);
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
