// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The format: Linux's tools/perf/Documentation/jitdump-specification.txt. Records of code have the code's bytes, which are
 * skipped. Anyone can write such a file, so only files of root and of the user who runs gpmu are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strings.h"
#include "base/text/text.h"
#include "profile/profile_jitdump.h"
#include "profile/profile_tasks.h"

#define MAGIC		0x4a695444	/* "JiTD" */
#define MAGIC_SWAPPED	0x4454694a
#define ARCH_TIMES	1		/* flag: times are those of the CPU's counter */
#define NAME_BYTES_MAX	(64U << 10)	/* bytes of a function's name, with its NUL */

#define FRAMES_MAX	(1U << 20)	/* bytes of unwinding information of a function; it has none if there are more */

enum { CODE_LOAD = 0, CODE_MOVE = 1, CODE_UNWINDING = 4 };

struct header {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t time, flags;
};

struct prefix {
	uint32_t id, size;
	uint64_t time;
};

struct load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

/* Unwinding information of the code that is loaded next. .eh_frame follows, and then .eh_frame_hdr, its index, which is not used. */
struct unwinding {
	uint64_t size, header_size, mapped_size;
};

/* The reading of a dump */
struct reading {
	const struct profile_jitdump *dump;
	const struct profile_jit_clock *clock;
	struct profile_jit_frame_list *frames;
	profile_jit_taker take;
	void *user;
	FILE *file;
	struct profile_jit_frames next;	/* of the code that is loaded next; no data: none */
	uint64_t offset;		/* of the part that is read next */
	uint64_t flags, count;		/* count: functions so far */
	struct gpmu_error *error;
	struct strings texts;
	struct map names;		/* number in @texts of the name of a code index */
	struct map numbers;		/* number of its frames, plus 1; 0: none */
	char name[sizeof(PROFILE_JIT) + NAME_BYTES_MAX];
};

static int fail(struct reading *reading, const char *expected)
{
	error_set(reading->error, (size_t)reading->offset, "%s:%llu: expected %s", reading->dump->path,
		  (unsigned long long)reading->offset, expected);
	return -EINVAL;
}

/* Reads the next bytes. Returns 0; -EINVAL if the file ends before; or the error of reading. */
static int take_bytes(struct reading *reading, void *data, size_t size, const char *expected)
{
	size_t n = fread(data, 1, size, reading->file);

	if (n < size && ferror(reading->file)) {
		error_set(reading->error, (size_t)reading->offset, "%s: %s", reading->dump->path, error_text(errno));
		return errno ? -errno : -EIO;
	}
	if (n < size)
		return fail(reading, expected);
	reading->offset += size;
	return 0;
}

static int skip(struct reading *reading, uint64_t size)
{
	/* The record's last byte is read, as a seek goes beyond the end of a file. */
	char last;

	if (!size)
		return 0;
	if (fseeko(reading->file, (off_t)size - 1, SEEK_CUR))
		return fail(reading, "a whole record");
	if (take_bytes(reading, &last, 1, "a whole record"))
		return -EINVAL;
	reading->offset += size - 1;
	return 0;
}

static uint64_t time_of(struct reading *reading, uint64_t time)
{
	const struct gpmu_perfdata_time_conv *conv = &reading->clock->conv;

	if (!(reading->flags & ARCH_TIMES) && reading->clock->is_monotonic)
		return time;
	if (!(reading->flags & ARCH_TIMES) || !gpmu_perfdata_has_times(conv))
		return reading->dump->time + reading->count;
	return gpmu_perfdata_time_of(conv, time);
}

/* @frames: their number, plus 1; 0: none */
static int give(struct reading *reading, const char *name, uint64_t address, uint64_t size, uint32_t frames,
		uint64_t time)
{
	struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER, .pid = reading->dump->pid, .tid = reading->dump->pid,
		.has = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .time = time_of(reading, time),
		.mmap = { .addr = address, .len = size, .ino = frames, .file = reading->name },
	};

	snprintf(reading->name, sizeof(reading->name), PROFILE_JIT "%s", name);
	reading->count++;
	return reading->take(reading->user, &record);
}

/* Keeps the name of a code, which may move. Returns 0 or -ENOMEM. */
static int keep(struct reading *reading, uint64_t index, const char *name)
{
	uint32_t number;

	return strings_number(&reading->texts, name, &number) ?: map_set(&reading->names, index, number);
}

/* Adds the frames of the code that is loaded, if the dump has them. Returns 0 or -ENOMEM. */
static int add_frames(struct reading *reading, uint64_t index, uint32_t *number)
{
	*number = 0;
	if (reading->next.data) {
		if (vector_push(reading->frames, &reading->next))
			return -ENOMEM;
		reading->next.data = NULL;
		*number = (uint32_t)reading->frames->n;
	}
	return map_set(&reading->numbers, index, *number);
}

/* @size: bytes of the record after its prefix */
static int take_load(struct reading *reading, uint64_t time, uint64_t size)
{
	char name[NAME_BYTES_MAX];
	struct load load;
	uint32_t number;
	size_t length;
	int ret;

	if (size < sizeof(load))
		return fail(reading, "code with a name");
	ret = take_bytes(reading, &load, sizeof(load), "code with a name");
	if (ret)
		return ret;
	size -= sizeof(load);
	if (load.size >= size || size - load.size > sizeof(name))
		return fail(reading, "a name of less than 65536 bytes, and code");
	length = (size_t)(size - load.size);
	ret = take_bytes(reading, name, length, "the name of a function");
	if (ret)
		return ret;
	if (!memchr(name, '\0', length)) {
		reading->offset -= length;
		return fail(reading, "a name that ends with a NUL");
	}
	ret = keep(reading, load.index, name) ?: add_frames(reading, load.index, &number);
	if (!ret && load.size)
		ret = give(reading, name, load.address, load.size, number, time);
	return ret ? ret : skip(reading, load.size);
}

static int take_move(struct reading *reading, uint64_t time, uint64_t size)
{
	struct move move;
	uint32_t text_offset, number;
	int ret;

	if (size < sizeof(move))
		return fail(reading, "code that moves");
	ret = take_bytes(reading, &move, sizeof(move), "code that moves");
	if (!ret && move.size && map_get(&reading->names, move.index, &text_offset) &&
	    map_get(&reading->numbers, move.index, &number))
		ret = give(reading, strings_text(&reading->texts, text_offset), move.to, move.size, number, time);
	return ret ? ret : skip(reading, size - sizeof(move));
}

static int take_unwinding(struct reading *reading, uint64_t size)
{
	struct unwinding unwinding;
	uint64_t frames_size;
	int ret;

	if (size < sizeof(unwinding))
		return fail(reading, "unwinding information");
	ret = take_bytes(reading, &unwinding, sizeof(unwinding), "unwinding information");
	if (ret)
		return ret;
	size -= sizeof(unwinding);
	frames_size = unwinding.size - unwinding.header_size;
	if (unwinding.size > size || unwinding.header_size > unwinding.size)
		return fail(reading, "unwinding information within the record");
	if (frames_size > FRAMES_MAX)
		frames_size = 0;
	free(reading->next.data);
	reading->next.size = (size_t)frames_size;
	reading->next.data = frames_size ? malloc((size_t)frames_size) : NULL;
	if (!frames_size)
		return skip(reading, size);
	if (!reading->next.data)
		return -ENOMEM;
	ret = take_bytes(reading, reading->next.data, (size_t)frames_size, "unwinding information");
	return ret ? ret : skip(reading, size - frames_size);
}

static int take_header(struct reading *reading)
{
	struct header header;
	int ret = take_bytes(reading, &header, sizeof(header), "the header of a jitdump");

	if (ret)
		return ret;
	reading->offset = 0;
	if (header.magic == MAGIC_SWAPPED)
		return fail(reading, "a jitdump of a little-endian machine");
	if (header.magic != MAGIC)
		return fail(reading, "a jitdump");
	reading->offset = 4;
	if (header.version != 1)
		return fail(reading, "version 1 of a jitdump");
	reading->offset = 8;
	if (header.size < sizeof(header))
		return fail(reading, "a header of at least 40 bytes");
	reading->flags = header.flags;
	reading->offset = sizeof(header);
	return skip(reading, header.size - sizeof(header));
}

/* Takes a record. Returns 1 at the end of the file. */
static int take_record(struct reading *reading)
{
	struct prefix prefix;
	int first = getc(reading->file), ret;

	if (first == EOF && !ferror(reading->file))
		return 1;
	ungetc(first, reading->file);
	ret = take_bytes(reading, &prefix, sizeof(prefix), "a record");
	if (ret)
		return ret;
	if (prefix.size < sizeof(prefix)) {
		reading->offset -= sizeof(prefix);
		return fail(reading, "a record of at least 16 bytes");
	}
	if (prefix.id == CODE_LOAD)
		return take_load(reading, prefix.time, prefix.size - sizeof(prefix));
	if (prefix.id == CODE_MOVE)
		return take_move(reading, prefix.time, prefix.size - sizeof(prefix));
	if (prefix.id == CODE_UNWINDING)
		return take_unwinding(reading, prefix.size - sizeof(prefix));
	return skip(reading, prefix.size - sizeof(prefix));
}

int profile_jitdump_read(const struct profile_jitdump *dump, int fd, const struct profile_jit_clock *clock,
			 struct profile_jit_frame_list *frames, profile_jit_taker take, void *user,
			 struct gpmu_error *error)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int own = dup(fd), ret = -ENOMEM;
	FILE *file = own < 0 ? NULL : fdopen(own, "r");

	if (reading && file) {
		*reading = (struct reading){
			.dump = dump, .clock = clock, .frames = frames, .take = take, .user = user, .file = file,
			.error = error,
		};
		ret = take_header(reading);
		while (!ret)
			ret = take_record(reading);
		map_release(&reading->names);
		map_release(&reading->numbers);
		strings_release(&reading->texts);
		free(reading->next.data);
	}
	if (file)
		fclose(file);
	else if (own >= 0)
		close(own);
	free(reading);
	return ret == 1 ? 0 : ret;
}

void profile_jit_frames_release(struct profile_jit_frame_list *frames)
{
	for (size_t i = 0; i < frames->n; i++)
		free(frames->list[i].data);
	vector_free(frames);
}

/* --- the dumps of a recording */

/* "/tmp/jit-123.dump" */
static bool is_dump(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t length = strlen(name);

	return slash && length > 9 && !strncmp(name, "jit-", 4) && !strcmp(name + length - 5, ".dump");
}

int profile_jitdumps_add(struct profile_jitdumps *dumps, const struct gpmu_perfdata_record *record)
{
	struct profile_jitdump dump = { .pid = record->pid, .time = record->time };

	if ((record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2) || !is_dump(record->mmap.file))
		return 0;
	for (size_t i = 0; i < dumps->n; i++)
		if (dumps->list[i].pid == record->pid && !strcmp(dumps->list[i].path, record->mmap.file))
			return 0;
	dump.path = strdup(record->mmap.file);
	if (dump.path && !vector_push(dumps, &dump))
		return 0;
	free(dump.path);
	return -ENOMEM;
}

/* @why: to be freed; NULL: out of memory */
static int set_why(struct profile_jitdump *dump, char *why)
{
	dump->why = why;
	return why ? 0 : -ENOMEM;
}

static int read_one(struct profile_jitdump *dump, const struct profile_jit_clock *clock,
		    struct profile_jit_frame_list *frames, profile_jit_taker take, void *user)
{
	int fd = open(dump->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), ret;
	struct gpmu_error error = { .size = sizeof(error) };
	struct stat status;
	const char *text;

	if (fd < 0)
		return set_why(dump, strdup("no such file here"));
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || (status.st_uid && status.st_uid != geteuid())) {
		close(fd);
		return set_why(dump, strdup("not a file of root or of this user"));
	}
	ret = profile_jitdump_read(dump, fd, clock, frames, take, user, &error);
	close(fd);
	if (!ret || ret == -ENOMEM)
		return ret;
	/* The error's text begins with the path, which is named beside it, and perhaps the offset. */
	text = error.text + strlen(dump->path) + 1;
	return set_why(dump, *text == ' ' ? strdup(text + 1) : text_print("byte %s", text));
}

int profile_jitdumps_read(struct profile_jitdumps *dumps, const struct gpmu_perfdata_info *info,
			  const struct gpmu_perfdata_event *event, profile_jit_taker take, void *user)
{
	const struct perf_event_attr *attr = event ? event->attr : NULL;
	struct profile_jit_clock clock = { .is_monotonic = attr && attr->use_clockid && attr->clockid == CLOCK_MONOTONIC };
	int ret = 0;

	if (attr && !attr->use_clockid)
		clock.conv = info->time_conv;
	for (size_t i = 0; i < dumps->n && !ret; i++)
		ret = read_one(&dumps->list[i], &clock, &dumps->frames, take, user);
	return ret;
}

void profile_jitdumps_release(struct profile_jitdumps *dumps)
{
	for (size_t i = 0; i < dumps->n; i++) {
		free(dumps->list[i].path);
		free(dumps->list[i].why);
	}
	vector_free(dumps);
	profile_jit_frames_release(&dumps->frames);
}
