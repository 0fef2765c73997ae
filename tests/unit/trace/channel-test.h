/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers for the tests of channels: records with a number in them */
#ifndef GPMU_TESTS_CHANNEL_TEST_H
#define GPMU_TESTS_CHANNEL_TEST_H

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/channel/channel_file.h"
#include "tap.h"

#define RING	4096

/* A writer with its reader */
__attribute__((unused))
static struct channel_writer *open_both(uint64_t ring, struct channel_reader **reader)
{
	int fd;
	struct channel_writer *writer = channel_writer_new(ring, &fd);

	*reader = writer ? channel_reader_new(fd) : NULL;
	if (!*reader)
		abort();
	return writer;
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
