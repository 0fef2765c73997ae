// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Splits a report into messages: a file header, then blocks. A block is a header and a payload, which is a sequence of
 * entries. A length of 4 bytes in little-endian order precedes each header and entry.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "ncurep/ncurep.h"

#define MAGIC		"NVR"	/* and a NUL */
#define LENGTH		4U	/* bytes of a length */
#define STEP		(1U << 20)

struct reader {
	struct gpmu_ncu_report *report;
	int fd;
	uint64_t offset;	/* of the next byte */
	uint8_t *data;		/* the bytes that were read last */
	size_t room;
};

/* The entries of a block, in their order */
static const struct entry {
	const char *what;
	const ProtobufCMessageDescriptor *descriptor;
	/* NULL: a source */
	int (*add)(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message);
} entries[] = {
	{ "the code of kernels", &ncu_pb__source__descriptor, NULL },
	{ "the result of a kernel", &ncu_pb__kernel_result__descriptor, ncurep_add_kernel },
	{ "the result of a range", &ncu_pb__range_result__descriptor, ncurep_add_range },
	{ "the result of a command list", &ncu_pb__cmdlist_result__descriptor, ncurep_add_cmdlist },
	{ "the result of a graph", &ncu_pb__graph_result__descriptor, ncurep_add_graph },
};

/* --- the end of the reading. Functions return 1, 0 at the end, or -errno. */

/* Ends the reading at @offset, before the end of the file. Returns 0 or -ENOMEM. */
__attribute__((format(printf, 3, 4)))
static int stop(struct reader *reader, uint64_t offset, const char *fmt, ...)
{
	struct gpmu_ncu_report *report = reader->report;
	va_list args;
	char *text;

	va_start(args, fmt);
	text = text_vprint(fmt, args);
	va_end(args);
	if (text)
		report->why = text_print("%s:%" PRIu64 ": %s", report->path, offset, text);
	free(text);
	report->info.end = offset;
	report->info.why = report->why;
	return report->why ? 0 : -ENOMEM;
}

static int cut_off(struct reader *reader, uint64_t begin, const char *what, uint64_t wanted, uint64_t found)
{
	return stop(reader, begin, "the file is cut off: expected %s of %" PRIu64 " bytes, found %" PRIu64, what,
		    wanted, found);
}

/* --- bytes */

static int make_room(struct reader *reader, size_t room)
{
	uint8_t *data = realloc(reader->data, room);

	if (!data)
		return -ENOMEM;
	reader->data = data;
	reader->room = room;
	return 0;
}

/*
 * Reads @size bytes, or less at the end of the file. Memory grows with what is there. Returns their number or -errno.
 */
static ssize_t read_bytes(struct reader *reader, size_t size)
{
	size_t n = 0;

	while (n < size) {
		size_t end = size - n < STEP ? size : n + STEP;
		ssize_t got;

		if (end > reader->room && make_room(reader, end < reader->room * 2 ? reader->room * 2 : end))
			return -ENOMEM;
		got = read(reader->fd, reader->data + n, end - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		n += (size_t)got;
		reader->offset += (size_t)got;
	}
	return (ssize_t)n;
}

static uint32_t length_at(const uint8_t *data)
{
	return data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

static int read_length(struct reader *reader, const char *what, uint32_t *length)
{
	uint64_t begin = reader->offset;
	ssize_t n = read_bytes(reader, LENGTH);

	if (n < 0)
		return (int)n;
	if (n < (ssize_t)LENGTH)
		return cut_off(reader, begin, what, LENGTH, (uint64_t)n);
	*length = length_at(reader->data);
	return 1;
}

static int skip(struct reader *reader, uint64_t end)
{
	while (reader->offset < end) {
		uint64_t begin = reader->offset, left = end - begin;
		ssize_t n = read_bytes(reader, left < STEP ? (size_t)left : STEP);

		if (n < 0)
			return (int)n;
		if (!n)
			return cut_off(reader, begin, "the rest of a block", left, 0);
	}
	return 1;
}

/* --- messages */

/*
 * Reads a message of @length bytes, whose length was at the offset @begin. Ends the reading if there is none: @message
 * stays NULL.
 */
static int read_message(struct reader *reader, const ProtobufCMessageDescriptor *descriptor, const char *what,
			uint64_t begin, uint32_t length, ProtobufCMessage **message)
{
	ssize_t n = read_bytes(reader, length);
	int ret;

	if (n < 0)
		return (int)n;
	if ((uint64_t)n < length)
		return cut_off(reader, begin, what, length, (uint64_t)n);
	ret = ncurep_unpack(descriptor, reader->data, length, message);
	return ret ? ret : stop(reader, begin, "expected %s, found %" PRIu32 " other bytes", what, length);
}

/* --- blocks */

static int add_entry(struct reader *reader, const struct entry *entry, const NcuPb__Process *process,
		     ProtobufCMessage *message)
{
	struct gpmu_ncu_report *report = reader->report;
	NcuPb__Source *source = (NcuPb__Source *)message;
	union map_cell *cell;

	if (entry->add)
		return entry->add(report, process, message);
	if (vector_push(&report->sources, &source)) {
		ncurep_message_free(message);
		return -ENOMEM;
	}
	cell = map_add(&report->codes, source->reference, NULL);
	if (!cell)
		return -ENOMEM;
	cell->pointer = source;
	return 0;
}

static int read_entry(struct reader *reader, const struct entry *entry, const NcuPb__Process *process, uint64_t end)
{
	uint64_t begin = reader->offset;
	ProtobufCMessage *message = NULL;
	uint32_t length = 0;
	int ret;

	if (end - begin < LENGTH)
		return stop(reader, begin, "expected %s, found the end of the block", entry->what);
	ret = read_length(reader, entry->what, &length);
	if (ret <= 0)
		return ret;
	if (length > end - reader->offset)
		return stop(reader, begin, "%s has %" PRIu32 " bytes, but its block has %" PRIu64 " more", entry->what,
			    length, end - reader->offset);
	ret = read_message(reader, entry->descriptor, entry->what, begin, length, &message);
	if (!message)
		return ret;
	ret = add_entry(reader, entry, process, message);
	return ret ? ret : 1;
}

static int read_payload(struct reader *reader, const NcuPb__BlockHeader *block)
{
	const uint32_t counts[ARRAY_SIZE(entries)] = { block->sources, block->kernels, block->ranges, block->cmdlists,
						       block->graphs };
	uint64_t end = reader->offset + block->payload_size;

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		for (uint32_t k = 0; k < counts[i]; k++) {
			int ret = read_entry(reader, &entries[i], block->process, end);

			if (ret <= 0)
				return ret;
		}
	return skip(reader, end);
}

/* The tables of names of all blocks are one table. */
static int add_block(struct gpmu_ncu_report *report, NcuPb__BlockHeader *block)
{
	if (vector_push(&report->blocks, &block)) {
		ncurep_message_free(block);
		return -ENOMEM;
	}
	report->info.blocks++;
	if (block->session && block->session->cmdline)
		report->info.command = block->session->cmdline;
	for (size_t i = 0; block->strings && i < block->strings->n_strings; i++) {
		const char *name = block->strings->strings[i];

		if (vector_push(&report->names, &name))
			return -ENOMEM;
	}
	return 0;
}

static int read_block(struct reader *reader)
{
	static const char what[] = "the header of a block";
	uint64_t begin = reader->offset;
	ProtobufCMessage *message = NULL;
	uint32_t length = 0;
	ssize_t n = read_bytes(reader, LENGTH);
	int ret;

	if (n <= 0) {
		reader->report->info.end = begin;
		return (int)n;
	}
	if (n < (ssize_t)LENGTH)
		return cut_off(reader, begin, what, LENGTH, (uint64_t)n);
	length = length_at(reader->data);
	ret = read_message(reader, &ncu_pb__block_header__descriptor, what, begin, length, &message);
	if (!message)
		return ret;
	ret = add_block(reader->report, (NcuPb__BlockHeader *)message);
	return ret ? ret : read_payload(reader, (const NcuPb__BlockHeader *)message);
}

/* --- the file */

static int read_file_header(struct reader *reader)
{
	static const char what[] = "the file header";
	ProtobufCMessage *message = NULL;
	uint32_t length = 0;
	int ret = read_length(reader, what, &length);

	if (ret <= 0)
		return ret;
	ret = read_message(reader, &ncu_pb__file_header__descriptor, what, sizeof(MAGIC), length, &message);
	if (!message)
		return ret;
	reader->report->info.version = ((const NcuPb__FileHeader *)message)->version;
	ncurep_message_free(message);
	return 1;
}

/* Returns 1, 0 if the file has no magic, or -errno. */
static int read_magic(struct reader *reader)
{
	ssize_t n = read_bytes(reader, sizeof(MAGIC));

	if (n < 0)
		return (int)n;
	return n == sizeof(MAGIC) && !memcmp(reader->data, MAGIC, sizeof(MAGIC));
}

static int fail(const struct reader *reader, int ret, struct gpmu_error *error)
{
	if (ret == -ENOMEM)
		return error_no_memory(error);
	error_set_path(error, (size_t)reader->offset, reader->report->path, ":%" PRIu64 ": %s", reader->offset,
		       error_text(-ret));
	return ret;
}

int ncurep_read(struct gpmu_ncu_report *report, int fd, struct gpmu_error *error)
{
	struct reader reader = { .report = report, .fd = fd };
	int ret = read_magic(&reader);
	bool is_report = ret == 1;

	if (is_report)
		ret = read_file_header(&reader);
	while (ret == 1)
		ret = read_block(&reader);
	free(reader.data);
	if (ret)
		return fail(&reader, ret, error);
	if (is_report)
		return 0;
	error_set_path(error, 0, report->path,
		       ":0: expected a report of Nsight Compute, which begins with NVR and a zero byte");
	return -EINVAL;
}
