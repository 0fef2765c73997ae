/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers for the tests of channels: a folder, and records with a number in them */
#ifndef GPMU_TESTS_CHANNEL_TEST_H
#define GPMU_TESTS_CHANNEL_TEST_H

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/channel/channel_file.h"
#include "tap.h"

#define RING	4096

static char folder[PATH_MAX];

__attribute__((unused))
static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "%s/gpmu-channel-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(folder))
		abort();
}

/* Stores the paths of the files that are not hidden. Returns their number. */
__attribute__((unused))
static int files(char paths[][PATH_MAX], int room, bool remove)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[PATH_MAX];
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= PATH_MAX)
			abort();
		if (n < room)
			memcpy(paths[n], path, sizeof(path));
		n++;
		if (remove)
			unlink(path);
	}
	if (dir)
		closedir(dir);
	return n;
}

__attribute__((unused))
static void empty_folder(void)
{
	files(NULL, 0, true);
}

__attribute__((unused))
static void remove_folder(void)
{
	empty_folder();
	rmdir(folder);
}

/* A reader of the only file, or NULL */
__attribute__((unused))
static struct channel_reader *read_only_one(void)
{
	char paths[2][PATH_MAX];

	return files(paths, 2, false) == 1 ? channel_reader_new(paths[0]) : NULL;
}

/* Writes a note whose size depends on the number. */
__attribute__((unused))
static int write_number(struct channel_writer *writer, uint64_t number)
{
	union {
		struct activity_note note;
		char bytes[sizeof(struct activity_note) + 256];
	} record = { .note.head.size = sizeof(struct activity_note) + 8 + number % 31 * 8,
		     .note.head.kind = ACTIVITY_NOTE };

	memset(record.note.text, (int)('a' + number % 26), number % 31 * 8);
	record.note.time = number;
	return channel_write(writer, &record.note.head);
}

__attribute__((unused))
static bool is_number(const struct activity_head *record, uint64_t number)
{
	const struct activity_note *note = (const struct activity_note *)record;
	size_t length = number % 31 * 8;

	if (record->kind != ACTIVITY_NOTE || note->time != number || strlen(note->text) != length ||
	    record->size != sizeof(*note) + 8 + length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (note->text[i] != (char)('a' + number % 26))
			return false;
	return true;
}

/*
 * Reads the numbers from @first on until the channel is empty. Returns the next number, or
 * UINT64_MAX on an error.
 */
__attribute__((unused))
static uint64_t read_numbers(struct channel_reader *reader, uint64_t first)
{
	const struct activity_head *record;
	int ret;

	while ((ret = channel_read(reader, &record)) == 1)
		if (!is_number(record, first++))
			return UINT64_MAX;
	return ret ? UINT64_MAX : first;
}

#endif /* GPMU_TESTS_CHANNEL_TEST_H */
