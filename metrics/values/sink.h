/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What sinks have in common: text is gathered in a buffer and written at once. */
#ifndef GPMU_SINK_H
#define GPMU_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gpmu.h"
#include "base/number.h"

#define SINK_SCHEMA	"1"	/* of CSV and JSON */

struct sink_buffer {
	char *data;
	size_t length, size;
	bool failed;		/* no memory; what came after it is lost */
};

struct gpmu_sink;

struct sink_ops {
	/* What comes before the rows of the first interval */
	void (*begin)(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n);
	void (*rows)(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n);
	void (*end)(struct gpmu_sink *sink, const struct gpmu_sink_end *end);
};

/* Numbers of a row of CSV as last written; length 0: there are none */
struct sink_times {
	double begin, end;
	size_t length;
	char text[64];
};

struct sink_counted {
	uint64_t enabled, running;
	size_t length;
	char text[64];
};

/*
 * What is between the numbers of a row of CSV, made once for all that are alike: in most
 * intervals a row differs from that of the one before by its numbers alone.
 */
struct sink_line {
	struct gpmu_row row;		/* that it is of; its texts are copies, behind these */
	char *text;			/* NULL: of none */
	size_t place, state, rest;	/* lengths of what follows the times, the value, and them */
};

struct gpmu_sink {
	const struct sink_ops *ops;
	FILE *file;
	struct gpmu_sink_options options;
	char *separator, *title, *host;
	size_t separator_length;
	struct sink_buffer buffer;
	bool begun;
	bool held;		/* what is written waits in the buffer */
	/* Of CSV */
	struct sink_times times;
	struct sink_counted counted;
	struct sink_line *lines;	/* one for each row of an interval */
	size_t n_lines;
	struct sink_buffer part;	/* of a line that is made */
	/* Of a summary */
	enum gpmu_scope scope;		/* that its heading says */
	size_t labels, units;		/* width of these columns */
	char **whys;			/* that were shown */
	size_t n_whys;
	struct gpmu_row *copy;		/* rows of another size in this one's */
	size_t copy_room;
};

extern const struct sink_ops sink_summary, sink_csv, sink_json;

char *buffer_grow(struct sink_buffer *buffer, size_t n);

/* Room for @n bytes more, or NULL; they are part of the text once buffer_added() says so. */
static inline char *buffer_room(struct sink_buffer *buffer, size_t n)
{
	if (buffer->size - buffer->length >= n && !buffer->failed && buffer->data)
		return buffer->data + buffer->length;
	return buffer_grow(buffer, n);
}

static inline void buffer_added(struct sink_buffer *buffer, size_t n)
{
	buffer->length += n;
}

static inline void buffer_bytes(struct sink_buffer *buffer, const char *bytes, size_t n)
{
	char *room = buffer_room(buffer, n);

	if (room) {
		memcpy(room, bytes, n);
		buffer_added(buffer, n);
	}
}

static inline void buffer_text(struct sink_buffer *buffer, const char *text)
{
	buffer_bytes(buffer, text, strlen(text));
}

static inline void buffer_char(struct sink_buffer *buffer, char c)
{
	buffer_bytes(buffer, &c, 1);
}

void buffer_blanks(struct sink_buffer *buffer, size_t n);
void buffer_u64(struct sink_buffer *buffer, uint64_t value);
void buffer_int(struct sink_buffer *buffer, int value);
void buffer_fixed(struct sink_buffer *buffer, double value, unsigned int decimals);
void buffer_shortest(struct sink_buffer *buffer, double value);

/* What is worth something was counted: 0 says that the raw count is not known. */
static inline bool sink_knows_raw(const struct gpmu_row *row)
{
	return row->state == GPMU_OK && !row->metric && (row->raw || row->value == 0);
}

/* Of perf's own metrics nothing is known of the counters. */
static inline bool sink_knows_times(const struct gpmu_row *row)
{
	return row->state != GPMU_NOT_SUPPORTED && (row->counters || !row->metric);
}

/* "machine", "not_counted" of CSV and JSON */
const char *sink_scope_name(enum gpmu_scope scope);
const char *sink_state_name(enum gpmu_state state);

#endif /* GPMU_SINK_H */
