// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "measure/marks.h"
#include "measure/marks_read.h"
#include "plugin/preload.h"

/* A process with marks */
struct process {
	int pid;
	char name[MARKS_NAME];
	bool has_ended;			/* its counts or its failure are in the file */
};

struct record {
	char kind;
	int pid;
	char name[MARKS_NAME];
	const char *text;
	size_t length;
};

/* Marks of a process without effect */
struct tally {
	struct record first;		/* its text is the region, and the error */
	uint64_t count;
	bool is_final;			/* the process has exited, and its count is complete */
};

struct reading {
	FILE *file;
	void (*warn)(const char *line, void *user);
	void *user;
	VECTOR(struct process) processes;
	VECTOR(struct record) counts;	/* what processes printed */
	VECTOR(struct tally) tallies;
	bool is_loaded;			/* the library was in a process */
	bool has_failed;
};

__attribute__((format(printf, 2, 3)))
static int report(const struct reading *reading, const char *fmt, ...)
{
	va_list args;
	char *line;

	if (!reading->warn)
		return 0;
	va_start(args, fmt);
	line = text_vprint(fmt, args);
	va_end(args);
	if (!line)
		return -ENOMEM;
	reading->warn(line, reading->user);
	free(line);
	return 0;
}

/* The latest process with this id, which the kernel may have reused. NULL if there is none */
static struct process *find(const struct reading *reading, int pid)
{
	for (size_t i = reading->processes.n; i > 0; i--)
		if (reading->processes.list[i - 1].pid == pid)
			return &reading->processes.list[i - 1];
	return NULL;
}

static int begin(struct reading *reading, const struct record *record)
{
	struct process process = { .pid = record->pid };

	memcpy(process.name, record->name, sizeof(process.name));
	return vector_push(&reading->processes, &process);
}

static int fail(struct reading *reading, const struct record *record)
{
	reading->has_failed = true;
	return report(reading, "process %d (%s) was not counted: %.*s", record->pid, record->name,
		      (int)record->length, record->text);
}

/*
 * The tally that a record continues, whose number grows, except at the exit. NULL: there is none, or it is that of an
 * earlier program with the process's id
 */
static struct tally *find_tally(const struct reading *reading, const struct record *record, uint64_t number,
				bool has_exited)
{
	struct tally *tallies = reading->tallies.list;

	for (size_t i = reading->tallies.n; i > 0; i--)
		if (tallies[i - 1].first.pid == record->pid && tallies[i - 1].first.kind == record->kind)
			return number + has_exited > tallies[i - 1].count ? &tallies[i - 1] : NULL;
	return NULL;
}

static int count(struct reading *reading, const struct record *record)
{
	const char *end = record->text + record->length;
	const char *space = memchr(record->text, ' ', record->length);
	const uint64_t number = strtoull(record->text, NULL, 10);
	struct tally *tally;
	bool has_exited;

	if (!space || end - space < 3)
		return -EINVAL;
	has_exited = space[1] == '1';
	tally = find_tally(reading, record, number, has_exited);
	if (!tally) {
		tally = vector_append(reading->tallies.list, reading->tallies.n);
		if (!tally)
			return -ENOMEM;
		tally->first = *record;
		tally->first.text = space + 3;
		tally->first.length = (size_t)(end - space - 3);
	}
	tally->count = number;
	tally->is_final = has_exited;
	return 0;
}

static int take(struct reading *reading, const struct record *record)
{
	struct process *process = find(reading, record->pid);

	switch (record->kind) {
	case MARKS_LOADED:
		reading->is_loaded = true;
		return 0;
	case MARKS_BEGUN:
		return begin(reading, record);
	case MARKS_COUNTED:
	case MARKS_FAILED:
		if (process)
			process->has_ended = true;
		return record->kind == MARKS_FAILED ? fail(reading, record) : vector_push(&reading->counts, record);
	case MARKS_IGNORED:
	case MARKS_UNCOUNTED:
		return count(reading, record);
	default:
		return -EINVAL;
	}
}

/* Parses the record at *@text and advances *@text past it. Returns 0; -EINVAL if it is malformed */
static int parse(char **text, const char *end, struct record *record)
{
	char *line = memchr(*text, '\n', (size_t)(end - *text)), *pos;

	if (!line)
		return -EINVAL;
	*line = '\0';
	record->kind = **text;
	record->pid = record->kind ? (int)strtol(*text + 1, &pos, 10) : 0;
	if (record->pid <= 0)
		return -EINVAL;
	record->length = strtoull(pos, &pos, 10);
	if (*pos != ' ' || record->length > (size_t)(end - line - 1))
		return -EINVAL;
	snprintf(record->name, sizeof(record->name), "%s", pos + 1);
	record->text = line + 1;
	*text = line + 1 + record->length;
	return 0;
}

static int take_all(struct reading *reading, char *text, size_t length)
{
	const char *end = text + length;
	struct record record;
	int ret = 0;

	while (!ret && text < end) {
		ret = parse(&text, end, &record);
		if (ret)
			ret = report(reading, "the file of the marks is damaged, and the rest of it is ignored") ?
			      -ENOMEM : 1;
		else
			ret = take(reading, &record);
	}
	return ret < 0 ? ret : 0;
}

static int report_tallies(const struct reading *reading)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < reading->tallies.n; i++) {
		const struct tally *tally = &reading->tallies.list[i];
		const struct record *first = &tally->first;
		const char *min = tally->is_final ? "" : "at least ";

		if (first->kind == MARKS_IGNORED)
			ret = report(reading, "process %d (%s): ends of regions that were ignored: %s%" PRIu64
				     ", the first of %.*s; a thread can only end the innermost of the regions that "
				     "it has begun",
				     first->pid, first->name, min, tally->count, (int)first->length, first->text);
		else
			ret = report(reading, "process %d (%s): visits of regions that were not counted: %s%" PRIu64
				     ", the first of %.*s", first->pid, first->name, min, tally->count, (int)first->length,
				     first->text);
	}
	return ret;
}

/* Reports processes that have not handed over their counts, or why there are none at all. */
static int report_missing(const struct reading *reading)
{
	const struct process *processes = reading->processes.list;
	int ret = 0;

	for (size_t i = 0; !ret && i < reading->processes.n; i++)
		if (!processes[i].has_ended)
			ret = report(reading, "the counts of process %d (%s) are lost: it was killed, it still "
				     "runs, or it left by _exit() or execve()", processes[i].pid,
				     processes[i].name);
	if (ret || reading->counts.n || reading->has_failed || reading->processes.n)
		return ret;
	if (reading->is_loaded)
		return report(reading, PRELOAD_UNUSED);
	return report(reading, "no region can be counted: " PRELOAD_REFUSED);
}

static void print(const struct reading *reading, bool is_named)
{
	const struct record *counts = reading->counts.list;

	for (size_t i = 0; i < reading->counts.n; i++) {
		if (is_named && reading->counts.n > 1) {
			fprintf(reading->file, "%sprocess %d (", i ? "\n" : "", counts[i].pid);
			gpmu_shown_print(reading->file, counts[i].name);
			fputs("):\n", reading->file);
		}
		fwrite(counts[i].text, 1, counts[i].length, reading->file);
	}
}

static char *read_file(int fd, size_t *length)
{
	struct stat stat;
	ssize_t n = 0;
	char *text;

	if (fstat(fd, &stat))
		return NULL;
	text = malloc((size_t)stat.st_size + 1);
	for (*length = 0; text && *length < (size_t)stat.st_size; *length += (size_t)n) {
		n = pread(fd, text + *length, (size_t)stat.st_size - *length, (off_t)*length);
		if (n <= 0)
			break;
	}
	if (text)
		text[*length] = '\0';
	return text;
}

int marks_read(int fd, bool is_named, FILE *file, void (*warn)(const char *line, void *user),
	       void *user)
{
	struct reading reading = { .file = file, .warn = warn, .user = user };
	size_t length;
	char *text = read_file(fd, &length);
	int ret;

	if (!text)
		return errno ? -errno : -ENOMEM;
	ret = take_all(&reading, text, length) ?: report_tallies(&reading) ?: report_missing(&reading);
	if (!ret)
		print(&reading, is_named);
	errno = 0;
	if (!ret && (fflush(file) || ferror(file)))
		ret = errno ? -errno : -EIO;
	if (!ret)
		ret = (int)reading.counts.n;
	vector_free(&reading.tallies);
	vector_free(&reading.counts);
	vector_free(&reading.processes);
	free(text);
	return ret;
}
